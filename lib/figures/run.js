import { isLifecycle, isStart, readRecords, samplesOf } from '../record/records.js';
import { readPlan } from '../record/run-folder.js';
import { areOver, summariesOf } from './side-by-side.js';

/**
 * What was measured in a run so far, the same whether systems were loaded one after another or were up at once.
 * @import { CellRecord, LifecycleRecord, Plan, StartRecord } from '../types.d.ts'
 * @import { SideBySideSummary } from './side-by-side.js'
 */

/**
 * @typedef {object} MeasuredData
 * @property {Plan} plan
 * @property {CellRecord[]} records every load of one system: of trials of one in the order of the plan, then of trials of several
 * @property {StartRecord[]} starts of several systems
 * @property {LifecycleRecord[]} lifecycle start-ups, in the order of the plan
 * @property {SideBySideSummary[]} sideBySide each trial of several systems, with its systems and how its pairs compare
 * @property {boolean} isOver whether nothing more is to be measured of these trials, and none of it failed
 */

/**
 * @param {string} data folder with the files of a run
 * @param {Plan} [plan]
 * @returns {MeasuredData}
 */
export function readRun(data, plan = readPlan(data)) {
  const all = readRecords(data, plan);
  const starts = all.filter(isStart);
  return {
    plan,
    records: all.flatMap(samplesOf),
    starts,
    lifecycle: all.filter(isLifecycle),
    sideBySide: summariesOf(plan, starts),
    isOver: areOver(plan, starts),
  };
}
