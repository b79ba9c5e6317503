import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verdictOf } from '../judge/verdict.js';
import { resultPoints } from './points.js';

/**
 * @import { CellRecord } from '../types.d.ts'
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
    .filter((name) => existsSync(join(reports, name, 'plan.json')))
    .sort()
    .slice(-MOST_RUNS);
  return runs.flatMap((run) => {
    const plan = read(join(reports, run, 'plan.json'));
    return recordsOf(join(reports, run, 'results')).flatMap((record) => pointsOf(record, plan?.profileId));
  });
}

/**
 * @param {CellRecord} record
 * @param {string} profileId
 */
function pointsOf(record, profileId) {
  try {
    return resultPoints(record, profileId, (op) => verdictOf(record, op));
  } catch {
    return []; // of a version that this one does not know
  }
}

/**
 * @param {string} folder
 * @returns {CellRecord[]}
 */
function recordsOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => read(join(folder, name)))
    .filter((record) => record?.schemaVersion === 1);
}

/** @param {string} path */
function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
