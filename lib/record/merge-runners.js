import { sumsOf } from '../judge/schedule.js';
import { countedBetween } from '../sample/usage.js';
import { addCounts, encodeCounts, noCounts } from '../stats/counts.js';

/**
 * The exports of N runners of one load as the export of one generator: counts and histograms added, which is exact; means
 * and deviations from their sums. What cannot be added is left out and never averaged: the percentiles of single
 * seconds, k6's own trends, the notes of single loops. One runner at a time, so that a thousand take no more
 * memory than their CPU accounts.
 * @import { CpuPoint, EncodedHistogram, HistogramExport, HistogramWindow, SeriesPoint } from '../types.d.ts'
 * @import { Counts } from '../stats/counts.js'
 */

/** Moments at which the CPU of all runners together is told. */
const CPU_MOMENTS = 2000;
const COUNTED = /** @type {const} */ (['count', 'late', 'early', 'aborted', 'unresolved', 'dropped']);

/**
 * Sums of one (phase, operation).
 * @typedef {object} Sums
 * @property {HistogramWindow} window of the first runner that had it, over which the sums are laid
 * @property {number[]} startsMs epoch, one for each runner
 * @property {number} endMs epoch; of an open-ended one the latest
 * @property {number} longestMs
 * @property {Record<typeof COUNTED[number], number>} counted
 * @property {Record<string, number>} errors
 * @property {Record<string, number>} [errorKinds]
 * @property {number} [failedMs]
 * @property {Record<'service' | 'response' | 'lag', Counts | null>} histograms null: no runner had any
 * @property {{n: number, mean: number, m2: number}} service for mean and deviation
 * @property {Record<'response' | 'lag', {n: number, sumMs: number}>} means
 * @property {Map<number, SeriesPoint>} series by second
 * @property {number | null} presentMs
 */

/**
 * @typedef {object} Merged
 * @property {HistogramExport} histograms
 * @property {any} summary k6's own
 * @property {number} startSkewMs between the runner whose window began first and the one whose began last, at most
 * @property {{runner: number, operation: string, cores: number} | null} busiest by CPU in a measured window; null: none told
 */

/** @returns {{add: (runner: number, part: HistogramExport, summary: any) => void, end: () => Merged}} */
export function createMerge() {
  /** @type {Map<string, Sums>} */
  const byWindow = new Map();
  /** @type {Float64Array[]} */
  const accounts = [];
  /** @type {Record<string, {values: {count: number}}>} */
  const counters = {};
  /** @type {Record<string, any>[]} */
  const notes = [];
  /** @type {number[]} */
  const begunMs = [];
  /** @type {Merged['busiest']} */
  let busiest = null;
  let unsureMs = 0;
  return {
    add(runner, own, summary) {
      const { uncertaintyMs } = clockOf(own);
      unsureMs = Math.max(unsureMs, uncertaintyMs);
      const part = byOneClock(own);
      for (const w of part.windows) addWindow(byWindow, w);
      const begun = part.windows.map((w) => w.startMs);
      if (begun.length > 0) begunMs.push(Math.min(...begun));
      const cpu = part.cpu ?? [];
      if (cpu.length > 0) accounts.push(Float64Array.from(cpu.flatMap((p) => [p.t, p.cpuSec])));
      for (const w of part.windows.filter((x) => x.phase === 'measure')) {
        const used = countedBetween(cpu, w.startMs, w.endMs);
        const cores = used === null ? null : (used * 1000) / (w.endMs - w.startMs);
        if (cores !== null && cores > (busiest?.cores ?? -1)) busiest = { runner, operation: w.op, cores };
      }
      notes.push(part.notes);
      addCounters(counters, summary?.metrics ?? {});
    },
    end() {
      const sums = [...byWindow.values()];
      const windows = sums.map(windowOf);
      return {
        histograms: {
          schemaVersion: 1,
          notes: mergedNotes(notes),
          windows,
          cpu: cpuOfAll(
            accounts,
            windows.flatMap((w) => [w.startMs, w.endMs]),
          ),
          loops: [],
        },
        summary: { metrics: counters },
        startSkewMs:
          unsureMs +
          Math.max(
            spread(begunMs),
            ...sums.filter((s) => s.presentMs === null).map((s) => spread(s.startsMs)),
          ),
        busiest,
      };
    },
  };
}

/**
 * @param {HistogramExport} part
 * @returns {{offsetMs: number, uncertaintyMs: number}} what to add to its clock for that of the first runner, and within
 *   how much that is known; runners of one machine have one clock
 */
function clockOf({ notes }) {
  return /** @type {any} */ (notes.clock) ?? { offsetMs: 0, uncertaintyMs: 0 };
}

/**
 * @param {HistogramExport} part
 * @returns {HistogramExport} by the clock of the first runner
 */
function byOneClock(part) {
  const { offsetMs } = clockOf(part);
  if (offsetMs === 0) return part;
  const moved = (/** @type {any} */ t) => (typeof t === 'number' ? t + offsetMs : t);
  return {
    ...part,
    windows: part.windows.map((w) => ({
      ...w,
      startMs: moved(w.startMs),
      endMs: moved(w.endMs),
      firstStartMs: moved(w.firstStartMs),
      lastEndMs: moved(w.lastEndMs),
    })),
    ...(part.cpu ? { cpu: part.cpu.map((p) => ({ ...p, t: moved(p.t) })) } : {}),
  };
}

/** @param {number[]} values */
function spread(values) {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const v of values) {
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  return values.length === 0 ? 0 : high - low;
}

/**
 * @param {Map<string, Sums>} byWindow
 * @param {HistogramWindow} w
 */
function addWindow(byWindow, w) {
  const key = `${w.phase} ${w.op}`;
  const s = byWindow.get(key) ?? nothing(w);
  byWindow.set(key, s);
  s.startsMs.push(w.startMs);
  s.endMs = Math.max(s.endMs, w.endMs);
  s.longestMs = Math.max(s.longestMs, w.endMs - w.startMs);
  for (const field of COUNTED) s.counted[field] += w[field] ?? 0;
  s.errors = sumsOf([s.errors, w.errors]);
  if (w.errorKinds) s.errorKinds = sumsOf([s.errorKinds ?? {}, w.errorKinds]);
  if (w.failedMs !== undefined) s.failedMs = (s.failedMs ?? 0) + w.failedMs;
  addHistogram(s, 'service', w.service);
  addMoments(s.service, w);
  addMean(s.means.response, addHistogram(s, 'response', w.response), w.responseMeanMs);
  addMean(s.means.lag, addHistogram(s, 'lag', w.lag), w.lagMeanMs);
  s.window.firstStartMs = least(s.window.firstStartMs, w.firstStartMs);
  s.window.lastEndMs = most(s.window.lastEndMs, w.lastEndMs);
  s.window.minMs = least(s.window.minMs, w.minMs);
  s.window.maxMs = most(s.window.maxMs, w.maxMs);
  s.window.responseMaxMs = most(s.window.responseMaxMs, w.responseMaxMs);
  s.window.lagMaxMs = most(s.window.lagMaxMs, w.lagMaxMs);
  if (w.presentMs !== undefined) s.presentMs = (s.presentMs ?? 0) + w.presentMs;
  addSeries(s.series, w.series);
}

/**
 * @param {HistogramWindow} w
 * @returns {Sums}
 */
function nothing(w) {
  return {
    window: { ...w },
    startsMs: [],
    endMs: w.endMs,
    longestMs: 0,
    counted: { count: 0, late: 0, early: 0, aborted: 0, unresolved: 0, dropped: 0 },
    errors: {},
    histograms: { service: null, response: null, lag: null },
    service: { n: 0, mean: 0, m2: 0 },
    means: { response: { n: 0, sumMs: 0 }, lag: { n: 0, sumMs: 0 } },
    series: new Map(),
    presentMs: null,
  };
}

/**
 * @param {Sums} sums
 * @param {'service' | 'response' | 'lag'} name
 * @param {EncodedHistogram | null} encoded
 * @returns {number} values that it added
 */
function addHistogram(sums, name, encoded) {
  if (!encoded) return 0;
  const counts = sums.histograms[name] ?? noCounts();
  sums.histograms[name] = counts;
  return addCounts(counts, encoded);
}

/**
 * Means and sample deviations of parts to those of the whole (Chan, Golub and LeVeque 1979).
 * @param {Sums['service']} into
 * @param {HistogramWindow} w
 */
function addMoments(into, { count, meanMs, sdMs }) {
  if (count === 0) return;
  const delta = meanMs - into.mean;
  const n = into.n + count;
  into.m2 += (sdMs ?? 0) ** 2 * (count - 1) + (delta ** 2 * into.n * count) / n;
  into.mean += (delta * count) / n;
  into.n = n;
}

/**
 * @param {{n: number, sumMs: number}} into
 * @param {number} n values of the part
 * @param {number | null | undefined} meanMs of the part
 */
function addMean(into, n, meanMs) {
  into.n += n;
  into.sumMs += (meanMs ?? 0) * n;
}

/**
 * @param {Map<number, SeriesPoint>} into by second
 * @param {SeriesPoint[]} series
 */
function addSeries(into, series) {
  for (const point of series) {
    const known = into.get(point.t);
    if (!known) {
      into.set(point.t, { ...point });
      continue;
    }
    // A second that one runner alone had successes in keeps its percentiles; those of several are nobody's.
    const quantiles = known.count === 0 ? point : point.count === 0 ? known : UNKNOWN;
    known.count += point.count;
    known.errors += point.errors;
    known.maxMs = /** @type {number} */ (most(known.maxMs, point.maxMs));
    Object.assign(known, { p50Ms: quantiles.p50Ms, p95Ms: quantiles.p95Ms, p99Ms: quantiles.p99Ms });
  }
}

const UNKNOWN = { p50Ms: null, p95Ms: null, p99Ms: null };

/**
 * A window of a given length begins with its first runner and has that length: each runner counted for as long. One that
 * ends with its last operation lasts from the first runner's begin to the last one's end.
 * @param {Sums} sums
 * @returns {HistogramWindow}
 */
function windowOf(sums) {
  const { window, startsMs, endMs, longestMs, counted, errors, histograms, service, presentMs } = sums;
  const startMs = startsMs.reduce((low, t) => Math.min(low, t), Number.POSITIVE_INFINITY);
  const encoded = (/** @type {Counts | null} */ counts) => counts && encodeCounts(counts);
  const meanOf = (/** @type {{n: number, sumMs: number}} */ { n, sumMs }) => (n === 0 ? null : sumMs / n);
  return {
    ...window,
    startMs,
    endMs: presentMs === null ? startMs + longestMs : endMs,
    ...counted,
    errors,
    ...(sums.errorKinds ? { errorKinds: sums.errorKinds } : {}),
    ...(sums.failedMs === undefined ? {} : { failedMs: sums.failedMs }),
    meanMs: /** @type {number} */ (service.n === 0 ? null : service.mean),
    sdMs: /** @type {number} */ (deviationOf(service)),
    service: encoded(histograms.service),
    response: encoded(histograms.response),
    lag: encoded(histograms.lag),
    responseMeanMs: meanOf(sums.means.response),
    lagMeanMs: meanOf(sums.means.lag),
    series: [...sums.series.values()].sort((a, b) => a.t - b.t),
    ...(presentMs === null ? {} : { presentMs }),
  };
}

/** @param {Sums['service']} moments */
function deviationOf({ n, m2 }) {
  if (n === 0) return null;
  return n === 1 ? 0 : Math.sqrt(m2 / (n - 1));
}

/**
 * @param {(...values: number[]) => number} of
 * @returns {(a: number | null | undefined, b: number | null | undefined) => any} null or undefined only where both are
 */
function extreme(of) {
  return (a, b) => (typeof a === 'number' && typeof b === 'number' ? of(a, b) : (a ?? b));
}

const [least, most] = [extreme(Math.min), extreme(Math.max)];

/**
 * Every runner keeps its own account at its own moments: they are read at common ones, the ends of windows among them.
 * @param {Float64Array[]} accounts moment (epoch ms) and CPU seconds by turns
 * @param {number[]} bounds of windows, epoch ms
 * @returns {CpuPoint[]}
 */
function cpuOfAll(accounts, bounds) {
  if (accounts.length === 0) return [];
  const from = accounts.reduce((low, a) => Math.min(low, a[0]), Number.POSITIVE_INFINITY);
  const to = accounts.reduce((high, a) => Math.max(high, a[a.length - 2]), 0);
  const inside = bounds.filter((t) => t > from && t < to);
  const even = Array.from({ length: CPU_MOMENTS }, (_, i) => from + ((to - from) * i) / (CPU_MOMENTS - 1));
  const moments = Float64Array.from([...new Set([...even, ...inside])]).sort();
  const all = new Float64Array(moments.length);
  for (const account of accounts) addAccount(all, moments, account);
  return Array.from(moments, (t, i) => ({ t, cpuSec: all[i] }));
}

/**
 * @param {Float64Array} all added to: CPU seconds by each moment, since the account began
 * @param {Float64Array} moments ascending
 * @param {Float64Array} account
 */
function addAccount(all, moments, account) {
  const last = account.length - 2;
  let at = 0;
  for (let i = 0; i < moments.length; i++) {
    const t = moments[i];
    while (at < last && account[at + 2] <= t) at += 2;
    const [t0, c0] = [account[at], account[at + 1]];
    const share = at < last && t > t0 ? (t - t0) / (account[at + 2] - t0) : 0;
    all[i] += c0 - account[1] + (share === 0 ? 0 : share * (account[at + 3] - c0));
  }
}

/**
 * What was acknowledged and sent adds up, and what is in doubt is put together; of the rest each runner notes the same.
 * @param {Record<string, any>[]} notes
 * @returns {Record<string, unknown>}
 */
function mergedNotes(notes) {
  /** @type {Record<string, Record<string, any>>} numbers, and the spans in doubt */
  const totals = {};
  for (const note of notes)
    for (const [op, own] of Object.entries(note.totals ?? {})) {
      const sum = totals[op] ?? {};
      totals[op] = sum;
      for (const [name, n] of Object.entries(own))
        sum[name] = Array.isArray(n) ? [...(sum[name] ?? []), ...n] : (sum[name] ?? 0) + n;
    }
  const tallies = notes.flatMap((n) => (n.tally ? [n.tally] : []));
  return {
    ...notes[0],
    ...(Object.keys(totals).length > 0 ? { totals } : {}),
    ...(tallies.length > 0 ? { tally: mergedTally(tallies) } : {}),
  };
}

/**
 * @param {{start: number[], sent: number[], acked: number[]}[]} tallies
 */
function mergedTally([first, ...others]) {
  const sent = [...first.sent];
  const acked = [...first.acked];
  for (const other of others)
    for (let key = 0; key < sent.length; key++) {
      sent[key] += other.sent[key];
      acked[key] += other.acked[key];
    }
  return { start: first.start, sent, acked };
}

/**
 * Of what k6 itself summed up only counters are read, and they add up.
 * @param {Record<string, {values: {count: number}}>} into by name
 * @param {Record<string, any>} metrics of one k6
 */
function addCounters(into, metrics) {
  for (const [name, { type, values }] of Object.entries(metrics))
    if (type === 'counter')
      into[name] = { values: { count: (into[name]?.values.count ?? 0) + values.count } };
}
