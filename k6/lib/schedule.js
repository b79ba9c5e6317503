/**
 * Steps to k6 scenarios. Pure: k6 and the tests of Node read it alike.
 *
 * A step is a row of windows, one after another: all operations warm up together, then each is measured alone.
 * Windows do not touch: the gap lets the last answers of one window come in before the next begins.
 * @import { Profile, Step } from '../../lib/types.d.ts'
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
 * @property {string[]} operations taken in turn; a measured window has one
 * @property {Step} step
 * @property {'burst' | 'iteration'} drive
 * @property {number} index position, from 0: the seed of its key choice
 * @property {number} startSec from the start of the test
 * @property {number} durationSec of the window, which opens LEAD_SEC after the scenario's start
 */

/**
 * @param {Profile} profile
 * @param {Step} step
 * @param {string[]} operations
 * @param {number} [fromSec] when the first window begins
 * @param {number} [fromIndex]
 * @returns {ScenarioPlan[]}
 */
export function windowsOf(profile, step, operations, fromSec = 0, fromIndex = 0) {
  const warmupSec = step.warmupSec ?? profile.warmupSec;
  const drive = step.drive ?? profile.drive;
  /** @type {ScenarioPlan[]} */
  const windows = [];
  let at = fromSec;
  const add = (
    /** @type {'warmup' | 'measure'} */ phase,
    /** @type {string[]} */ own,
    /** @type {number} */ durationSec,
  ) => {
    const name = [step.id, phase, ...(phase === 'measure' ? own : [])].join('_').replaceAll('-', '_');
    windows.push({
      name,
      phase,
      operations: own,
      step,
      drive,
      index: fromIndex + windows.length,
      startSec: at,
      durationSec,
    });
    at += LEAD_SEC + durationSec + GAP_SEC;
  };
  if (warmupSec > 0) add('warmup', operations, warmupSec);
  for (const op of operations) add('measure', [op], (step.durationSec ?? 0) / operations.length);
  return windows;
}

/**
 * @param {Profile} profile
 * @param {Step} step
 * @param {number} operations how many
 * @returns {number} seconds from the first window's start to the end of the last one's gap; an estimate for a step that
 *   is bound by a count
 */
export function stepSeconds(profile, step, operations) {
  if (isCountBound(step)) return countedSeconds(profile, step, operations);
  const warmupSec = step.warmupSec ?? profile.warmupSec;
  return warmupSec + (step.durationSec ?? 0) + (operations + (warmupSec > 0 ? 1 : 0)) * (LEAD_SEC + GAP_SEC);
}

/**
 * @param {Profile} profile
 * @param {Step} step
 * @param {number} operations how many
 * @returns {number} seconds after which its load should be over, whatever the system
 */
export function stepLimitSec(profile, step, operations) {
  return isCountBound(step) ? countedLimitSec(step, operations) : stepSeconds(profile, step, operations);
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
        vus: w.step.vus,
        duration: `${Math.round((LEAD_SEC + w.durationSec) * 1000)}ms`,
        startTime: `${Math.round(w.startSec * 1000)}ms`,
        gracefulStop: `${Math.round(GAP_SEC * 900)}ms`,
        exec: w.drive,
        tags: { step: w.step.id },
      },
    ]),
  );
}
