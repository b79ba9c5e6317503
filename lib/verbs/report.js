import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { BenchError, EXIT } from '../errors.js';
import { freshLifecycle, readLifecycle } from '../record/lifecycle.js';
import { recordOf } from '../record/recompute.js';
import { readPlan, readRecords } from '../record/run-folder.js';
import { writeIndex } from '../report/index.js';
import { renderRun } from '../report/render.js';
import { findRun, reportsFolder } from './runs.js';

/** @import { CellRecord } from '../types.d.ts' */

/**
 * `report <run>`: renders a report again from its files; `--verify` first recomputes every record from `raw/`.
 * @param {string[]} words
 * @param {Record<string, any>} flags
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 */
export async function reportVerb([name], flags, output) {
  const reports = reportsFolder(flags);
  const folder = findRun(name, reports);
  if (flags.verify) {
    const differing = verifyRun(folder);
    if (differing.length > 0) {
      throw new BenchError(`${differing.length} records of ${basename(folder)} do not follow from raw/`, {
        detail: differing,
        hint: 'the files were changed after the run, or the method was: see methodVersion',
        exitCode: EXIT.thresholds,
      });
    }
    output.say(`every record of ${basename(folder)} follows from raw/`);
  }
  const { path } = renderRun(folder);
  if (dirname(folder) === reports) for (const line of writeIndex(reports)) output.say(line);
  output.result(`${path}\n`);
  return EXIT.ok;
}

/**
 * @param {string} folder
 * @returns {string[]} cells whose stored record is not what raw/ gives
 */
function verifyRun(folder) {
  const plan = readPlan(folder);
  const stored = readRecords(folder, plan);
  /** @type {CellRecord[]} */
  const again = [];
  const lifecycle = (plan.lifecycle ?? []).flatMap(({ system }) => {
    const fresh = JSON.stringify(freshLifecycle(folder, system));
    const kept = readLifecycle(folder, plan).find((l) => l.system === system) ?? null;
    return fresh === JSON.stringify(kept) ? [] : [`lifecycle of ${system}`];
  });
  const cells = stored.flatMap((record) => {
    const fresh = recordOf(folder, record.cell, plan, again);
    again.push(fresh);
    // As it would be on disk; in which order its fields stand says nothing.
    return isDeepStrictEqual(JSON.parse(JSON.stringify(fresh)), record) ? [] : [record.cell];
  });
  return [...cells, ...lifecycle];
}
