import { EQUIVALENCE, MIN_REPEATS } from '../judge/method.js';
import { outcomeOf } from '../judge/outcome.js';
import { intervalOf } from '../stats/interval.js';
import { isBound } from './figure.js';

/**
 * @import { Interval, Outcome, ReasonCode } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 */

/**
 * One figure divided by another.
 * @typedef {object} Ratio
 * @property {number} estimate
 * @property {number} low lower end of its 95 % interval, see {@link intervalOf}
 * @property {number} high
 * @property {number} pairs trials that have both, up to the last look
 * @property {boolean} rankable whether both figures are
 * @property {readonly ReasonCode[]} why not: codes of the reasons
 * @property {'lower' | 'upper' | null} bound the true ratio is at least, or at most, this
 * @property {Outcome} outcome
 * @property {'a' | 'b'} better the side with the higher figure, whether or not that decides anything
 */

/**
 * What both suffered in a trial cancels out; of two runs, trials of one number are as good a pair as any other.
 * @param {Figure | null | undefined} a
 * @param {Figure | null | undefined} b
 * @returns {Ratio | null} a / b; null without a trial in which both are positive
 */
export function ratioOf(a, b) {
  if (!a || !b) return null;
  return ratioFrom(differencesIn(a, b), { why: [...new Set([...a.why, ...b.why])], bound: boundOf(a, b) });
}

/** @param {Figure} a @param {Figure} b @returns {number[]} ln a − ln b of each trial in which both are positive */
export function differencesIn(a, b) {
  return [...a.byRepeat].flatMap(([repeat, x]) => {
    const y = b.byRepeat.get(repeat) ?? 0;
    return x > 0 && y > 0 ? [Math.log(x) - Math.log(y)] : [];
  });
}

/**
 * @param {readonly number[]} differences ln a − ln b, one for each trial, in their order
 * @param {Standing} [standing]
 * @returns {Ratio | null} null without any
 */
export function ratioFrom(differences, standing) {
  const interval = intervalOf(differences);
  return interval && ratioIn(interval, standing);
}

/**
 * @typedef {{why?: readonly ReasonCode[], bound?: Ratio['bound'], within?: number}} Standing `within`: of what is a tie
 * @param {NonNullable<ReturnType<typeof intervalOf>>} interval of ln(a / b)
 * @param {Standing} [standing]
 * @returns {Ratio}
 */
export function ratioIn(interval, { why = [], bound = null, within } = {}) {
  const [estimate, low, high] = [interval.mean, interval.low, interval.high].map(Math.exp);
  const found = outcomeOf(interval, within);
  const ratio = { estimate, low, high, pairs: interval.n, rankable: why.length === 0, why, bound };
  if (ratio.rankable) return { ...ratio, ...found };
  return { ...ratio, outcome: isDecidedByBound(ratio) ? 'at least' : 'not comparable', better: found.better };
}

/**
 * @param {Pick<Ratio, 'bound' | 'pairs' | 'low' | 'high' | 'why'>} ratio
 * @returns {boolean} whether one leads even where the client held it back
 */
function isDecidedByBound({ bound, pairs, low, high, why }) {
  if (pairs < MIN_REPEATS || !why.every(isBound)) return false;
  const edge = 1 + EQUIVALENCE;
  return (bound === 'lower' && low > edge) || (bound === 'upper' && high < 1 / edge);
}

/**
 * @param {Figure} a
 * @param {Figure} b
 * @returns {Ratio['bound']} of a / b: only one of the two may be a bound, and nothing worse may be said of it
 */
export function boundOf(a, b) {
  if (b.rankable) return a.why.every(isBound) ? a.bound : null;
  if (!a.rankable || b.bound === null || !b.why.every(isBound)) return null;
  return b.bound === 'upper' ? 'lower' : 'upper';
}

/** @param {Interval} ratio @returns {Interval} upside down */
export function inverse({ estimate, low, high }) {
  return { estimate: 1 / estimate, low: 1 / high, high: 1 / low };
}

/** @param {Ratio} ratio @returns {boolean} whether its whole interval leaves out that nothing changed */
export function isChanged({ low, high }) {
  return low > 1 || high < 1;
}

/**
 * Whether a ratio reaches what was promised, by its whole interval: a median alone would pass every other time by chance.
 * @param {Pick<Ratio, 'low' | 'high' | 'pairs'> | null} ratio
 * @param {number} least
 * @returns {'met' | 'not met' | 'undecided'} `undecided` without a ratio, with too few trials, and while the interval holds it
 */
export function reaches(ratio, least) {
  if (!ratio || ratio.pairs < MIN_REPEATS) return 'undecided';
  if (ratio.low >= least) return 'met';
  return ratio.high < least ? 'not met' : 'undecided';
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
