import { EQUIVALENCE } from './method.js';

/** @import { ComparisonVerdict, Interval } from '../types.d.ts' */

/**
 * @param {Interval} ratio a / b, bigger is better for a
 * @returns {ComparisonVerdict} `faster` or `slower` only when the whole interval lies outside ±5 %,
 *   `equivalent` only when it lies inside
 */
export function judgeRatio({ low, high }) {
  if (low > 1 + EQUIVALENCE) return 'faster';
  if (high < 1 / (1 + EQUIVALENCE)) return 'slower';
  if (low >= 1 - EQUIVALENCE && high <= 1 + EQUIVALENCE) return 'equivalent';
  return 'inconclusive';
}
