import { plan as scheduleOf } from '../../k6/schedule/schedule.js';
import { fromPods } from '../record/who-loads.js';
import { manifestOf } from './declares.js';

/**
 * How long a plan will take, and what of that the runner keeps to.
 * @import { PairedTrial, Plan, SideBySidePlan, Trial } from '../types.d.ts'
 * @import { PlanInput } from './plan.js'
 */

/** Seconds that a k6 process and the checks before and after load take, beside the windows. */
const CELL_OVERHEAD_SEC = 0.5;
/** What pods take in addition: two looks and a load, each with its start, its logs and its end. */
const POD_OVERHEAD_SEC = 18;
const BRING_UP_SEC = 0.7;
/** How long a system idles after a cold start before its memory is read. */
export const SETTLE_SEC = 3;
/** Ten cold starts of one system, and what its storage does in a bare loop. */
const LIFECYCLE_SEC = Object.freeze({ starts: 1.5, ceiling: 10 });
/**
 * A slice of load, in ms: what comes before the first cut is left out (dialling, caches). On one system, where it is
 * prolonged until it fits the load; on two at once; on two in turns, of which each has half of it.
 */
export const SLICES = Object.freeze({
  alone: { leadMs: 40, dropMs: 100, countedMs: 1000, tailMs: 15 },
  pair: { leadMs: 40, dropMs: 150, countedMs: 700, tailMs: 15 },
  inSlots: { leadMs: 40, dropMs: 150, countedMs: 1400, tailMs: 15 },
});
/** In so many of them each absolute figure is taken: one that is compared with another run's has as many values. */
export const ALONE_STARTS = 5;
/** Seconds of a start beside its slices: bringing up, checks of the state, filling, warming each system. */
const START_SEC = Object.freeze({ fixed: 1, system: 2.7 });
/** After the first look most comparisons are decided: of what is loaded then so much is left. */
const STILL_OPEN = 0.15;

/** What of a plan says how long its trials take. @typedef {Pick<Plan, 'profile' | 'workloads' | 'options' | 'sideBySide'>} Timed */

/**
 * @param {{trials: Trial[], sideBySide: SideBySidePlan | null, lifecycle: NonNullable<Plan['lifecycle']>}} parts of a plan
 * @param {PlanInput} input
 * @returns {number}
 */
export function estimatedSeconds({ trials, sideBySide, lifecycle }, input) {
  const timed = { ...input, ...(sideBySide ? { sideBySide } : {}) };
  const loads = trials.reduce((sum, trial) => sum + trialSeconds(trial, timed), 0);
  return Math.round(loads + lifecycleSeconds(lifecycle, input));
}

/**
 * @param {Trial} trial
 * @param {Timed} plan
 * @returns {number} as often as it may be repeated
 */
export function trialSeconds(trial, plan) {
  if (trial.repeat !== null)
    return trial.cells.reduce((sum, cell) => sum + cellSeconds(cell, plan), BRING_UP_SEC);
  const starts = Array.from({ length: plan.sideBySide?.maxStarts ?? 0 }, (_, i) => i + 1);
  return starts.reduce((sum, start) => sum + startSeconds(trial, start), 0);
}

/**
 * @param {Pick<import('../types.d.ts').CellPlan, 'step' | 'workload'>} cell
 * @param {Timed} plan
 * @returns {number}
 */
export function cellSeconds({ step, workload }, { profile, workloads, options }) {
  const own = workloads.find((w) => w.id === workload) ?? { operations: { '': {} } };
  const beside = profile.coolDownSec + CELL_OVERHEAD_SEC + (fromPods(options) ? POD_OVERHEAD_SEC : 0);
  return scheduleOf(step, profile, own).seconds + beside;
}

/**
 * @param {NonNullable<Plan['lifecycle']>} lifecycle
 * @param {PlanInput} input
 */
function lifecycleSeconds(lifecycle, { profile, repeats, stacks }) {
  const started = lifecycle.filter((l) => l.unavailable === null);
  const own = profile.ceilings === false ? [] : started;
  const ceilings = own.filter((l) => manifestOf(stacks, l.system)?.lifecycle?.ceiling);
  const idling = started.length > 0 ? settledStarts(repeats) * SETTLE_SEC : 0;
  return started.length * LIFECYCLE_SEC.starts + idling + ceilings.length * repeats * LIFECYCLE_SEC.ceiling;
}

/**
 * @param {number} repeats
 * @returns {number} how often all of them idle after a start
 */
export function settledStarts(repeats) {
  return Math.min(3, repeats);
}

/**
 * @param {PairedTrial} trial
 * @param {number} start from 1
 * @returns {number} seconds, where most comparisons are decided by the first look
 */
export function startSeconds({ systems, pairs, cells, alone: wanted }, start) {
  const secondsOf = (/** @type {string} */ id) =>
    secondsOfSlice(cells.find((c) => c.id === id)?.slotMs ? 'inSlots' : 'pair');
  const alone = wanted === false ? 0 : systems.length * cells.length * secondsOfSlice('alone');
  const slices = pairs.flatMap((p) => p.cells).reduce((sec, id) => sec + secondsOf(id), 0);
  // One of them stands twice.
  const ready = START_SEC.fixed + (systems.length + 1) * START_SEC.system;
  return ready + (start > ALONE_STARTS ? STILL_OPEN * slices : alone + slices);
}

/** @param {keyof typeof SLICES} kind */
function secondsOfSlice(kind) {
  const { leadMs, dropMs, countedMs, tailMs } = SLICES[kind];
  return (leadMs + dropMs + countedMs + tailMs) / 1000;
}
