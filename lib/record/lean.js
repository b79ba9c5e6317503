import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, writeFileAtomic } from '../store.js';
import { isAlone } from './alone.js';
import { cellFiles } from './run-folder.js';
import { readStarts, startFiles } from './starts.js';

/**
 * What a run has measured and no record is made of, by far the most of it in bytes: histograms of warm-ups, of loads
 * in whose midst a system is killed or meets a fault, which are read off their counts and timelines, and of systems
 * that are loaded at the same moment, which are read off the marks of their loops.
 * @import { CellPlan, HistogramExport, HistogramWindow, Plan } from '../types.d.ts'
 */

/** @type {readonly CellPlan['role'][]} */
const CUT = ['durability', 'chaos'];

/**
 * Leaves it out of a run that has ended.
 * @param {string} data folder with the files of the run, not sealed yet
 * @param {Plan} plan
 */
export function leaveOutUnread(data, plan) {
  for (const { id, role } of plan.blocks.flatMap((b) => b.cells))
    rewrite(join(data, cellFiles(id).histograms), (whole) => leanOf(whole, CUT.includes(role)));
  for (const { group, start } of readStarts(data, plan))
    rewrite(join(data, startFiles(group, start).histograms), aloneOf);
}

/**
 * @param {string} path of an export that may not be there
 * @param {(whole: HistogramExport) => HistogramExport} change the same object where nothing is to be left out
 */
function rewrite(path, change) {
  if (!existsSync(path)) return;
  const whole = readJson(path);
  const lean = change(whole);
  if (lean !== whole) writeFileAtomic(path, JSON.stringify(lean));
}

/**
 * @param {HistogramExport} whole of systems side by side
 * @returns {HistogramExport} with the windows in which one system was loaded alone
 */
function aloneOf(whole) {
  const windows = whole.windows.filter(isAlone);
  return windows.length === whole.windows.length ? whole : { ...whole, windows };
}

/**
 * @param {HistogramExport} whole
 * @param {boolean} isCut whether none of its windows is one of a system left alone
 * @returns {HistogramExport} the same object where nothing is to be left out
 */
function leanOf(whole, isCut) {
  const isUnread = (/** @type {HistogramWindow} */ w) => isCut || w.phase.startsWith('warmup');
  const windows = whole.windows.map((w) =>
    isUnread(w) && (w.service || w.response || w.lag || w.series.length > 0)
      ? { ...w, service: null, response: null, lag: null, series: [] }
      : w,
  );
  const isSame = windows.every((w, i) => w === whole.windows[i]);
  if (!isCut) return isSame ? whole : { ...whole, windows };
  const { cpu = [], loops = [] } = whole;
  return isSame && cpu.length + loops.length === 0 ? whole : { ...whole, windows, cpu: [], loops: [] };
}
