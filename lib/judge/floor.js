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
 * @returns {'floor' | 'unknown' | null} null: they may be compared; `floor`: both are at this host's floor
 */
export function floorOf({ smallerMs, lagMs, nullMs, rateRatio }) {
  if (nullMs === null || lagMs === null || !(Math.abs(rateRatio - 1) <= FLOOR.rateShare)) return 'unknown';
  return nullMs < FLOOR.nullShare * smallerMs && lagMs < FLOOR.lagShare * smallerMs ? null : 'floor';
}
