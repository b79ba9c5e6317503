import { readPlan, readRecords } from './run-folder.js';
import { areOver, summariesOf } from './side-by-side.js';
import { readStarts, samplesOf } from './starts.js';

/**
 * What was measured in a run so far, the same whether systems were loaded one after another or were up at once.
 * @import { Plan, Sample } from '../types.d.ts'
 * @import { SideBySideSummary } from './side-by-side.js'
 */

/**
 * @typedef {object} MeasuredData
 * @property {Plan} plan
 * @property {Sample[]} records every load of one system: of trials of one in the order of the plan, then of trials of several
 * @property {SideBySideSummary[]} sideBySide each trial of several systems, with its systems and how its pairs compare
 * @property {boolean} isOver whether nothing more is to be measured of these trials, and none of it failed
 */

/**
 * @param {string} data folder with the files of a run
 * @param {Plan} [plan]
 * @returns {MeasuredData}
 */
export function readRun(data, plan = readPlan(data)) {
  const starts = readStarts(data, plan);
  return {
    plan,
    records: [...readRecords(data, plan), ...starts.flatMap(samplesOf)],
    sideBySide: summariesOf(plan, starts),
    isOver: areOver(plan, starts),
  };
}
