/** @import { Why } from '../types.d.ts' */

/** When latencies of two systems at one rate may be compared: shares of the smaller one's. */
export const FLOOR = Object.freeze({
  /** The null responder's own p99 at that rate: above it the machine and the client make what is timed. */
  nullShare: 0.5,
  /** The schedule lag: how late the generator itself sent. */
  lagShare: 0.1,
  /** How far the null responder's rate may lie from theirs, as a share of it. */
  rateShare: 0.2,
});

/**
 * Whether a host and its client are quick enough to tell two latencies apart at a rate.
 * @param {object} seen
 * @param {number} seen.smallerMs p99 of the one that answers sooner, from the intended start
 * @param {number | null} seen.lagMs p99, of the one whose load was sent later
 * @param {number | null} seen.nullMs p99 of the null responder; null where it was not measured, or did not hold the rate
 * @param {number} seen.rateRatio its rate / theirs
 * @returns {Why | null} why they may not be compared; null: they may
 */
export function belowFloor({ smallerMs, lagMs, nullMs, rateRatio }) {
  if (nullMs === null || lagMs === null || !(Math.abs(rateRatio - 1) <= FLOOR.rateShare))
    return { code: 'no_reference' };
  if (nullMs >= FLOOR.nullShare * smallerMs) return { code: 'at_floor', ms: nullMs };
  return lagMs >= FLOOR.lagShare * smallerMs ? { code: 'sent_late', ms: lagMs } : null;
}
