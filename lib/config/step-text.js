import { CLIENT_PATTERNS } from '../../k6/client-pattern.js';
import { datasetOf, usersOf } from '../../k6/schedule/facts.js';
import { significant, wholeNumber } from '../format.js';
import { FAULTS } from './faults.js';
import { cellsOf, pairedCells, stepOf } from './trials.js';

/** @import { Plan } from '../types.d.ts' */

/**
 * @param {Plan} plan
 * @param {string} id
 */
function stepIn(plan, id) {
  const planned = [...cellsOf(plan).map((c) => c.step), ...pairedCells(plan).map(stepOf)];
  return [...plan.profile.steps, ...planned].find((s) => s.id === id);
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
 * @param {Plan} plan
 * @param {import('../types.d.ts').Step} step
 * @param {import('../types.d.ts').WorkloadFacts['drive']} [only] way in which its workload can be driven
 * @returns {boolean} whether it is closed, driven as the profile says, and with nothing beside it
 */
export function isUsual({ profile }, step, only) {
  const isDrivenSo = [undefined, profile.drive, only].some((drive) => drive === step.drive);
  return isPlain({ ...step, depth: 1 }) && !step.clientPattern && isDrivenSo;
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
 * What a step asks of a system, in fields. `users`: virtual ones; `notes`: what else tells it from others.
 * @typedef {{users: number, depth: number, notes: string[]}} Shape
 */

/**
 * @param {Plan} plan
 * @param {string} id
 * @returns {Shape} with what tells the step from others of the same shape
 */
export function shapeOfStep(plan, id) {
  const step = stepIn(plan, id);
  if (!step) return { users: 0, depth: 1, notes: [id] };
  const shape = shapeOf(plan, step);
  const text = shapeText(shape);
  const alike = plan.profile.steps.filter((s) => shapeText(shapeOf(plan, s)) === text);
  if (alike.length < 2) return shape;
  // In turns: at rest, busy, busy again, at rest again.
  const isTurn = alike.length === 2 && plan.profile.steps.some(isBusy);
  const [last, ...others] = [...shape.notes].reverse();
  if (isTurn) return id === alike[0].id ? shape : { ...shape, notes: [...others.reverse(), `${last} again`] };
  // The same once more: the last time it is what a ladder has.
  const same = alike.filter((s) => JSON.stringify({ ...s, id }) === JSON.stringify({ ...step, id }));
  if (same.length < alike.length) return { ...shape, notes: [...shape.notes, id] };
  const time = same.findIndex((s) => s.id === id) + 1;
  return time === same.length ? shape : { ...shape, notes: [...shape.notes, `pass ${time}`] };
}

/**
 * @param {Plan} plan
 * @param {import('../types.d.ts').WorkloadFacts} facts
 * @param {string} operation
 * @param {string} id of a step
 * @returns {Shape} the step; of an operation with users of its own those, beside the step's
 */
export function shapeOfLoad(plan, facts, operation, id) {
  const [shape, step] = [shapeOfStep(plan, id), stepIn(plan, id)];
  const users = step ? usersOf(facts, plan.profile, step, operation) : shape.users;
  if (users === step?.vus || !step) return shape;
  return { ...shape, users, notes: [...shape.notes, `beside ${shape.users} users`] };
}

/**
 * @param {Plan} plan
 * @param {string} id
 * @returns {string} `100 users`, `100 users × pipeline 16`, `4 users, at rest again`
 */
export function stepText(plan, id) {
  return shapeText(shapeOfStep(plan, id));
}

/** @param {Shape} shape @returns {string} */
export function shapeText(shape) {
  return [usersText(shape), ...shape.notes].filter(Boolean).join(', ');
}

/** @param {Shape} shape @returns {string} `100 users × pipeline 16` */
export function usersText({ users, depth }) {
  if (users === 0) return '';
  return `${users} user${users === 1 ? '' : 's'}${depth > 1 ? ` × pipeline ${depth}` : ''}`;
}

/**
 * The step, with workload and transport where a run has several.
 * @param {Plan} plan
 * @param {{workload: string, transport: string, step: import('../types.d.ts').Step}} of a row or a record
 */
export function placeText(plan, { workload, transport, step }) {
  const others = plan.workloads.length > 1 ? [workload] : [];
  const transports = new Set(cellsOf(plan).flatMap((c) => (c.workload === workload ? [c.transport] : [])));
  if (transports.size > 1) others.push(transport);
  return [...others, stepText(plan, step.id)].join(', ');
}

/**
 * @param {Plan} plan
 * @param {import('../types.d.ts').Step} step
 * @returns {Shape} what a step is like, which others may be too
 */
export function shapeOf(plan, step) {
  if (plan.options?.script && isOpenStep(step))
    return { users: 0, depth: 1, notes: [`${wholeNumber(step.ratePerSec ?? 0)} iterations/s`] };
  const most = step.mostPerSec ? `, at most ${wholeNumber(step.mostPerSec)} op/s` : '';
  const own = Object.entries(step.dataset ?? {}).map(([name, value]) => datumText(name, value));
  return {
    users: step.vus,
    depth: step.depth ?? 1,
    notes: [
      ...(step.case ? [step.case] : own),
      ...(isUsualCount(plan, step) ? [] : [`${significant(step.operations ?? 0)} operations`]),
      ...(step.ratePerSec ? [`${wholeNumber(step.ratePerSec)} op/s`] : []),
      ...(step.fractionOfKnee ? [`${Math.round(step.fractionOfKnee * 100)} % of saturation${most}`] : []),
      ...(step.drive && step.drive !== plan.profile.drive ? [`${step.drive} drive`] : []),
      ...(step.clientPattern ? [CLIENT_PATTERNS[step.clientPattern].text] : []),
      ...(step.soak ? ['soak'] : []),
      ...(step.fault ? [FAULTS[step.fault.kind].words.name] : []),
      ...(step.kill ? [step.powerLoss ? 'power cut' : FAULTS.kill.words.name] : []),
      ...(isBusy(step) ? ['busy'] : isAtRest(plan, step) ? ['at rest'] : []),
    ],
  };
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

/**
 * @param {Plan} plan
 * @param {import('../types.d.ts').Absent} absent
 * @returns {string} what is left out: the id of a system, or a workload and its steps
 */
export function absentSubject(plan, { system, workload, steps = [] }) {
  return system ?? `${workload}: ${steps.map((id) => stepText(plan, id)).join('; ')}`;
}
