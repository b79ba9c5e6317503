import { figureText, significant } from '../format.js';

/**
 * @import { Row } from '../figures/rows.js'
 * @import { Plan } from '../types.d.ts'
 */

/** How systems and rows are put into words, in every table alike. */

/**
 * @param {{median: number, low: number, high: number, n: number, bound?: 'lower' | 'upper' | null} | null | undefined} figure
 * @param {(value: number) => string} [text] of its unit
 * @returns {string} with its 95 % interval: `≥ 1230 (1180 – 1290)`; one repeat has none
 */
export function figureRange(figure, text = significant) {
  if (!figure || figure.n < 2) return figureText(figure, text);
  return `${figureText(figure, text)} (${text(figure.low)} – ${text(figure.high)})`;
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
  return new Intl.ListFormat('en-GB', { type: word === 'and' ? 'conjunction' : 'disjunction' }).format(names);
}

/** @param {import('../types.d.ts').WorkloadFacts} facts @returns {string} what a workload is about: its suite, or itself */
export function subjectOf({ shown, title }) {
  return shown?.suite ?? title;
}

/** Topics whose names a title takes. */
const TOPICS = 3;

/**
 * @param {Plan} plan
 * @returns {string | null} what its workloads are about; null where that is too much for one line
 */
export function topicOf({ workloads }) {
  const topics = [...new Set(workloads.map(subjectOf))];
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
