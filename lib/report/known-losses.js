import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readJson } from '../store.js';
import { plainlySaid } from './said.js';
import { lossesOf } from './sections/losses/answer.js';
import { versionOf } from './versions.js';

/**
 * What a kill and a power cut took, by the runs that measured it: a run that compares systems shows it beside what it measured.
 * @import { IndexedLoss, ResultsIndex } from '../types.d.ts'
 * @import { Run } from './run.js'
 */

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
 * @param {string} runFolder
 * @returns {KnownLoss[]} newest first, by the index of the folder of runs; none where it has none
 */
export function lossesBeside(runFolder) {
  const file = join(dirname(runFolder), 'index.json');
  const index = existsSync(file) ? /** @type {Partial<ResultsIndex>} */ (plainlySaid(readJson(file))) : {};
  return (index.runs ?? []).flatMap(({ run, date, losses = [] }) =>
    losses.map((loss) => ({ ...loss, run, date })),
  );
}
