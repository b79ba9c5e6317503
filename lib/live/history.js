import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { verdictOf } from '../judge/verdict.js';
import { isRun, withRun } from '../record/archive.js';
import { readJsonOr } from '../store.js';
import { resultPoints } from './points.js';

/**
 * @import { CellRecord, Plan } from '../types.d.ts'
 * @import { Point } from './line.js'
 */

/** Runs that are shown beside the present one, newest first. */
const MOST_RUNS = 50;

/**
 * The results of the runs in a folder, so that a fresh store knows them too: the reports are what is kept, the store
 * is not. A file that cannot be read is left out.
 * @param {string} reports
 * @returns {Point[]}
 */
export function earlierResults(reports) {
  if (!existsSync(reports)) return [];
  const runs = readdirSync(reports)
    .filter((name) => isRun(join(reports, name)))
    .sort()
    .slice(-MOST_RUNS);
  return runs.flatMap((run) => pointsOfRun(join(reports, run)));
}

/**
 * @param {string} folder
 * @returns {Point[]}
 */
function pointsOfRun(folder) {
  try {
    const isRead = (/** @type {string} */ file) => file === 'plan.json' || file.startsWith('results/');
    return withRun(
      folder,
      (data) => {
        const plan = readJsonOr(join(data, 'plan.json'), /** @type {any} */ (null));
        const folders = [join(data, 'results'), join(data, 'results', 'starts')];
        return folders.flatMap(recordsOf).flatMap((record) => pointsOf(record, plan));
      },
      { wanted: isRead, check: false },
    );
  } catch (error) {
    if (error instanceof BenchError) return [];
    throw error;
  }
}

/**
 * @param {CellRecord} record
 * @param {Plan} plan
 */
function pointsOf(record, plan) {
  try {
    return resultPoints(record, plan, (op) => verdictOf(record, op));
  } catch {
    return []; // of a version that this one does not know
  }
}

/**
 * @param {string} folder of records, or of starts with what each system did alone in them
 * @returns {CellRecord[]}
 */
function recordsOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => readJsonOr(join(folder, name), /** @type {any} */ (null)))
    .flatMap((record) => record?.alone ?? [record])
    .filter((record) => record?.schemaVersion === 1);
}
