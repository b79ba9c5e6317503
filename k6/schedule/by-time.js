/**
 * A step that lasts a time, as a row of windows: all operations warm up together, then each is measured alone.
 *
 * Windows do not touch: the gap lets the last answers of one window come in before the next begins.
 * Operations that belong together share one window: each with users of its own (`together`); or all by the same users,
 * who take them in a seeded sequence weighted by share (`shares`) or one after another (`turns`).
 * @import { Profile, Step } from '../../lib/types.d.ts'
 * @import { Facts, Group } from './facts.js'
 * @import { StepPlan } from './schedule.js'
 */
import { isReceived, usersOf, windowGroups } from './facts.js';

/** Seconds between two windows at least; also how long k6 waits for the last iterations of a window. */
export const GAP_SEC = 0.3;
/** k6 takes a while to call many users back, and gives up where the next window still lacks some after two seconds. */
const GAP_SEC_PER_USER = 0.001;

/** How long an operation that is in flight when its window's users end is waited for, ms. */
export const PATIENCE_MS = Math.round(GAP_SEC * 900);

/** Seconds that a scenario runs before its window opens: starting its virtual users takes a while, a thousand up to a second. */
export const LEAD_SEC = 0.1;
const LEAD_SEC_PER_USER = 0.001;

/** k6 takes no shorter scenario: a shorter warm-up is the lead of each window. */
const MIN_WINDOW_SEC = 1;

/**
 * @typedef {object} TimedWindow
 * @property {string} name
 * @property {'warmup' | 'measure'} phase
 * @property {string} recordedAs the phase, as the recorders of this process know it
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
 * Where a step stands in a process that runs several, and what for.
 * @typedef {object} Place
 * @property {number} fromSec when its first window begins
 * @property {number} fromIndex windows before it
 * @property {string} suffix tells its recorders from those of the other steps
 * @property {boolean} receives false for a target that has nothing to push
 */

/**
 * @param {Step} step
 * @param {Pick<Profile, 'warmupSec' | 'drive' | 'dataset'>} profile
 * @param {Facts} facts
 * @param {Partial<Place>} [place]
 * @returns {StepPlan}
 */
export function plan(step, profile, facts, place = {}) {
  const windows = windowsOf(step, profile, facts, place);
  const seconds = partsOf(step, profile, facts).reduce((sum, part) => sum + secondsOf(part, step), 0);
  return {
    scenarios: Object.fromEntries(windows.map((w) => [w.name, scenarioOf(w)])),
    thresholds: Object.fromEntries(windows.filter((w) => w.phase === 'measure').flatMap(thresholdsOf)),
    windows,
    stages: [],
    seconds,
    limitSec: seconds,
  };
}

/**
 * @param {Step} step
 * @param {Pick<Profile, 'warmupSec' | 'drive' | 'dataset'>} profile
 * @param {Facts} facts
 * @param {Partial<Place>} place
 * @returns {TimedWindow[]}
 */
function windowsOf(step, profile, facts, { fromSec = 0, fromIndex = 0, suffix = '', receives = true }) {
  /** @type {TimedWindow[]} */
  const windows = [];
  let startSec = fromSec;
  for (const part of partsOf(step, profile, facts)) {
    const { phase, groups, leadSec, durationSec } = part;
    for (const { order, operations, turns = operations } of groups) {
      windows.push({
        name: nameOf(step, phase, order === 'turns' ? ['turns'] : operations),
        phase,
        recordedAs: phase + suffix,
        operations,
        ...(order === 'shares' ? { mix: mixOf(facts, operations) } : {}),
        turns,
        step,
        users: phase === 'measure' ? usersOf(facts, profile, step, operations[0]) : step.vus,
        drive: isReceived(facts, operations[0]) ? 'listen' : (step.drive ?? profile.drive),
        index: fromIndex + windows.length,
        startSec,
        leadSec,
        durationSec,
      });
    }
    startSec += secondsOf(part, step);
  }
  return receives ? windows : windows.filter((w) => w.drive !== 'listen');
}

/** What goes on at one time. @typedef {{phase: 'warmup' | 'measure', groups: Group[], leadSec: number, durationSec: number}} Part */

/**
 * @param {Step} step
 * @param {Pick<Profile, 'warmupSec'>} profile
 * @param {Facts} facts
 * @returns {Part[]} one after another
 */
function partsOf(step, profile, facts) {
  const groups = windowGroups(facts, step);
  const sent = groups.flatMap((g) => g.operations).filter((op) => !isReceived(facts, op));
  const warmupSec = step.warmupSec ?? profile.warmupSec;
  const isLead = warmupSec < MIN_WINDOW_SEC;
  /** @type {Part} */
  const warmup = {
    phase: 'warmup',
    groups: [warmupGroup(groups, sent)],
    leadSec: leadOf({}, step),
    durationSec: warmupSec,
  };
  const measured = groups.map((group) => ({
    phase: /** @type {const} */ ('measure'),
    groups: sharesUsers(group) ? [group] : group.operations.map(alone),
    leadSec: Math.max(leadOf(facts, step), isLead ? warmupSec : 0),
    durationSec: windowSeconds(facts, step),
  }));
  return isLead ? measured : [warmup, ...measured];
}

/** @param {Part} part @param {Pick<Step, 'vus'>} step @returns {number} to the end of its gap */
function secondsOf({ leadSec, durationSec }, { vus }) {
  return leadSec + durationSec + Math.max(GAP_SEC, vus * GAP_SEC_PER_USER);
}

/** @param {Group} group @returns {boolean} whether the same users perform all of its operations */
function sharesUsers({ order }) {
  return order === 'shares' || order === 'turns';
}

/** @param {string} op @returns {Group} */
function alone(op) {
  return { order: 'alone', operations: [op] };
}

/**
 * @param {Facts} facts
 * @param {string[]} operations
 * @returns {Record<string, number>} share of each
 */
function mixOf(facts, operations) {
  return Object.fromEntries(operations.map((op) => [op, facts.operations[op].share ?? 0]));
}

/**
 * @param {Group[]} groups
 * @param {string[]} sent
 * @returns {Group} the operations as their users will take them, or all in turn
 */
function warmupGroup(groups, sent) {
  return groups.length === 1 && sharesUsers(groups[0]) ? groups[0] : { order: 'alone', operations: sent };
}

/**
 * @param {Pick<Facts, 'leadSec'>} facts
 * @param {Pick<Step, 'vus'>} step
 * @returns {number} seconds that its users have to start, of each window
 */
function leadOf({ leadSec }, { vus }) {
  return leadSec ?? Math.max(LEAD_SEC, vus * LEAD_SEC_PER_USER);
}

/**
 * @param {Step} step
 * @param {string} phase
 * @param {string[]} parts
 * @returns {string} of k6's scenario
 */
function nameOf(step, phase, parts) {
  return [step.id, phase, ...(phase === 'warmup' ? [] : parts)].join('_').replaceAll('-', '_');
}

/**
 * @param {Facts} facts
 * @param {Step} step
 * @returns {number} of each measured window: its share of the step, or what the workload needs at least
 */
function windowSeconds(facts, step) {
  const each = (step.durationSec ?? 0) / windowGroups(facts, step).length;
  return Math.max(each, facts.minWindowSec ?? 0, MIN_WINDOW_SEC);
}

/** @param {TimedWindow} window */
function scenarioOf({ users, leadSec, durationSec, startSec, drive, step }) {
  return {
    executor: 'constant-vus',
    vus: users,
    duration: `${Math.round((leadSec + durationSec) * 1000)}ms`,
    startTime: `${Math.round(startSec * 1000)}ms`,
    gracefulStop: `${PATIENCE_MS}ms`,
    exec: drive,
    tags: { step: step.id },
  };
}

/**
 * @param {TimedWindow} window
 * @returns {[string, string[]][]}
 */
function thresholdsOf({ name, recordedAs, operations }) {
  const byOperation = operations.flatMap((op) =>
    ['op_duration', 'op_count', 'op_errors'].map((metric) => `${metric}{phase:${recordedAs},op:${op}}`),
  );
  return [`op_outside_ms{scenario:${name}}`, `op_outside_turns{scenario:${name}}`, ...byOperation].map(
    (metric) => [metric, []],
  );
}
