/**
 * Steps that end after a number of operations, not after a time. Pure: k6 and the tests of Node read it alike.
 *
 * One k6 scenario holds the whole step: its virtual users go through the warm-up, then through the workload's operations
 * one after another, and wait for each other in between. They share the work of each stage from one cursor.
 * @import { Profile, Step } from '../../lib/types.d.ts'
 */

/** What a slow system does in a second on one connection; only the plan's estimate and the time limit follow from it. */
const ASSUMED_PER_SEC = { burst: 30_000, iteration: 5_000 };
const SLOWEST_PER_SEC = 20;
const START_SEC = 1;

/** Without one success for this long a stage is given up. */
export const STALLED_SEC = 30;

/** How long the load rests before and after compaction, so that the runner can read the size of the data folder. */
export const REST_SEC = 1;

/**
 * @typedef {object} Stage
 * @property {'warmup' | 'measure'} phase
 * @property {string} operation
 * @property {number} from its first key
 * @property {number} count operations of all users together
 */

/**
 * @param {Step} step
 * @returns {boolean}
 */
export function isCountBound(step) {
  return step.operations !== undefined;
}

/** What a workload that has steps by count only performs where neither step nor dataset says how much. */
const DEFAULT_OPERATIONS = 20_000;

/**
 * A workload that deletes what it wrote cannot last a given time: its steps become steps by count.
 * @param {Step} step
 * @param {{countBound?: string}} facts of the workload
 * @param {Record<string, number>} dataset
 * @param {number | null} [operations] what the user asks for, instead of every other number
 * @returns {Step}
 */
export function countedInstead(step, facts, dataset, operations = null) {
  if (!isCountBound(step) && facts.countBound === undefined) return step;
  const { durationSec: _, warmupSec: __, ...own } = step;
  const usual = step.operations ?? dataset[facts.countBound ?? ''] ?? DEFAULT_OPERATIONS;
  return { ...own, operations: operations ?? usual };
}

/**
 * @param {Step} step
 * @returns {number} operations of each kind before the measured ones: a tenth of them unless the step says otherwise
 */
export function warmupOperationsOf(step) {
  return step.warmupOperations ?? Math.ceil((step.operations ?? 0) / 10);
}

/**
 * The measured operations have the keys from 0 on, those of the warm-up the keys after them.
 * @param {Step} step
 * @param {string[]} operations
 * @returns {Stage[]} in order
 */
export function stagesOf(step, operations) {
  const count = step.operations ?? 0;
  const warmup = warmupOperationsOf(step);
  const stages = (/** @type {Stage['phase']} */ phase, /** @type {number} */ from, /** @type {number} */ n) =>
    operations.map((operation) => ({ phase, operation, from, count: n }));
  return [...(warmup > 0 ? stages('warmup', count, warmup) : []), ...stages('measure', 0, count)];
}

/**
 * @param {Profile} profile
 * @param {Step} step
 * @param {number} operations how many kinds
 * @returns {number} roughly how long the step takes, seconds: nobody knows before
 */
export function countedSeconds(profile, step, operations) {
  const all = operations * ((step.operations ?? 0) + warmupOperationsOf(step));
  const rest = step.footprint ? 2 * REST_SEC : 0;
  return START_SEC + rest + all / ASSUMED_PER_SEC[step.drive ?? profile.drive];
}

/**
 * @param {Step} step
 * @param {number} operations how many kinds
 * @returns {number} seconds after which the step is stuck, whatever the system
 */
export function countedLimitSec(step, operations) {
  const all = operations * ((step.operations ?? 0) + warmupOperationsOf(step));
  return Math.ceil(60 + all / SLOWEST_PER_SEC);
}

/** @param {Step} step */
export function scenarioName(step) {
  return `${step.id}_counted`.replaceAll('-', '_');
}

/**
 * @param {Step} step
 * @param {number} operations how many kinds
 * @returns {Record<string, object>} k6's `options.scenarios`
 */
export function countedScenario(step, operations) {
  return {
    [scenarioName(step)]: {
      executor: 'per-vu-iterations',
      vus: step.vus,
      iterations: 1,
      maxDuration: `${countedLimitSec(step, operations)}s`,
      gracefulStop: '1s',
      exec: 'counted',
      tags: { step: step.id },
    },
  };
}
