import { CLIENT_PATTERNS } from '../../k6/client-pattern.js';
import { datasetOf } from '../../k6/schedule/facts.js';
import { significant, wholeNumber } from '../format.js';

/** @import { Plan } from '../types.d.ts' */

/**
 * @param {Plan} plan
 * @param {string} id
 */
function stepOf(plan, id) {
  const planned = () => plan.blocks.flatMap((b) => b.cells).find((c) => c.step.id === id)?.step;
  return plan.profile.steps.find((s) => s.id === id) ?? planned();
}

/**
 * @param {import('../types.d.ts').Step} step
 * @returns {boolean} whether it has a dataset that its profile gives to it alone: such a step is no step of a ladder
 */
export function ownsData(step) {
  return step.dataset !== undefined && step.case === undefined;
}

/**
 * @param {import('../types.d.ts').Step} step
 * @returns {boolean} whether something else goes on beside its load
 */
export function isBusy(step) {
  return step.background !== undefined;
}

/**
 * @param {import('../types.d.ts').Step} step
 * @returns {boolean} whether its users do nothing but the workload, one operation at a time
 */
export function isPlain(step) {
  return step.model === 'closed' && (step.depth ?? 1) === 1 && !step.soak && !isBusy(step);
}

/**
 * @param {{step: import('../types.d.ts').Step}} of
 * @returns {boolean} whether its step is one of the ladder of users
 */
export function isUserStep({ step }) {
  return isPlain(step) && !ownsData(step);
}

/**
 * @param {Plan} plan
 * @param {import('../types.d.ts').WorkloadFacts} facts
 * @param {import('../types.d.ts').Step} step
 * @returns {boolean} whether its users rest between their turns: then pauses set the throughput, whoever answers
 */
export function isPaused(plan, facts, step) {
  return (datasetOf(facts, plan.profile, step).thinkMs ?? 0) > 0;
}

/**
 * @template {{step: import('../types.d.ts').Step}} T
 * @param {T[]} items
 * @returns {T[]} those with the fewest users
 */
export function ofFewestUsers(items) {
  const steps = items.filter(isUserStep);
  const fewest = Math.min(...steps.map((w) => w.step.vus));
  return steps.filter((w) => w.step.vus === fewest);
}

/**
 * @param {Plan} plan
 * @param {string} id
 * @returns {string} `100 connections`, `100 connections × depth 16`, `4 connections, at rest again`
 */
export function stepText(plan, id) {
  const step = stepOf(plan, id);
  if (!step) return id;
  const text = shapeText(plan, step);
  const alike = plan.profile.steps.filter((s) => shapeText(plan, s) === text);
  if (alike.length < 2) return text;
  // In turns: at rest, busy, busy again, at rest again.
  if (alike.length === 2 && plan.profile.steps.some(isBusy))
    return id === alike[0].id ? text : `${text} again`;
  return `${text} (${id})`;
}

/**
 * The step, with workload and transport where a run has several.
 * @param {Plan} plan
 * @param {{workload: string, transport: string, step: import('../types.d.ts').Step}} of a row or a record
 */
export function placeText(plan, { workload, transport, step }) {
  const others = plan.workloads.length > 1 ? [workload] : [];
  const transports = new Set(plan.blocks.filter((b) => b.workload === workload).map((b) => b.transport));
  if (transports.size > 1) others.push(transport);
  return [...others, stepText(plan, step.id)].join(', ');
}

/**
 * @param {Plan} plan
 * @param {import('../types.d.ts').Step} step
 * @returns {string} what a step is like, which others may be too
 */
export function shapeText(plan, step) {
  if (plan.options?.script && isOpenStep(step)) return `${wholeNumber(step.ratePerSec ?? 0)} iterations/s`;
  const users = plan.options?.script ? 'user' : 'connection';
  const connections = step.vus === 1 ? `1 ${users}` : `${step.vus} ${users}s`;
  const depth = (step.depth ?? 1) > 1 ? ` × depth ${step.depth}` : '';
  const drive = step.drive && step.drive !== plan.profile.drive ? `, ${step.drive} drive` : '';
  const most = step.mostPerSec ? `, at most ${step.mostPerSec} op/s` : '';
  const share = step.fractionOfKnee ? `, ${Math.round(step.fractionOfKnee * 100)} % of the knee${most}` : '';
  const own = Object.entries(step.dataset ?? {}).map(([name, value]) => `, ${datumText(name, value)}`);
  const which = step.case ? `, ${step.case}` : own.join('');
  const pattern = step.clientPattern ? `, ${CLIENT_PATTERNS[step.clientPattern].text}` : '';
  const count = isUsualCount(plan, step) ? '' : `, ${significant(step.operations ?? 0)} operations`;
  const soak = step.soak ? ', soak' : '';
  const busy = isBusy(step) ? ', busy' : isAtRest(plan, step) ? ', at rest' : '';
  return `${connections}${which}${depth}${count}${share}${drive}${pattern}${soak}${busy}`;
}

/**
 * @param {Plan} plan
 * @param {import('../types.d.ts').Step} step
 * @returns {boolean} whether the same load is measured busy, too
 */
function isAtRest({ profile }, step) {
  return isPlain(step) && profile.steps.some((s) => isBusy(s) && s.vus === step.vus);
}

/**
 * @param {string} name of a part of a dataset
 * @param {number} value
 * @returns {string}
 */
function datumText(name, value) {
  if (name === 'thinkMs') return value === 0 ? 'without a pause' : `pauses of ${significant(value)} ms`;
  return `${name} ${value}`;
}

/**
 * @param {Plan} plan
 * @param {import('../types.d.ts').Step} step
 * @returns {boolean} whether all steps of the profile that are bound by a count have the same one, or this has none
 */
function isUsualCount(plan, step) {
  return step.operations === undefined || plan.profile.steps.every((s) => s.operations === step.operations);
}

/**
 * @param {import('../types.d.ts').Step} step
 * @returns {boolean} whether operations are due at a rate, whatever is answered
 */
export function isOpenStep(step) {
  return step.model === 'open';
}
