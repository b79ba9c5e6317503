/**
 * A whole step of a fixed count for each iteration of k6: what one virtual user does, from warm-up to the last
 * operation, all users together.
 * @import { Step } from '../../lib/types.d.ts'
 */
import exec from 'k6/execution';
import measure from 'k6/x/measure';
import { keysOfCount } from '../keys.js';
import { STALLED_SEC } from '../schedule/by-count.js';
import { firstOf, runnerOf, shareOf } from '../schedule/segments.js';
import { context, fixedCountStep, plan, profile, settings, startOf, workload } from '../task.js';
import { burstSlice, burstStage, connectFor } from './burst.js';
import { noteFootprint } from './footprint.js';
import { closeClient, iterateSlice, openClient } from './iteration.js';

/** Operations that a user takes from the cursor at a time. */
const SLICE = { burst: 1000, iteration: 50 };

/**
 * What one stage asks of a drive.
 * @typedef {object} Work
 * @property {Step} step
 * @property {string} operation
 * @property {any} window recorder
 * @property {any} phase cursor that all users share
 * @property {any} keys of this user
 * @property {(answered: boolean) => void} progress
 * @throws {Error} when nothing has succeeded for long
 */

/** @param {import('../task.js').Started} data */
export async function fixedCount(data) {
  context.start = startOf(data);
  const step = /** @type {Step} */ (fixedCountStep);
  try {
    await performStages(step, step.drive ?? profile.drive);
  } catch (error) {
    // The others would wait at the next barrier for this user.
    exec.test.abort(String(error));
  }
}

/**
 * @param {Step} step
 * @param {'burst' | 'iteration'} drive
 */
async function performStages(step, drive) {
  const { facts } = workload;
  const { runners } = settings;
  const runner = runnerOf(exec.test.options.executionSegment, runners);
  const parties = shareOf(step.vus, runner, runners);
  const keys = keysOfCount(step, profile, facts, exec.vu.idInTest);
  const connection = drive === 'burst' ? connectFor(step) : null;
  if (drive === 'iteration') openClient();
  for (const { phase: name, operation, from: first, count: ofAll } of plan.stages) {
    const from = first + firstOf(ofAll, runner, runners);
    const count = shareOf(ofAll, runner, runners);
    const measured = name === 'measure';
    // While others go on nothing rests.
    if (
      runners === 1 &&
      measured &&
      step.footprint &&
      facts.operations[operation].footprintBefore &&
      exec.vu.idInTest === 1
    )
      await noteFootprint(step);
    const phase = measure.phase({ op: operation, phase: name, parties, operations: count });
    const window = phase.enter();
    const work = { step, operation, window, phase, keys, progress: progressOf(operation) };
    if (connection && !facts.keys?.each) burstStage(work);
    for (;;) {
      const slice = phase.take(step.depth ?? 1, SLICE[drive]);
      if (slice.count === 0) break;
      if (connection) burstSlice(work, from + slice.from, slice.count);
      else await iterateSlice(work, from + slice.from, slice.count);
    }
  }
  connection?.close();
  closeClient();
}

/**
 * @param {string} operation
 * @returns {Work['progress']}
 */
function progressOf(operation) {
  let answeredAt = measure.now();
  return (answered) => {
    const now = measure.now();
    if (answered) answeredAt = now;
    else if (now - answeredAt > STALLED_SEC * 1000)
      throw new Error(`${operation}: no operation succeeded for ${STALLED_SEC} s`);
  };
}
