import { dirname, join } from 'node:path';
import { schemaProblems } from '../config/validate.js';
import { readJsonOr } from '../store.js';
import { plainlySaid } from './said.js';
import { lossesOf } from './sections/losses/answer.js';
import { versionOf } from './versions.js';

/**
 * What a kill and a power cut took, by the runs that measured it: a run that compares systems shows it beside what it measured.
 * @import { IndexedLoss, IndexedRun, ResultsIndex } from '../types.d.ts'
 * @import { Run } from './run.js'
 */

/** What every run of a folder measured. */
export const INDEX = 'index.json';

/** @typedef {IndexedLoss & {run: string, date: string}} KnownLoss */

/**
 * @param {Pick<Run, 'plan' | 'records' | 'sideBySide' | 'kills'>} run
 * @returns {IndexedLoss[]} of each system that was killed
 */
export function indexedLosses(run) {
  return lossesOf(run.kills).flatMap(({ system: id, killed, cut }) => {
    const system = run.plan.systems.find((s) => s.id === id);
    return system ? [{ system: id, version: versionOf(run, id), killed, cut }] : [];
  });
}

/**
 * @param {string} reports folder of runs
 * @returns {IndexedRun[]} what its index says, newest first; nothing where that is damaged or of another form, as it can be made anew
 */
export function indexedIn(reports) {
  const index = /** @type {ResultsIndex | null} */ (readJsonOr(join(reports, INDEX), null));
  return index && schemaProblems('index', index).length === 0 ? plainlySaid(index.runs) : [];
}

/**
 * @param {string} runFolder
 * @returns {KnownLoss[]} newest first, by the index of the folder of runs; none where it has none
 */
export function lossesBeside(runFolder) {
  return indexedIn(dirname(runFolder)).flatMap(({ run, date, losses = [] }) =>
    losses.map((loss) => ({ ...loss, run, date })),
  );
}
