import { windowGroups } from '../../k6/schedule/facts.js';
import { plan as scheduleOf } from '../../k6/schedule/schedule.js';
import { SLICE, WARM } from '../judge/limits.js';
import { fromPods } from '../record/who-loads.js';
import { manifestOf } from './declares.js';

/**
 * How long a plan will take, and what of that the runner keeps to.
 * @import { CellPlan, PairedTrial, Plan, SideBySidePlan, Trial } from '../types.d.ts'
 * @import { PlanInput } from './plan.js'
 */

/** Seconds that a k6 process and the checks before and after load take, beside the windows. */
const CELL_OVERHEAD_SEC = 0.4;
/** What pods take in addition: two looks and a load, each with its start, its logs and its end. */
const POD_OVERHEAD_SEC = 18;
const BRING_UP_SEC = 0.4;
/** How long a system idles after a cold start before its memory is read. */
export const SETTLE_SEC = 3;
/** A cold start of one system, with its end, and what its storage does in a bare loop. */
const LIFECYCLE_SEC = Object.freeze({ start: 0.3, ceiling: 10 });
/** Cold starts of each system, unless a profile says another number: enough for an interval. */
const COLD_STARTS = 10;
/**
 * A slice of load, in ms: what comes before the first cut is left out (dialling, caches). On one system, where it is
 * prolonged until it fits the load; on two at once; on two in turns, of which each has half of it.
 */
export const SLICES = Object.freeze({
  alone: { leadMs: 40, dropMs: 100, countedMs: 1000, tailMs: 15 },
  pair: { leadMs: 40, dropMs: 150, countedMs: 700, tailMs: 15 },
  inSlots: { leadMs: 40, dropMs: 150, countedMs: 1400, tailMs: 15 },
});
/**
 * A window that fits has so many operations, and each user has had so many in it: a p99 is seldom more than three times
 * the mean, and a window lasts five times its p99. `margin`: what a rate may fall by until the longer window is over.
 */
export const FITS = Object.freeze({ operations: 1000, turns: 15, margin: 1.2, mostMs: 120_000, unseen: 8 });
/** In so many of them each absolute figure is taken: one that is compared with another run's has as many values. */
export const ALONE_STARTS = 5;
/** Seconds of a start beside its slices: bringing up, checks of the state, filling; each system is warmed for two slices at least. */
const START_SEC = Object.freeze({ fixed: 1, system: 0.4 });
/** After the first look most comparisons are decided: of what is loaded then so much is left. */
const STILL_OPEN = 0.15;
/** Up to so many times what is likely the likely time is all that is said. */
const NARROW = 1.25;

/** What of a plan says how long its trials take. @typedef {Pick<Plan, 'profile' | 'workloads' | 'options' | 'sideBySide'>} Timed */

/** Seconds that loads took, by {@link loadKey} and {@link cellKey}. @typedef {Map<string, number>} Seen */

/**
 * What is known of the systems. `seen`: what loads took before; `slow`: a system of which what was not seen is taken to be
 * as long as the method lets it be
 * @typedef {{seen?: Seen, slow?: string}} Known
 */

/**
 * @param {{workload: string, transport?: string}} trial
 * @param {string} load
 * @param {string[]} systems in any order
 */
export function loadKey({ workload, transport }, load, systems) {
  return [workload, transport, load, ...[...systems].sort()].join(' ');
}

/** @param {Pick<CellPlan, 'workload' | 'transport' | 'step' | 'system'>} cell */
export function cellKey(cell) {
  return loadKey(cell, JSON.stringify(cell.step), [cell.system]);
}

/**
 * @param {{trials: Trial[], sideBySide: SideBySidePlan | null, lifecycle: NonNullable<Plan['lifecycle']>}} parts of a plan
 * @param {PlanInput} input
 * @returns {Pick<Plan, 'estimatedSec' | 'estimatedMostSec'>}
 */
export function estimateOf({ trials, sideBySide, lifecycle }, input) {
  const timed = { ...input, ...(sideBySide ? { sideBySide } : {}) };
  const beside = lifecycleSeconds(lifecycle, input);
  const all = (/** @type {string} */ slow) =>
    Math.round(
      trials.reduce((sum, trial) => sum + trialSeconds(trial, timed, { seen: input.seen, slow }), beside),
    );
  const estimatedSec = all('');
  const estimatedMostSec = Math.max(0, ...input.systems.map(({ id }) => all(id)));
  return { estimatedSec, ...(estimatedMostSec > NARROW * estimatedSec ? { estimatedMostSec } : {}) };
}

/**
 * @param {Trial} trial
 * @param {Timed} plan
 * @param {Known & {after?: number}} [known] `after`: how many starts of it are over
 * @returns {number} as often as it may be repeated
 */
export function trialSeconds(trial, plan, { after = 0, ...known } = {}) {
  if (trial.repeat !== null)
    return trial.cells.reduce((sum, cell) => sum + cellSeconds(cell, plan, known), BRING_UP_SEC);
  const starts = Array.from({ length: plan.sideBySide?.maxStarts ?? 0 }, (_, i) => i + 1).slice(after);
  return starts.reduce((sum, start) => sum + startSeconds(trial, start, plan, known), 0);
}

/**
 * @param {Pick<CellPlan, 'step' | 'workload' | 'transport' | 'system'>} cell
 * @param {Timed} plan
 * @param {Known} [known]
 * @returns {number}
 */
export function cellSeconds(cell, { profile, workloads, options }, { seen, slow } = {}) {
  const own = workloads.find((w) => w.id === cell.workload) ?? { operations: { '': {} } };
  const beside = profile.coolDownSec + CELL_OVERHEAD_SEC + (fromPods(options) ? POD_OVERHEAD_SEC : 0);
  const { seconds, limitSec } = scheduleOf(cell.step, profile, own);
  const before = seen?.get(cellKey(cell));
  if (before !== undefined) return before;
  if (slow !== cell.system) return seconds + beside;
  // How long a fixed count takes is up to the system, and so is which windows fit.
  const mostSec = isProlonged(cell, { options, profile })
    ? (FITS.mostMs / 1000) * windowGroups(own, cell.step).length
    : 0;
  return Math.max(limitSec, mostSec) + beside;
}

/**
 * @param {Pick<CellPlan, 'step'> & Partial<Pick<CellPlan, 'role'>>} cell
 * @param {Pick<Plan, 'options' | 'profile'>} plan
 * @returns {boolean} whether its windows may become longer until they fit it: not where their length is what is asked, nor
 *   where the loads of a profile follow on one another, as those at rest again on what background changes have left
 */
export function isProlonged({ role = 'system', step }, { options, profile: { fitWindows = true, steps } }) {
  const asGiven = step.soak || options.script || steps.some((s) => s.background);
  return fitWindows && !asGiven && role === 'system' && step.durationSec !== undefined;
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
  const starting = started.length * coldStartsOf(profile) * LIFECYCLE_SEC.start;
  return starting + idling + ceilings.length * repeats * LIFECYCLE_SEC.ceiling;
}

/** @param {Pick<Plan['profile'], 'coldStarts'>} profile */
export function coldStartsOf({ coldStarts }) {
  return coldStarts ?? COLD_STARTS;
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
 * @param {Pick<Timed, 'profile'>} plan
 * @param {Known} known
 * @returns {number} seconds, where most comparisons are decided by the first look
 */
export function startSeconds(trial, start, { profile }, known) {
  const { systems, pairs, cells } = trial;
  const total = (/** @type {string[][]} */ loads) =>
    loads.reduce((sum, [cell, ...own]) => sum + loadSeconds(trial, cell, own, known), 0);
  const ofPairs = total(pairs.flatMap((p) => p.cells.map((id) => [id, p.a, p.b])));
  const alone = trial.alone === false ? [] : cells.flatMap((c) => systems.map((system) => [c.id, system]));
  const loads = start > ALONE_STARTS ? STILL_OPEN * ofPairs : ofPairs + total(alone);
  // One of them stands twice.
  return loads + START_SEC.fixed + (systems.length + 1) * (START_SEC.system + 2 * warmSliceSec(profile));
}

/** @param {Pick<Plan['profile'], 'sideBySide'>} profile @returns {number} seconds of a slice of warming up */
export function warmSliceSec({ sideBySide }) {
  return sideBySide?.warmupSec ?? WARM.sliceSec;
}

/**
 * @param {PairedTrial} trial
 * @param {string} cell id
 * @param {string[]} systems one alone, or two
 * @param {Known} known
 * @returns {number} seconds of a load in a start
 */
function loadSeconds(trial, cell, systems, { seen, slow = '' }) {
  const isAlone = systems.length === 1;
  const inTurns = trial.cells.find((c) => c.id === cell)?.slotMs;
  const usual = secondsOfSlice(isAlone ? 'alone' : inTurns ? 'inSlots' : 'pair');
  const longest = isAlone ? FITS.mostMs / 1000 : usual * SLICE.mostPieces;
  return seen?.get(loadKey(trial, cell, systems)) ?? (systems.includes(slow) ? longest : usual);
}

/** @param {keyof typeof SLICES} kind */
function secondsOfSlice(kind) {
  const { leadMs, dropMs, countedMs, tailMs } = SLICES[kind];
  return (leadMs + dropMs + countedMs + tailMs) / 1000;
}
