import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groupBy } from '../group-by.js';
import { readJson } from '../store.js';
import { plainlySaid } from './said.js';
import { worstOf } from './sections/losses/answer.js';
import { systemVersion } from './versions.js';

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
  return groupBy(run.kills, (k) => k.system).flatMap((own) => {
    const system = run.plan.systems.find((s) => s.id === own[0].system);
    if (!system) return [];
    return [
      {
        ...{ system: system.id, version: systemVersion(run, system) },
        killed: worstOf(own.filter((k) => !k.step.powerLoss)),
        cut: worstOf(own.filter((k) => k.step.powerLoss)),
      },
    ];
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
