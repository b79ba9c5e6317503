import { addCounts, noCounts } from '../stats/counts.js';
import { latencyIn } from '../stats/histogram.js';

/**
 * What a runner hands over says the same thing more than once: counts beside histograms, series and totals, means beside
 * buckets, moments beside those of the cell. Who changed one of them, or never had them, contradicts itself.
 * @import { HistogramExport, HistogramWindow } from '../types.d.ts'
 */

/** Fields of a window that are moments. */
export const MOMENTS = /** @type {const} */ (['startMs', 'endMs', 'firstStartMs', 'lastEndMs']);
/** Buckets of three digits are as wide as that, and the narrowest is 100 ns. */
const BUCKET = Object.freeze({ share: 2e-3, ms: 2e-4 });
/** Histograms end at a minute; whatever took longer is kept there. */
const LONGEST_MS = 60_000;
/** Clocks of one machine are one; a window may have been begun a little before its cell was. */
const SLACK_MS = 1000;

/**
 * @param {HistogramExport} part
 * @param {{fromMs: number, toMs: number} | null} cell when it was measured, by the clock of all; null where runners have clocks of
 *   their own
 * @returns {string | null} what cannot be
 */
export function contradictionIn(part, cell) {
  for (const w of part.windows) {
    const problem = problemOfWindow(w, cell);
    if (problem) return `${w.op}, ${w.phase}: ${problem}`;
  }
  return problemOfTotals(part) ?? problemOfClock(part, cell) ?? problemOfCpu(part);
}

/**
 * @param {HistogramWindow} w
 * @param {{fromMs: number, toMs: number} | null} cell
 */
function problemOfWindow(w, cell) {
  const moments = MOMENTS.flatMap((field) => w[field] ?? []);
  if (w.endMs < w.startMs) return 'it ends before it begins';
  if (cell && moments.some((t) => t < cell.fromMs - SLACK_MS || t > cell.toMs + SLACK_MS))
    return 'it lies outside of its cell';
  const inSeries = w.series.reduce((n, point) => n + point.count, 0);
  if (inSeries !== w.count) return `${w.count} operations, and ${inSeries} in its seconds`;
  return problemOfTimes(w);
}

/** @param {HistogramWindow} w */
function problemOfTimes({ count, service, meanMs, minMs, maxMs, sdMs }) {
  if (!service) return count === 0 ? null : `${count} operations, and no times of them`;
  const counts = noCounts();
  const values = addCounts(counts, service);
  if (values !== count) return `${count} operations, and ${values} times of them`;
  const found = latencyIn(counts);
  if (!found) return null;
  const exact = [minMs, meanMs, maxMs, sdMs].map(Number);
  if (!exact.every((ms) => ms >= 0)) return 'its times are below zero, or none';
  if (Number(maxMs) > LONGEST_MS) return null;
  for (const [name, told, counted] of /** @type {const} */ ([
    ['mean', meanMs, found.mean],
    ['longest', maxMs, found.max],
    ['shortest', minMs, found.min],
  ]))
    if (Math.abs(Number(told) - counted) > BUCKET.ms + BUCKET.share * counted)
      return `its ${name} time is ${told} ms, and that of its histogram ${counted} ms`;
  return null;
}

/** What was acknowledged is what the windows have, those before and after them too. @param {HistogramExport} part */
function problemOfTotals({ notes, windows }) {
  const totals = /** @type {Record<string, {acked: number}>} */ (notes.totals ?? {});
  for (const [op, { acked }] of Object.entries(totals)) {
    const own = windows.filter((w) => w.op === op);
    const counted = own.reduce((n, w) => n + w.count + w.late + w.early, 0);
    if (acked !== counted) return `${op}: ${acked} acknowledged in all, and ${counted} in its windows`;
  }
  return null;
}

/**
 * @param {HistogramExport} part
 * @param {object | null} cell
 */
function problemOfClock({ notes }, cell) {
  const { offsetMs } = /** @type {any} */ (notes.clock) ?? { offsetMs: 0 };
  return cell && offsetMs !== 0 ? `its clock is ${offsetMs} ms from that of its own machine` : null;
}

/** @param {HistogramExport} part */
function problemOfCpu({ cpu = [], windows }) {
  for (const [i, point] of cpu.entries()) {
    if (!Number.isFinite(point?.t) || !Number.isFinite(point.cpuSec)) return 'its CPU time is no number';
    if (i > 0 && !(point.t >= cpu[i - 1].t && point.cpuSec >= cpu[i - 1].cpuSec))
      return 'its CPU time goes back';
  }
  const worked = windows.some((w) => w.count > 0);
  return worked && cpu.length > 1 && cpu[cpu.length - 1].cpuSec === cpu[0].cpuSec
    ? 'it worked and used no CPU'
    : null;
}
