/**
 * Steps to what k6 is told. Pure: k6, the runner and the tests of Node read it alike.
 * @import { Profile, Step } from '../../lib/types.d.ts'
 * @import { Stage } from './by-count.js'
 * @import { Place, TimedWindow } from './by-time.js'
 * @import { Facts } from './facts.js'
 */
import * as byCount from './by-count.js';
import * as byTime from './by-time.js';
import { isFixedCount } from './facts.js';

/**
 * One step, whichever way it ends.
 * @typedef {object} StepPlan
 * @property {Record<string, object>} scenarios k6's `options.scenarios`
 * @property {Record<string, string[]>} thresholds k6 keeps a sub-metric in its summary only where a threshold names it;
 *   an empty one asserts nothing
 * @property {TimedWindow[]} windows of a step by time, in order; none of a fixed count
 * @property {Stage[]} stages of a fixed count, in order; none of a step by time
 * @property {number} seconds how long it takes; an estimate where it has a fixed count
 * @property {number} limitSec seconds after which its load should be over, whatever the system
 */

/**
 * @param {Step} step
 * @param {Pick<Profile, 'warmupSec' | 'drive' | 'dataset'>} profile
 * @param {Facts} facts
 * @param {Partial<Place>} [place] of a step by time
 * @returns {StepPlan}
 */
export function plan(step, profile, facts, place) {
  return isFixedCount(step) ? byCount.plan(step, profile, facts) : byTime.plan(step, profile, facts, place);
}

/**
 * Several steps in one process, one after another: started by hand only.
 * @param {Step[]} steps
 * @param {Profile} profile
 * @param {Facts} facts
 * @param {boolean} receives false for a target that has nothing to push
 * @returns {StepPlan}
 * @throws {Error} where a step has a fixed count: nobody knows when the next one would begin
 */
export function planInTurn(steps, profile, facts, receives) {
  if (steps.length === 1) return plan(steps[0], profile, facts, { receives });
  if (steps.some(isFixedCount))
    throw new Error('steps of a fixed count run one at a time: -e STEP=… is missing');
  let fromSec = 0;
  let fromIndex = 0;
  const plans = steps.map((step) => {
    const own = plan(step, profile, facts, { fromSec, fromIndex, suffix: `-${step.id}`, receives });
    const last = own.windows[own.windows.length - 1];
    fromSec = last.startSec + last.leadSec + last.durationSec + 1;
    fromIndex += own.windows.length;
    return own;
  });
  const sum = (/** @type {'seconds' | 'limitSec'} */ key) => plans.reduce((all, p) => all + p[key], 0);
  return {
    scenarios: Object.assign({}, ...plans.map((p) => p.scenarios)),
    thresholds: Object.assign({}, ...plans.map((p) => p.thresholds)),
    windows: plans.flatMap((p) => p.windows),
    stages: [],
    seconds: sum('seconds'),
    limitSec: sum('limitSec'),
  };
}
