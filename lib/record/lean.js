import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bySecond } from '../judge/chaos.js';
import { addCounts, encodeCounts, noCounts } from '../stats/counts.js';
import { readJson, writeFileAtomic } from '../store.js';
import { isAlone } from './alone.js';
import { idOf, isLifecycle, isStart, readRecords } from './records.js';
import { recordFiles } from './run-folder.js';

/**
 * What a run has measured and no record is made of, by far the most of it in bytes: histograms of warm-ups, of loads
 * in whose midst a system is killed or meets a fault, which are read off their counts and timelines, and of systems
 * that are loaded at the same moment, which are read off the marks of their loops. Of the generator's CPU account and
 * of the marks of a cell's loops, what stands at the edges of windows that are read; of timelines, the short slots
 * where nothing but their sums is read.
 * @import { CellPlan, CellRecord, ChaosMoments, CpuPoint, EncodedHistogram, HistogramExport, HistogramWindow, Plan } from '../types.d.ts'
 */

/** @type {readonly CellPlan['role'][]} */
const CUT = ['durability', 'chaos'];

/**
 * Leaves it out of a run that has ended.
 * @param {string} data folder with the files of the run, not sealed yet
 * @param {Plan} plan
 */
export function leaveOutUnread(data, plan) {
  for (const record of readRecords(data, plan)) {
    const files = recordFiles(idOf(record));
    const path = join(data, files.histograms);
    if (!existsSync(path) || isLifecycle(record)) continue;
    const whole = readJson(path);
    const lean = isStart(record)
      ? leanStart(whole)
      : leanCell(whole, record, record.chaos && readJson(join(data, files.meta)).chaos);
    writeFileAtomic(path, JSON.stringify(lean));
  }
}

/** @param {HistogramExport} whole @returns {HistogramExport} */
function leanStart(whole) {
  const windows = whole.windows.filter(isAlone).map(plainly);
  return { ...whole, windows, ...(whole.cpu ? { cpu: [] } : {}) };
}

/**
 * @param {HistogramExport} whole
 * @param {CellRecord} record
 * @param {ChaosMoments | null | undefined} moments of its fault
 * @returns {HistogramExport}
 */
function leanCell(whole, { role, chaos }, moments) {
  const isCut = CUT.includes(role);
  const isRead = (/** @type {HistogramWindow} */ w) => !isCut && !w.phase.startsWith('warmup');
  const windows = whole.windows.map((w) => (isRead(w) ? plainly(w) : countsOf(w)));
  const edges = windows.filter(isRead).flatMap((w) => [w.startMs, w.endMs]);
  const { cpu, loops } = whole;
  return {
    ...whole,
    windows: chaos && moments ? windows.map((w) => bySecond(w, moments, chaos)) : windows,
    ...(cpu ? { cpu: atEdges(cpu, edges) } : {}),
    ...(loops
      ? { loops: isCut ? [] : loops.map((l) => ({ ...l, marks: l.marks.filter(isMarkAt(edges)) })) }
      : {}),
  };
}

/** What a window says of times. */
const TIMES = Object.freeze(['meanMs', 'sdMs', 'minMs', 'maxMs', 'service', 'response', 'lag']);

/** @param {HistogramWindow} w @returns {HistogramWindow} without any of its times */
function countsOf(w) {
  return { ...w, ...Object.fromEntries(TIMES.map((field) => [field, null])), series: [] };
}

/** @param {number[]} edges epoch ms */
function isMarkAt(edges) {
  return (/** @type {{momentMs: number}} */ { momentMs }) => edges.some((e) => Math.abs(momentMs - e) < 1);
}

/**
 * @param {CpuPoint[]} points in order
 * @param {number[]} edges epoch ms
 * @returns {CpuPoint[]} two on either side of each, which is what lies between is read off
 */
function atEdges(points, edges) {
  const kept = new Set(
    edges.flatMap((edge) => {
      const at = points.findIndex((p) => p.t >= edge);
      const next = at < 0 ? points.length : at;
      return [next - 2, next - 1, next, next + 1];
    }),
  );
  return points.filter((_, i) => kept.has(i));
}

/**
 * @param {HistogramWindow} w
 * @returns {HistogramWindow} with histograms in the form that an archive keeps as counts
 */
function plainly(w) {
  const plain = (/** @type {EncodedHistogram | null} */ encoded) => {
    if (!encoded) return encoded;
    const counts = noCounts();
    addCounts(counts, encoded);
    return { ...encoded, data: encodeCounts(counts).data };
  };
  return { ...w, service: plain(w.service), response: plain(w.response), lag: plain(w.lag) };
}
