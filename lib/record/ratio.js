import { judgeRatio } from '../judge/compare.js';
import { MIN_REPEATS } from '../judge/method.js';
import { judgeTarget } from '../judge/target.js';
import { pairedRatio, unpairedRatio } from '../stats/summary.js';
import { isBound } from './figure.js';

/**
 * @import { ComparisonVerdict, ReasonCode } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 */

/**
 * One figure divided by another.
 * @typedef {object} Ratio
 * @property {number} estimate
 * @property {number} low 95 % bootstrap interval
 * @property {number} high
 * @property {number} pairs repeats that have both; of two runs the repeats of the one that has fewer
 * @property {boolean} rankable whether both figures are
 * @property {readonly ReasonCode[]} why not: codes of the reasons
 * @property {'lower' | 'upper' | null} bound the true ratio is at least, or at most, this
 * @property {ComparisonVerdict} verdict `refused` where it is not rankable, `insufficient` with too few pairs
 */

/**
 * What both suffered in a repeat cancels out.
 * @param {Figure | null | undefined} a
 * @param {Figure | null | undefined} b
 * @returns {Ratio | null} a / b; null without a repeat in which both are positive
 */
export function ratioOf(a, b) {
  if (!a || !b) return null;
  const pairs = [...a.byRepeat].flatMap(([repeat, x]) => {
    const y = b.byRepeat.get(repeat) ?? 0;
    return x > 0 && y > 0 ? [{ a: x, b: y }] : [];
  });
  if (pairs.length === 0) return null;
  return judged(pairedRatio(pairs, a.seed), pairs.length, a, b);
}

/**
 * Of figures that were not measured in the same repeats, for example those of two runs.
 * @param {Figure | null | undefined} a
 * @param {Figure | null | undefined} b
 * @returns {Ratio | null} a / b
 */
export function unpairedRatioOf(a, b) {
  if (!a || !b) return null;
  const ratio = unpairedRatio([...a.byRepeat.values()], [...b.byRepeat.values()], a.seed);
  return judged(ratio, Math.min(a.n, b.n), a, b);
}

/**
 * @param {import('../types.d.ts').Interval} interval
 * @param {number} pairs
 * @param {Figure} a
 * @param {Figure} b
 * @returns {Ratio}
 */
function judged(interval, pairs, a, b) {
  const why = [...new Set([...a.why, ...b.why])];
  const verdict = pairs < MIN_REPEATS ? 'insufficient' : judgeRatio(interval);
  return {
    ...interval,
    pairs,
    rankable: why.length === 0,
    why,
    bound: boundOf(a, b),
    verdict: why.length === 0 ? verdict : 'refused',
  };
}

/**
 * @param {Figure} a
 * @param {Figure} b
 * @returns {Ratio['bound']} of a / b: only one of the two may be a bound, and nothing worse may be said of it
 */
function boundOf(a, b) {
  if (b.rankable) return a.why.every(isBound) ? a.bound : null;
  if (!a.rankable || b.bound === null || !b.why.every(isBound)) return null;
  return b.bound === 'upper' ? 'lower' : 'upper';
}

/**
 * @param {Ratio} ratio
 * @returns {Ratio} upside down
 */
export function inverse({ estimate, low, high, bound, verdict, ...rest }) {
  const turned = /** @type {const} */ ({ faster: 'slower', slower: 'faster' });
  return {
    estimate: 1 / estimate,
    low: 1 / high,
    high: 1 / low,
    bound: bound === null ? null : bound === 'lower' ? 'upper' : 'lower',
    verdict: verdict === 'faster' || verdict === 'slower' ? turned[verdict] : verdict,
    ...rest,
  };
}

/** @param {Ratio} ratio @returns {boolean} whether its whole interval leaves out that nothing changed */
export function isChanged({ low, high }) {
  return low > 1 || high < 1;
}

/**
 * Whether a ratio reaches what was promised, by its whole interval.
 * @param {Ratio | null} ratio
 * @param {number} least
 * @returns {import('../judge/target.js').TargetVerdict}
 */
export function reaches(ratio, least) {
  return judgeTarget(ratio, least, ratio?.pairs ?? 0);
}

/**
 * Whether a ratio keeps to a limit, by its whole interval: a median alone would pass every other time by chance. What
 * may not be ranked keeps to it only as an upper bound.
 * @param {Ratio} ratio
 * @param {number} atMost
 * @returns {string} `met`, `not met`, or `undecided` with why
 */
export function keepsTo({ low, high, pairs, rankable, bound }, atMost) {
  if (!rankable && !(bound === 'upper' && high <= atMost)) return 'undecided: a figure is not to be compared';
  if (pairs < MIN_REPEATS) return tooFew(pairs);
  if (high <= atMost) return 'met';
  return low > atMost ? 'not met' : 'undecided: the interval holds the limit';
}

/** @param {number} repeats */
export function tooFew(repeats) {
  return `undecided: ${repeats} of ${MIN_REPEATS} repeats`;
}
