import { median } from './summary.js';
import { theilSen } from './theil-sen.js';

/** @import { SeriesPoint } from '../types.d.ts' */

/** Fewer seconds than this show no trend. */
const MIN_SEC = 8;
/** Seconds that must lie on either side of a collapse: a single slow second is none. */
const SIDE_SEC = 3;
const COLLAPSED_SHARE = 0.5;
const DRIFT_SHARE = 0.2;

/**
 * @typedef {object} SteadyState
 * @property {'steady' | 'drifting' | 'collapsed'} kind
 * @property {number | null} second from which throughput stayed at less than half, counted from the window's start
 * @property {number} change of the throughput: over the window, or after against before the collapse (−0.6: 60 % less)
 */

/**
 * Whether a window's throughput was the same from its first second to its last. Collapsed: from some second on it
 * stayed below half of what it was before. Drifting: its Theil–Sen slope, with the whole interval on one side of 0,
 * amounts to more than a fifth over the window.
 * @param {SeriesPoint[]} series per second
 * @returns {SteadyState | null} null for fewer than 8 whole seconds
 */
export function steadyState(series) {
  const rates = series.slice(0, -1).map((p) => p.count);
  const middle = rates.length > 0 ? median(rates) : 0;
  if (rates.length < MIN_SEC || middle === 0) return null;
  const fall = deepestFall(rates);
  if (fall.share < COLLAPSED_SHARE) return { kind: 'collapsed', second: fall.second, change: fall.share - 1 };
  const slope = theilSen(rates.map((y, x) => ({ x, y })));
  const change = ((slope?.estimate ?? 0) * rates.length) / middle;
  const oneSided = slope !== null && (slope.low > 0 || slope.high < 0);
  const drifts = oneSided && Math.abs(change) > DRIFT_SHARE;
  return { kind: drifts ? 'drifting' : 'steady', second: null, change };
}

/**
 * The change-point is where the cumulative sum is farthest from a straight line (Page 1954).
 * @param {number[]} rates
 * @returns {{second: number, share: number}} of the median before it that is left after it; a fall that recovers is none
 */
function deepestFall(rates) {
  const mean = rates.reduce((sum, r) => sum + r, 0) / rates.length;
  let second = SIDE_SEC;
  let farthest = 0;
  let above = 0;
  for (const [i, rate] of rates.entries()) {
    above += rate - mean;
    const after = i + 1;
    if (after < SIDE_SEC || after > rates.length - SIDE_SEC || above <= farthest) continue;
    farthest = above;
    second = after;
  }
  const left = Math.max(median(rates.slice(second)), median(rates.slice(-SIDE_SEC)));
  const before = median(rates.slice(0, second));
  return { second, share: before > 0 ? left / before : 1 };
}
