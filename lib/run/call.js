import { join } from 'node:path';
import { recordFiles } from '../record/run-folder.js';

/**
 * @import { CellPlan } from '../types.d.ts'
 * @import { CellContext, Subject } from './cell.js'
 */

/**
 * What every k6 of a cell is told.
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @param {{summary: string, histograms: string}} [files] relative: where it writes, if not where the cell's load does
 */
export function callOf(
  cell,
  { stack, system, instance, ratesPerSec },
  { k6, plan, project, runFolder },
  files = recordFiles(cell.id),
) {
  const at = (/** @type {string} */ file) => join(runFolder, file);
  return {
    binary: k6,
    project: system.engine === 'docker' ? project : null,
    runFolder,
    logPath: at(`raw/${cell.id}.k6.log`),
    plan,
    cell,
    url: instance.url,
    stackFolder: stack.folder,
    profilePath: at('profile.json'),
    files: {
      summary: at(files.summary),
      histograms: at(files.histograms),
      live: at(recordFiles(cell.id).live),
    },
    ratesPerSec,
    telemetry: { influxUrl: null, dashboardPort: null },
  };
}
