import { duration, figureText, MISSING, ratioWithInterval, significant, wholeNumber } from '../format.js';
import {
  attributionText,
  EQUIVALENCE,
  gravestText,
  MIN_REPEATS,
  RULES,
  reasonText,
} from '../judge/method.js';
import { meets } from '../record/compare.js';

/**
 * @import { Row } from '../record/figures.js'
 * @import { Comparison, Plan } from '../types.d.ts'
 */

/** How systems and rows are put into words, in every table alike. */

/** Above this two systems are so far apart at most that a percentage says less than the span itself. */
const WIDE = 1;

/**
 * @param {import('../types.d.ts').Interval} ratio
 * @returns {string} `at most 25 % apart`, `ratio 0.64 – 1.69`
 */
export function apartText({ low, high }) {
  const apart = Math.max(high, 1 / low) - 1;
  return apart <= WIDE
    ? `at most ${Math.round(apart * 100)} % apart`
    : `ratio ${low.toFixed(2)} – ${significant(high)}`;
}

/**
 * @param {{median: number, low: number, high: number, n: number, bound?: 'lower' | 'upper' | null} | null | undefined} figure
 * @param {(value: number) => string} [text] of its unit
 * @returns {string} with its 95 % interval: `≥ 1230 (1180 – 1290)`; one repeat has none
 */
export function figureRange(figure, text = significant) {
  if (!figure || figure.n < 2) return figureText(figure, text);
  return `${figureText(figure, text)} (${text(figure.low)} – ${text(figure.high)})`;
}

/** @param {Comparison | null | undefined} comparison @returns {string} `1.23 (1.10 – 1.31)` */
export function ratioText(comparison) {
  return ratioWithInterval(comparison?.ratio && { ...comparison.ratio, pairs: comparison.n });
}

/**
 * What is said of a comparison that names no winner, everywhere alike.
 * @param {Pick<Comparison, 'outcome' | 'ratio' | 'n' | 'why'>} comparison
 * @returns {string}
 */
export function undecidedText({ outcome, ratio, n, why }) {
  if (outcome === 'tie') return `tie (within ±${EQUIVALENCE * 100} %)`;
  if (outcome === 'inconclusive') return `${outcome} (${ratio ? apartText(ratio) : 'no interval'})`;
  return outcome === 'too few'
    ? `too few repeats (${n} of ${MIN_REPEATS})`
    : `not comparable: ${gravestText(why)}`;
}

/**
 * Whether what was compared keeps to a limit.
 * @param {Parameters<typeof meets>[0]} comparison
 * @param {Parameters<typeof meets>[1]} limit
 * @returns {string} `met`, `not met`, or `inconclusive` with why
 */
export function limitText(comparison, limit) {
  const { n, why } = comparison;
  const verdict = meets(comparison, limit);
  if (verdict !== 'inconclusive') return verdict;
  if (why.length > 0) return `inconclusive: ${gravestText(why)}`;
  return `inconclusive: ${n < MIN_REPEATS ? `${n} of ${MIN_REPEATS} repeats` : 'the interval holds the limit'}`;
}

/**
 * @param {Plan} plan
 * @param {string} id
 * @returns {string} the system's title
 */
export function titleOf(plan, id) {
  return plan.systems.find((s) => s.id === id)?.title ?? id;
}

/**
 * @param {Pick<Plan, 'workloads'>} plan
 * @param {string} id
 * @returns {string} the workload's title
 */
export function workloadTitleOf({ workloads }, id) {
  return workloads.find((w) => w.id === id)?.title ?? id;
}

/**
 * @param {Row} row
 * @returns {string} a figure that may be quoted, a lower bound, or why there is none
 */
export function rateText(row) {
  return row.ratePerSec ? figureText(row.ratePerSec) : `n/a: ${row.failure}`;
}

/**
 * @param {Row} row
 * @returns {string} `VALID`, `VALID (4 of 5 repeats)`, `DEGRADED (may be limited by the load generator)`, `INVALID: …`, `FAILED: …`
 */
export function verdictText(row) {
  if (row.failure !== null) return `${row.status}: ${row.failure.replace(/^failed: /, '')}`;
  const share = row.usable < row.repeats ? ` (${row.usable} of ${row.repeats} repeats)` : '';
  return `${row.rankable ? 'VALID' : `DEGRADED (${reasonText(row.why)})`}${share}`;
}

/** @param {Row} row @returns {string} who set its throughput, with the evidence */
export function setByText({ setBy }) {
  return setBy ? attributionText(setBy.who, setBy.shares) : MISSING;
}

/** @param {readonly string[]} codes of reasons @returns {string} in words, as short as they are */
export function codesText(codes) {
  return codes.map((code) => Reflect.get(RULES, code)?.short ?? code.replaceAll('_', ' ')).join(', ');
}

/** @param {Row} row */
export function errorsText({ usable, counts }) {
  return usable > 0 ? wholeNumber(counts.failed) : MISSING;
}

/**
 * @param {Row} row
 * @returns {number} failed share of all operations, those of INVALID repeats too: errors stand beside every figure
 */
export function errorRatio({ tried: { done, failed } }) {
  return failed / Math.max(1, failed + done);
}

/**
 * @param {Plan} plan
 * @param {{system: string, parity: Row['parity']}} of a row or a kill
 * @returns {string} where an acknowledged write was: of what ran, else as the plan says; '' when neither says
 */
export function policyOf(plan, { system, parity }) {
  return String(parity.durability ?? plan.systems.find((s) => s.id === system)?.durability.policy ?? '');
}

/**
 * @param {import('../types.d.ts').WorkloadFacts} facts
 * @returns {string} what an operation carries several of
 */
export function itemOf({ shown }) {
  return shown?.item ?? 'operation';
}

/**
 * @param {number} n
 * @param {string} noun in the singular, with a regular plural
 * @returns {string} `1 comparison`, `3 comparisons`
 */
export function counted(n, noun) {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/**
 * @param {readonly string[]} names
 * @param {'and' | 'or'} [word] before the last
 * @returns {string} `A`, `A and B`, `A, B and C`
 */
export function listed(names, word = 'and') {
  return names.length > 1
    ? `${names.slice(0, -1).join(', ')} ${word} ${names[names.length - 1]}`
    : names.join('');
}

/**
 * @param {number} n
 * @param {number} of
 * @param {string} noun
 * @returns {string} `on all 6 loads`, `on both loads`, `on 4 of 6 loads`, `on the only load`
 */
export function shareText(n, of, noun) {
  if (n < of) return `on ${n} of ${counted(of, noun)}`;
  if (of === 1) return `on the only ${noun}`;
  return of === 2 ? `on both ${noun}s` : `on all ${counted(of, noun)}`;
}

/** Topics whose names a title takes. */
const TOPICS = 3;

/**
 * @param {Plan} plan
 * @returns {string | null} what its workloads are about; null where that is too much for one line
 */
export function topicOf({ workloads }) {
  const topics = [...new Set(workloads.map((w) => w.shown?.suite ?? w.title.split(',')[0]))];
  if (topics.length <= TOPICS) return topics.join(', ');
  // What all of them have in common, as the workloads of a benchmark have its name.
  const names = new Set(topics.map((topic) => topic.split(' ')[0]));
  return names.size === 1 ? [...names][0] : null;
}

/** Every question, in the order in which who chooses a backend asks them. */
export const QUESTIONS = Object.freeze(
  /** @type {const} */ (['ahead', 'alone', 'kill', 'fault', 'background', 'time']),
);

/**
 * @param {Plan['profile']['steps']} steps
 * @returns {boolean} whether they only ask if a system is the same after a while: others find the load for that
 */
export function asksOfTime(steps) {
  return steps.some((s) => s.soak) && steps.every((s) => s.focus || s.writes);
}

/**
 * @param {Plan} plan
 * @returns {typeof QUESTIONS[number]} what its reader wants to know
 */
export function questionOf({ systems, profile: { steps } }) {
  if (steps.some((s) => s.background)) return 'background';
  if (steps.length > 0 && steps.every((s) => s.kill)) return 'kill';
  if (steps.some((s) => s.fault)) return 'fault';
  if (asksOfTime(steps)) return 'time';
  return systems.filter((s) => s.role === 'system').length === 1 ? 'alone' : 'ahead';
}

/**
 * @param {Plan} plan
 * @param {(seconds: number) => string} text of an estimate
 * @returns {string} `about 11 min`
 */
export function howLongText({ estimatedSec, options }, text = duration) {
  return `about ${text(estimatedSec)}${options.untilDecided ? ' or more' : ''}`;
}
