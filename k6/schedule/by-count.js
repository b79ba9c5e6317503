/**
 * A step of a fixed count: it ends after a number of operations, not after a time.
 *
 * One k6 scenario holds the whole step: its virtual users go through the warm-up, then through the workload's operations
 * one after another, and wait for each other in between. They share the work of each stage from one cursor.
 * @import { Profile, Step } from '../../lib/types.d.ts'
 * @import { Facts } from './facts.js'
 * @import { StepPlan } from './schedule.js'
 */
import { windowGroups } from './facts.js';

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
 * @returns {number} operations of each kind before the measured ones: a tenth of them unless the step says otherwise
 */
export function warmupOperationsOf(step) {
  return step.warmupOperations ?? Math.ceil((step.operations ?? 0) / 10);
}

/**
 * @param {Step} step
 * @param {Pick<Profile, 'drive'>} profile
 * @param {Facts} facts
 * @returns {StepPlan}
 */
export function plan(step, profile, facts) {
  const operations = windowGroups(facts, step).flatMap((g) => g.operations);
  const name = `${step.id}_counted`.replaceAll('-', '_');
  const all = operations.length * ((step.operations ?? 0) + warmupOperationsOf(step));
  const restSec = step.footprint ? 2 * REST_SEC : 0;
  const limitSec = Math.ceil(60 + all / SLOWEST_PER_SEC);
  return {
    scenarios: {
      [name]: {
        executor: 'per-vu-iterations',
        vus: step.vus,
        iterations: 1,
        maxDuration: `${limitSec}s`,
        gracefulStop: '1s',
        exec: 'fixedCount',
        tags: { step: step.id },
      },
    },
    thresholds: Object.fromEntries(operations.map((op) => [`op_outside_ms{scenario:${name},op:${op}}`, []])),
    windows: [],
    stages: stagesOf(step, operations),
    // Nobody knows before.
    seconds: START_SEC + restSec + all / ASSUMED_PER_SEC[step.drive ?? profile.drive],
    limitSec,
  };
}

/**
 * The measured operations have the keys from 0 on, those of the warm-up the keys after them.
 * @param {Step} step
 * @param {string[]} operations
 * @returns {Stage[]} in order
 */
function stagesOf(step, operations) {
  const count = step.operations ?? 0;
  const warmup = warmupOperationsOf(step);
  const stages = (/** @type {Stage['phase']} */ phase, /** @type {number} */ from, /** @type {number} */ n) =>
    operations.map((operation) => ({ phase, operation, from, count: n }));
  return [...(warmup > 0 ? stages('warmup', count, warmup) : []), ...stages('measure', 0, count)];
}
