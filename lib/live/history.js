import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { readRun } from '../figures/run.js';
import { runsIn, withRun } from '../record/archive.js';
import { resultPoints } from './points.js';

/** @import { Point } from './line.js' */

/** Runs that are shown beside the present one, newest first. */
const MOST_RUNS = 50;

/**
 * The results of the runs in a folder, so that a fresh store knows them too: the reports are what is kept, the store
 * is not. A run that cannot be read is left out.
 * @param {string} reports
 * @returns {Point[]}
 */
export function earlierResults(reports) {
  const runs = runsIn(reports).slice(-MOST_RUNS);
  return runs.flatMap((run) => pointsOfRun(join(reports, run)));
}

/**
 * @param {string} folder
 * @returns {Point[]}
 */
function pointsOfRun(folder) {
  const wanted = (/** @type {string} */ file) => file === 'plan.json' || file.startsWith('results/');
  try {
    const { plan, records } = withRun(folder, (data) => readRun(data), { wanted, check: false });
    return records.flatMap((record) => resultPoints(record, plan));
  } catch (error) {
    if (error instanceof BenchError) return [];
    throw error;
  }
}
