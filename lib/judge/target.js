import { MIN_REPEATS } from './method.js';

/** @import { Interval } from '../types.d.ts' */

/** @typedef {'met' | 'not met' | 'undecided'} TargetVerdict */

/**
 * Whether a ratio reaches a target, by its whole interval: a median alone would pass every other time by chance.
 * @param {Interval | null} ratio
 * @param {number} least
 * @param {number} pairs that the ratio comes from
 * @returns {TargetVerdict} `undecided` without a ratio, with too few pairs, and while the interval holds the target
 */
export function judgeTarget(ratio, least, pairs) {
  if (!ratio || pairs < MIN_REPEATS) return 'undecided';
  if (ratio.low >= least) return 'met';
  return ratio.high < least ? 'not met' : 'undecided';
}
