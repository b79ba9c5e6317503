import { median } from './summary.js';

/** @import { Interval } from '../types.d.ts' */

/** Two-sided 95 % point of the normal distribution. */
const Z = 1.959964;
/** More points than this are thinned out: the slopes are n² / 2. */
const MAX_POINTS = 600;

/**
 * Theil–Sen slope: the median of the slopes of all pairs of points, with the distribution-free interval that
 * follows from Kendall's S (Theil 1950; Sen 1968; Hollander and Wolfe, Nonparametric Statistical Methods, §9.3):
 * with C = z · √Var(S), the (M − C)/2-th and (M + C)/2 + 1-th of the M ordered slopes. Ties in y make Var(S) smaller
 * (Kendall 1970). Up to 29 % of the points may be outliers. Points are taken for independent: even out what is
 * not before.
 * @param {readonly {x: number, y: number}[]} points
 * @returns {Interval | null} y per x; null for fewer than 4 points or a single x
 */
export function theilSen(points) {
  const every = Math.ceil(points.length / MAX_POINTS);
  const kept = points.filter((_, i) => i % every === 0);
  /** @type {number[]} */
  const slopes = [];
  for (const [i, a] of kept.entries()) {
    for (let j = i + 1; j < kept.length; j++) {
      if (kept[j].x !== a.x) slopes.push((kept[j].y - a.y) / (kept[j].x - a.x));
    }
  }
  if (kept.length < 4 || slopes.length === 0) return null;
  slopes.sort((a, b) => a - b);
  const c = Z * Math.sqrt(varianceOfS(kept.map((p) => p.y)));
  const at = (/** @type {number} */ rank) => slopes[Math.min(slopes.length - 1, Math.max(0, rank))];
  return {
    estimate: median(slopes),
    low: at(Math.floor((slopes.length - c) / 2) - 1),
    high: at(Math.ceil((slopes.length + c) / 2)),
  };
}

/**
 * @param {number[]} values
 * @returns {number} variance of Kendall's S when there is no trend
 */
function varianceOfS(values) {
  const n = values.length;
  /** @type {Map<number, number>} */
  const ties = new Map();
  for (const v of values) ties.set(v, (ties.get(v) ?? 0) + 1);
  const term = (/** @type {number} */ t) => t * (t - 1) * (2 * t + 5);
  return (term(n) - [...ties.values()].reduce((sum, t) => sum + term(t), 0)) / 18;
}
