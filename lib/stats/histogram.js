import { addCounts, bucketsOf, noCounts, unreadable } from './counts.js';

/**
 * @import { EncodedHistogram, HistogramWindow, Latency } from '../types.d.ts'
 * @import { Bucket, Counts } from './counts.js'
 */

/** How many histogram units one millisecond has, by the unit's name in the export. */
const UNITS_PER_MS = Object.freeze({ '100ns': 10_000 });

/** Figures from running sums, which beat those of the buckets. @typedef {Partial<Record<'meanMs' | 'sdMs' | 'minMs' | 'maxMs', number | null>>} Exact */

/**
 * @param {EncodedHistogram} encoded
 * @param {Exact} [exact]
 * @returns {Latency | null} null when it is empty
 */
export function latencyOf(encoded, exact) {
  return latencyIn(countsOf([encoded]), exact);
}

/**
 * Several operations as one: their histograms added, which percentiles cannot be.
 * @param {HistogramWindow[]} windows of one cell
 * @returns {Latency | null} null when all are empty
 */
export function latencyOfAll(windows) {
  const full = windows.filter((w) => w.service !== null && w.count > 0);
  const count = full.reduce((n, w) => n + w.count, 0);
  const edge = (/** @type {typeof Math.min} */ of, /** @type {'minMs' | 'maxMs'} */ name) => {
    const ms = of(...full.map((w) => w[name] ?? Number.NaN));
    return Number.isNaN(ms) ? null : ms;
  };
  return latencyIn(countsOf(full.flatMap((w) => w.service ?? [])), {
    meanMs: full.reduce((total, w) => total + w.meanMs * w.count, 0) / count,
    minMs: edge(Math.min, 'minMs'),
    maxMs: edge(Math.max, 'maxMs'),
  });
}

/** @param {EncodedHistogram[]} all @returns {Counts} */
function countsOf(all) {
  const sum = noCounts();
  for (const encoded of all) addCounts(sum, encoded);
  return sum;
}

/**
 * @param {Counts} sum
 * @param {Exact} [exact]
 * @returns {Latency | null} by the middle of each bucket, and of percentiles by its upper end; null when it is empty
 * @throws {import('../errors.js').BenchError} when its unit is unknown
 */
export function latencyIn(sum, exact = {}) {
  const buckets = bucketsOf(sum);
  if (buckets.length === 0) return null;
  const perMs = /** @type {Record<string, number>} */ (UNITS_PER_MS)[sum.unit];
  if (perMs === undefined) throw unreadable(`its unit ${sum.unit} is unknown`);
  const total = buckets.reduce((n, b) => n + b.count, 0);
  const meanOf = (/** @type {(bucket: Bucket) => number} */ read) =>
    buckets.reduce((n, b) => n + read(b) * b.count, 0) / total;
  const mean = meanOf((b) => b.middle);
  const at = (/** @type {number} */ percent) => {
    // A product that is a whole number may come out a little above it.
    const rank = Math.max(1, Math.ceil((percent / 100) * total * (1 - Number.EPSILON)));
    let seen = 0;
    for (const { count, highest } of buckets) {
      seen += count;
      if (seen >= rank) return milli(highest / perMs);
    }
    return milli(buckets[buckets.length - 1].highest / perMs);
  };
  return {
    min: milli(exact.minMs ?? buckets[0].lowest / perMs),
    mean: milli(exact.meanMs ?? mean / perMs),
    sd: milli(exact.sdMs ?? Math.sqrt(meanOf((b) => (b.middle - mean) ** 2)) / perMs),
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max: exact.maxMs == null ? at(100) : milli(exact.maxMs),
  };
}

/** @param {number} ms to a tenth of a microsecond, which is what was recorded */
function milli(ms) {
  return Number(ms.toFixed(4));
}
