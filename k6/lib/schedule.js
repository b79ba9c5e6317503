/**
 * Steps to k6 scenarios. Pure: k6 and the tests of Node read it alike.
 *
 * A step is a row of windows, one after another: all operations warm up together, then each is measured alone.
 * Windows do not touch: the gap lets the last answers of one window come in before the next begins.
 * Operations that belong together share one window: each with users of its own; or (`mix`) all by the same users, who
 * take them in a seeded row by their shares; or (`turns`) by users who take them one after another.
 * @import { Profile, Step, WorkloadFacts } from '../../lib/types.d.ts'
 */
import { countedLimitSec, countedSeconds, isCountBound } from './count-bound.js';

/** Seconds between two windows; also how long k6 waits for the last iterations of a window. */
export const GAP_SEC = 0.3;

/** Seconds that a scenario runs before its window opens: starting its virtual users takes a while. */
export const LEAD_SEC = 0.1;

/** k6 takes no shorter scenario. */
export const MIN_WINDOW_SEC = 1;

/**
 * @typedef {object} ScenarioPlan
 * @property {string} name
 * @property {'warmup' | 'measure'} phase
 * @property {string[]} operations a measured window has one, unless its users share several
 * @property {Record<string, number>} [mix] share of each operation, in place of an order
 * @property {string[]} turns the order in which a user performs them, again and again
 * @property {Step} step
 * @property {number} users virtual users
 * @property {'burst' | 'iteration' | 'listen'} drive `listen`: an operation that is received, not sent
 * @property {number} index position, from 0: the seed of its key choice
 * @property {number} startSec from the start of the test
 * @property {number} leadSec how long its load runs before the window opens
 * @property {number} durationSec of the window
 */

/**
 * Which operations a step measures, window by window. Parts with users of their own pace each other: they need the
 * closed model and a time to last.
 * @param {Pick<WorkloadFacts, 'operations' | 'windows' | 'main' | 'mix' | 'turns' | 'writes'>} facts
 * @param {Step} step
 * @returns {string[][]} operations of one window each
 */
export function windowGroups({ operations, windows, main, mix, turns, writes }, step) {
  if (mix) return [Object.keys(mix)];
  if (step.kill) return [[writes ?? main ?? operations[0]]];
  if (step.focus) return [[main ?? operations[0]]];
  if (turns) return [operations];
  const groups = windows ?? operations.map((op) => [op]);
  const mixes = step.model === 'closed' && !isCountBound(step);
  return mixes ? groups : groups.filter((g) => g.length === 1);
}

/**
 * @param {Pick<WorkloadFacts, 'users' | 'dataset'>} facts
 * @param {Profile} profile
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

/**
 * @param {Profile} profile
 * @param {Step} step
 * @param {Pick<WorkloadFacts, 'operations' | 'windows' | 'main' | 'mix' | 'turns' | 'writes' | 'users' | 'dataset' |
 *   'received' |
 *   'leadSec' | 'minWindowSec'>} facts
 * @param {number} [fromSec] when the first window begins
 * @param {number} [fromIndex]
 * @returns {ScenarioPlan[]}
 */
export function windowsOf(profile, step, facts, fromSec = 0, fromIndex = 0) {
  const warmupSec = step.warmupSec ?? profile.warmupSec;
  const groups = windowGroups(facts, step);
  const leadSec = facts.leadSec ?? LEAD_SEC;
  const received = (/** @type {string} */ op) => facts.received?.includes(op) ?? false;
  /** @type {ScenarioPlan[]} */
  const windows = [];
  let at = fromSec;
  const add = (
    /** @type {'warmup' | 'measure'} */ phase,
    /** @type {string[][]} */ parts,
    /** @type {number} */ durationSec,
    /** @type {number} */ leadSec,
  ) => {
    for (const own of parts) {
      windows.push({
        name: [step.id, phase, ...(phase === 'warmup' ? [] : facts.turns && own.length > 1 ? ['turns'] : own)]
          .join('_')
          .replaceAll('-', '_'),
        phase,
        operations: own,
        ...(facts.mix ? { mix: facts.mix } : {}),
        turns: own.length > 1 ? (facts.turns ?? own) : own,
        step,
        users: phase === 'measure' ? usersOf(facts, profile, step, own[0]) : step.vus,
        drive: received(own[0]) ? 'listen' : (step.drive ?? profile.drive),
        index: fromIndex + windows.length,
        startSec: at,
        leadSec,
        durationSec,
      });
    }
    at += leadSec + durationSec + GAP_SEC;
  };
  if (warmupSec > 0) add('warmup', [groups.flat().filter((op) => !received(op))], warmupSec, LEAD_SEC);
  for (const group of groups)
    add(
      'measure',
      facts.mix || facts.turns ? [group] : group.map((op) => [op]),
      windowSeconds(facts, step),
      leadSec,
    );
  return windows;
}

/**
 * @param {Pick<WorkloadFacts, 'operations' | 'windows' | 'main' | 'mix' | 'turns' | 'writes' | 'minWindowSec'>} facts
 * @param {Step} step
 * @returns {number} of each measured window: its share of the step, or what the workload needs at least
 */
function windowSeconds(facts, step) {
  return Math.max((step.durationSec ?? 0) / windowGroups(facts, step).length, facts.minWindowSec ?? 0);
}

/**
 * A workload may measure each step in several cases, each with a dataset of its own: a step of its own for each.
 * @param {Pick<WorkloadFacts, 'cases' | 'casesOf' | 'drivesOf'>} facts
 * @param {Step[]} steps
 * @param {string} transport
 * @returns {Step[]}
 */
export function stepsByCase({ cases, casesOf, drivesOf }, steps, transport) {
  if (!cases) return steps;
  const drive = drivesOf?.[transport];
  const own = steps.filter((s) => !drive || (s.drive ?? drive) === drive);
  const names = casesOf?.[transport] ?? Object.keys(cases);
  return names.flatMap((name) =>
    own.map((step) => ({
      ...step,
      id: `${step.id}-${name}`,
      case: name,
      dataset: { ...step.dataset, ...cases[name] },
    })),
  );
}

/**
 * @param {Profile} profile
 * @param {Step} step
 * @param {Pick<WorkloadFacts, 'operations' | 'windows' | 'main' | 'mix' | 'turns' | 'writes' | 'leadSec' |
 *   'minWindowSec'>} facts
 * @returns {number} seconds from the first window's start to the end of the last one's gap; an estimate for a step that
 *   is bound by a count
 */
export function stepSeconds(profile, step, facts) {
  if (isCountBound(step)) return countedSeconds(profile, step, windowGroups(facts, step).length);
  const warmupSec = step.warmupSec ?? profile.warmupSec;
  const warmUp = warmupSec > 0 ? LEAD_SEC + warmupSec + GAP_SEC : 0;
  const each = (facts.leadSec ?? LEAD_SEC) + windowSeconds(facts, step) + GAP_SEC;
  return warmUp + windowGroups(facts, step).length * each;
}

/**
 * @param {Profile} profile
 * @param {Step} step
 * @param {Parameters<typeof stepSeconds>[2]} facts
 * @returns {number} seconds after which its load should be over, whatever the system
 */
export function stepLimitSec(profile, step, facts) {
  return isCountBound(step)
    ? countedLimitSec(step, windowGroups(facts, step).length)
    : stepSeconds(profile, step, facts);
}

/**
 * @param {ScenarioPlan[]} windows
 * @returns {Record<string, object>} k6's `options.scenarios`
 */
export function scenariosOf(windows) {
  return Object.fromEntries(
    windows.map((w) => [
      w.name,
      {
        executor: 'constant-vus',
        vus: w.users,
        duration: `${Math.round((w.leadSec + w.durationSec) * 1000)}ms`,
        startTime: `${Math.round(w.startSec * 1000)}ms`,
        gracefulStop: `${Math.round(GAP_SEC * 900)}ms`,
        exec: w.drive,
        tags: { step: w.step.id },
      },
    ]),
  );
}

/**
 * The drive of a step: operations that need what earlier ones answered cannot be written down beforehand.
 * @param {Step} step
 * @param {Pick<WorkloadFacts, 'drive'>} facts
 * @returns {Step}
 */
export function drivenBy(step, { drive }) {
  return drive ? { ...step, drive } : step;
}
