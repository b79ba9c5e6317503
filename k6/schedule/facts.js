/**
 * What a workload's facts mean for one step. Pure: k6, the runner and the tests of Node read it alike.
 * @import { Profile, Step, WorkloadFacts } from '../../lib/types.d.ts'
 */

/** @typedef {Pick<WorkloadFacts, 'operations'> & Partial<WorkloadFacts>} Facts */

/**
 * A step of a fixed count ends after a number of operations, the others after a time.
 * @param {Pick<Step, 'operations'>} step
 * @returns {boolean}
 */
export function isFixedCount(step) {
  return step.operations !== undefined;
}

/**
 * Which operations a step measures, window by window. Parts with users of their own pace each other: they need the
 * closed model and a time to last.
 * @param {Facts} facts
 * @param {Step} step
 * @returns {string[][]} operations of one window each
 */
export function windowGroups({ operations, windows, main, mix, turns, writes }, step) {
  if (mix) return [Object.keys(mix)];
  if (step.kill) return [[writes ?? main ?? operations[0]]];
  if (step.focus) return [[main ?? operations[0]]];
  if (turns) return [operations];
  const groups = windows ?? operations.map((op) => [op]);
  const together = step.model === 'closed' && !isFixedCount(step);
  return together ? groups : groups.filter((g) => g.length === 1);
}

/**
 * @param {Pick<WorkloadFacts, 'users' | 'dataset'>} facts
 * @param {Pick<Profile, 'dataset'>} profile
 * @param {Step} step
 * @param {string} op
 * @returns {number} virtual users of an operation: those of the step, unless the workload gives it some of its own
 */
export function usersOf(facts, profile, step, op) {
  const name = facts.users?.[op];
  return name === undefined ? step.vus : datasetOf(facts, profile)[name];
}

/**
 * @param {Pick<WorkloadFacts, 'dataset'>} facts
 * @param {Pick<Profile, 'dataset'>} profile
 * @param {Pick<Step, 'dataset'>} [step]
 * @returns {Record<string, number>} the step's dataset on top of the profile's, on top of what the workload takes
 *   without them
 */
export function datasetOf(facts, profile, step) {
  return { ...facts.dataset, ...profile.dataset, ...step?.dataset };
}
