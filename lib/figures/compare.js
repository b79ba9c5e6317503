import { ACROSS_CONDITIONS, EQUIVALENCE, MIN_REPEATS } from '../judge/method.js';
import { outcomeOf } from '../judge/outcome.js';
import { intervalOf } from '../stats/interval.js';
import { isBound } from './figure.js';
import { METRICS } from './metrics.js';

/**
 * @import { Comparison, Interval, ReasonCode, Why } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 */

/**
 * Whose a comparison is, and of what. Two figures of one system have no names.
 * @typedef {Pick<Comparison, 'metric'> & Partial<Pick<Comparison, 'a' | 'b' | 'kind' | 'load' | 'cell' | 'paired' | 'medians'>>} Head
 */

/**
 * @typedef {object} Standing what is known of both figures beside their trials
 * @property {readonly ReasonCode[]} [why] codes of the reasons why they may not be ranked
 * @property {Comparison['bound']} [bound]
 * @property {number} [within] of what is a tie
 */

/**
 * Two figures across trials: what both suffered in a trial cancels out; of two runs, trials of one number are as good a pair as
 * any other.
 * @param {Figure | null | undefined} a
 * @param {Figure | null | undefined} b
 * @param {Head} head
 * @returns {Comparison | null} a / b; null without a trial in which both are positive
 */
export function compareFigures(a, b, head) {
  if (!a || !b) return null;
  const differences = [...a.byRepeat].flatMap(([repeat, x]) => {
    const y = b.byRepeat.get(repeat) ?? 0;
    return x > 0 && y > 0 ? [Math.log(x) - Math.log(y)] : [];
  });
  const standing = { why: [...new Set([...a.why, ...b.why])], bound: boundOf(a, b) };
  const own = { medians: { a: a.median, b: b.median }, ...head };
  return differences.length === 0 ? null : compareTrials(own, differences, standing);
}

/**
 * @param {Figure} a
 * @param {Figure} b
 * @returns {Comparison['bound']} of a / b: only one of the two may be a bound, and nothing worse may be said of it
 */
function boundOf(a, b) {
  if (b.rankable) return a.why.every(isBound) ? a.bound : null;
  if (!a.rankable || b.bound === null || !b.why.every(isBound)) return null;
  return b.bound === 'upper' ? 'lower' : 'upper';
}

/**
 * What differences of logarithms say of two: who wins is decided here, and nowhere else.
 * @param {Head} head
 * @param {readonly number[]} differences ln a − ln b of the metric, one for each trial, in their order
 * @param {Standing} [standing]
 * @returns {Comparison}
 */
export function compareTrials(head, differences, standing) {
  const interval = intervalOf(differences);
  return interval ? comparisonIn(head, interval, standing) : refused(head, [{ code: 'no_trial' }]);
}

/**
 * @param {Head} head
 * @param {NonNullable<ReturnType<typeof intervalOf>>} interval of ln(a / b)
 * @param {Standing} [standing]
 * @returns {Comparison}
 */
function comparisonIn(head, interval, { why = [], bound = null, within } = {}) {
  const [estimate, low, high] = [interval.mean, interval.low, interval.high].map(Math.exp);
  const found = outcomeOf(interval, within);
  const isFlipped = !METRICS[head.metric].moreIsBetter;
  const comparison = {
    ...refused(
      head,
      why.map((code) => ({ code })),
    ),
    ...{ ratio: { estimate, low, high }, n: interval.n, bound },
    better: /** @type {'a' | 'b'} */ (isFlipped === (found.better === 'a') ? 'b' : 'a'),
  };
  if (why.length === 0) return { ...comparison, outcome: found.outcome };
  return isDecidedByBound(comparison, why) ? { ...comparison, outcome: 'at least' } : comparison;
}

/**
 * @param {Comparison} comparison
 * @param {readonly ReasonCode[]} why
 * @returns {boolean} whether one leads even where the client held it back
 */
function isDecidedByBound({ bound, n, ratio }, why) {
  if (n < MIN_REPEATS || !ratio || !why.every(isBound)) return false;
  const edge = 1 + EQUIVALENCE;
  return (bound === 'lower' && ratio.low > edge) || (bound === 'upper' && ratio.high < 1 / edge);
}

/** @param {Head} head @param {Why[]} why @returns {Comparison} of which nothing more is known */
export function refused(head, why) {
  return {
    ...{ kind: 'rivals', load: null, paired: false, medians: { a: null, b: null }, a: '', b: '' },
    ...head,
    ...{ ratio: null, n: 0, bound: null, outcome: 'not comparable', better: null, why },
  };
}

/** @param {Interval} ratio @returns {Interval} upside down */
export function inverse({ estimate, low, high }) {
  return { estimate: 1 / estimate, low: 1 / high, high: 1 / low };
}

/**
 * @param {Comparison} comparison
 * @returns {Comparison} with its sides the other way round
 */
export function turned({ a, b, medians, ratio, bound, better, ...rest }) {
  return {
    ...rest,
    ...{ a: b, b: a, medians: { a: medians.b, b: medians.a } },
    ratio: ratio && inverse(ratio),
    bound: bound && (bound === 'lower' ? 'upper' : 'lower'),
    better: better && (better === 'a' ? 'b' : 'a'),
  };
}

/**
 * @param {Comparison[]} comparisons
 * @param {string} a
 * @param {string} b
 * @returns {Comparison | null} of the two in that order; null where they never met
 */
export function between(comparisons, a, b) {
  const found = comparisons.find((c) => (c.a === a && c.b === b) || (c.a === b && c.b === a));
  return !found || found.a === a ? (found ?? null) : turned(found);
}

/** @param {Comparison} comparison @returns {string | null} the system that it names; null where it names none */
export function winnerOf({ a, b, outcome, better }) {
  return outcome === 'winner' || outcome === 'at least' ? (better === 'a' ? a : b) : null;
}

/** @param {Comparison} comparison @returns {Comparison} turned so that its ratio, where it has one, is at least 1 */
export function upright(comparison) {
  return comparison.ratio && comparison.ratio.estimate < 1 ? turned(comparison) : comparison;
}

/**
 * Whether two systems stand to each other in one run as they do in another. The machine of the day is in neither ratio; what
 * conditions do to one is, so they count as alike up to 10 %.
 * @param {Comparison} before
 * @param {Comparison} after of the same two in another run
 * @returns {Comparison} after / before
 */
export function compareRatios(before, after) {
  const own = between([before], after.a, after.b) ?? before;
  const medians = { a: after.ratio?.estimate ?? null, b: own.ratio?.estimate ?? null };
  const head = { ...after, medians };
  const n = Math.min(own.n, after.n);
  if (!own.ratio || !after.ratio) return { ...refused(head, [{ code: 'no_trial' }]), n };
  const [one, two] = [own.ratio, after.ratio].map(({ estimate, low, high }) => ({
    mean: Math.log(estimate),
    half: Math.log(high / low) / 2,
  }));
  const [mean, half] = [two.mean - one.mean, Math.hypot(one.half, two.half)];
  return comparisonIn(head, { mean, low: mean - half, high: mean + half, n }, { within: ACROSS_CONDITIONS });
}

/**
 * Whether a ratio keeps to a limit, by its whole interval: a median alone would pass every other time by chance. What may
 * not be ranked does, or does not, as a bound alone.
 * @param {Pick<Comparison, 'ratio' | 'n' | 'bound' | 'why'>} comparison
 * @param {{atLeast?: number, atMost?: number}} limit one of the two
 * @returns {'met' | 'not met' | 'inconclusive'} `inconclusive` without a ratio, with too few trials, and while the interval holds it
 */
export function meets({ ratio, n, bound, why }, { atLeast, atMost = Number.POSITIVE_INFINITY }) {
  if (!ratio || n < MIN_REPEATS) return 'inconclusive';
  const isMet = ratio.low >= (atLeast ?? 0) && ratio.high <= atMost;
  if (!isMet && ratio.high >= (atLeast ?? 0) && ratio.low <= atMost) return 'inconclusive';
  const needed = isMet === (atLeast !== undefined) ? 'lower' : 'upper';
  if (why.length > 0 && bound !== needed) return 'inconclusive';
  return isMet ? 'met' : 'not met';
}
