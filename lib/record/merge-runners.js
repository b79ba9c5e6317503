import { countedBetween } from '../sample/usage.js';
import { addCounts, encodeCounts, noCounts } from '../stats/counts.js';
import { MOMENTS } from './contradiction.js';

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

/**
 * What a window says of its operations, and how that of two runners becomes that of both; whatever is not named here is the
 * same in all, or has a rule of its own below.
 * @type {readonly [(a: any, b: any) => any, readonly (keyof HistogramWindow)[]][]}
 */
const FIELDS = [
  [added, ['count', 'late', 'early', 'aborted', 'unresolved', 'dropped']],
  [added, ['errors', 'errorKinds', 'failedMs', 'presentMs']],
  [extreme(Math.min), ['firstStartMs', 'minMs']],
  [extreme(Math.max), ['endMs', 'lastEndMs', 'maxMs', 'responseMaxMs', 'lagMaxMs']],
];

/** Its distributions, and what their means are called. */
const MEANS = /** @type {const} */ ({ service: 'meanMs', response: 'responseMeanMs', lag: 'lagMeanMs' });

/** Of one distribution. `counts`: null where no runner had any. @typedef {{counts: Counts | null, n: number, mean: number, m2: number}} Times */

/**
 * Sums of one (phase, operation).
 * @typedef {object} Sums
 * @property {HistogramWindow} first of the first runner that had it
 * @property {Partial<HistogramWindow>} fields merged
 * @property {number[]} startsMs epoch, one for each runner
 * @property {number} longestMs
 * @property {Record<keyof typeof MEANS, Times>} times
 * @property {Map<number, SeriesPoint>} series by second
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
  /** @type {Record<string, any>[]} */
  const notes = [];
  /** @type {number[]} */
  const begunMs = [];
  /** @type {Merged['busiest']} */
  let busiest = null;
  let counters = {};
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
      counters = added(counters, countersOf(summary));
    },
    end() {
      const sums = [...byWindow.values()];
      const windows = sums.map(windowOf);
      const edges = windows.flatMap((w) => [w.startMs, w.endMs]);
      const timed = sums.filter(({ fields }) => fields.presentMs === undefined);
      const skewsMs = [begunMs, ...timed.map((s) => s.startsMs)].map(spread);
      return {
        histograms: {
          schemaVersion: 1,
          notes: mergedNotes(notes),
          windows,
          cpu: cpuOfAll(accounts, edges),
          loops: [],
        },
        summary: { metrics: counters },
        startSkewMs: unsureMs + Math.max(...skewsMs),
        busiest,
      };
    },
  };
}

/**
 * @param {any} a
 * @param {any} b
 * @returns {any} both together: numbers added, lists one after the other, objects name by name; of what one has not, the other's
 */
function added(a, b) {
  if ((a ?? null) === null || (b ?? null) === null) return a ?? b;
  if (typeof a === 'number') return a + b;
  if (Array.isArray(a)) return [...a, ...b];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, added(a[name], b[name])]));
}

/**
 * @param {(...values: number[]) => number} of
 * @returns {(a: number | null | undefined, b: number | null | undefined) => any} null or undefined only where both are
 */
function extreme(of) {
  return (a, b) => (typeof a === 'number' && typeof b === 'number' ? of(a, b) : (a ?? b));
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
      ...Object.fromEntries(MOMENTS.map((field) => [field, moved(w[field])])),
    })),
    ...(part.cpu ? { cpu: part.cpu.map((p) => ({ ...p, t: moved(p.t) })) } : {}),
  };
}

/** @param {number[]} values */
function spread(values) {
  return values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);
}

/**
 * @param {Map<string, Sums>} byWindow
 * @param {HistogramWindow} w
 */
function addWindow(byWindow, w) {
  const key = `${w.phase} ${w.op}`;
  const none = () => ({ counts: null, n: 0, mean: 0, m2: 0 });
  /** @type {Sums} */
  const s = byWindow.get(key) ?? {
    ...{ first: w, fields: {}, startsMs: [], longestMs: 0, series: new Map() },
    times: { service: none(), response: none(), lag: none() },
  };
  byWindow.set(key, s);
  s.startsMs.push(w.startMs);
  s.longestMs = Math.max(s.longestMs, w.endMs - w.startMs);
  for (const [both, fields] of FIELDS)
    for (const field of fields) Object.assign(s.fields, { [field]: both(s.fields[field], w[field]) });
  addTimes(s.times.service, w.service, w.meanMs, w.sdMs);
  addTimes(s.times.response, w.response, w.responseMeanMs);
  addTimes(s.times.lag, w.lag, w.lagMeanMs);
  addSeries(s.series, w.series);
}

/**
 * Means and sample deviations of parts to those of the whole (Chan, Golub and LeVeque 1979).
 * @param {Times} into
 * @param {EncodedHistogram | null} encoded
 * @param {number | null | undefined} meanMs
 * @param {number | null} [sdMs]
 */
function addTimes(into, encoded, meanMs, sdMs) {
  if (!encoded) return;
  into.counts ??= noCounts();
  const count = addCounts(into.counts, encoded);
  if (count === 0) return;
  const delta = (meanMs ?? 0) - into.mean;
  const n = into.n + count;
  into.m2 += (sdMs ?? 0) ** 2 * (count - 1) + (delta ** 2 * into.n * count) / n;
  into.mean += (delta * count) / n;
  into.n = n;
}

/**
 * @param {Map<number, SeriesPoint>} into by second
 * @param {SeriesPoint[]} series
 */
function addSeries(into, series) {
  for (const point of series) {
    const known = into.get(point.t) ?? { ...point, count: 0, errors: 0 };
    into.set(point.t, known);
    // A second that one runner alone had successes in keeps its percentiles; those of several are nobody's.
    const quantiles = known.count === 0 ? point : point.count === 0 ? known : UNKNOWN;
    known.count += point.count;
    known.errors += point.errors;
    known.maxMs = extreme(Math.max)(known.maxMs, point.maxMs);
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
function windowOf({ first, fields, startsMs, longestMs, times, series }) {
  const startMs = Math.min(...startsMs);
  const { n, m2 } = times.service;
  const named = /** @type {(keyof typeof MEANS)[]} */ (Object.keys(MEANS)).map((name) => {
    const { counts, n, mean } = times[name];
    return { [name]: counts && encodeCounts(counts), [MEANS[name]]: n === 0 ? null : mean };
  });
  return Object.assign(
    { ...first, ...fields, startMs },
    fields.presentMs === undefined ? { endMs: startMs + longestMs } : {},
    ...named,
    { sdMs: n === 0 ? null : Math.sqrt(m2 / Math.max(1, n - 1)) },
    { series: [...series.values()].sort((a, b) => a.t - b.t) },
  );
}

/**
 * Every runner keeps its own account at its own moments: they are read at common ones, the ends of windows among them.
 * @param {Float64Array[]} accounts moment (epoch ms) and CPU seconds by turns
 * @param {number[]} bounds of windows, epoch ms
 * @returns {CpuPoint[]}
 */
function cpuOfAll(accounts, bounds) {
  if (accounts.length === 0) return [];
  const from = Math.min(...accounts.map((a) => a[0]));
  const to = Math.max(...accounts.map((a) => a[a.length - 2]));
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
  const totals = notes.reduce((sum, note) => added(sum, note.totals), undefined);
  const [tally, ...others] = notes.flatMap((n) => (n.tally ? [n.tally] : []));
  const sumOf = (/** @type {'sent' | 'acked'} */ what) =>
    tally[what].map((/** @type {number} */ n, /** @type {number} */ key) =>
      others.reduce((sum, other) => sum + other[what][key], n),
    );
  return {
    ...notes[0],
    ...(totals ? { totals } : {}),
    ...(tally ? { tally: { start: tally.start, sent: sumOf('sent'), acked: sumOf('acked') } } : {}),
  };
}

/** @param {any} summary of one k6 @returns {Record<string, {values: {count: number}}>} counters alone are read of it */
function countersOf(summary) {
  const metrics = /** @type {[string, any][]} */ (Object.entries(summary?.metrics ?? {}));
  return Object.fromEntries(
    metrics
      .filter(([, { type }]) => type === 'counter')
      .map(([name, { values }]) => [name, { values: { count: values.count } }]),
  );
}
