import * as hdr from 'hdr-histogram-js';

/** @import { EncodedHistogram, HistogramWindow, Latency } from '../types.d.ts' */

/** How many histogram units one millisecond has, by the unit's name in the export. */
const UNITS_PER_MS = Object.freeze({ '100ns': 10_000 });

/**
 * @param {EncodedHistogram} encoded
 * @param {{meanMs?: number | null, sdMs?: number | null, minMs?: number | null, maxMs?: number | null}} [exact]
 *   figures from running sums, which beat those of the buckets
 * @returns {Latency | null} null when it is empty
 */
export function latencyOf(encoded, exact = {}) {
  return latencyIn(hdr.decodeFromCompressedBase64(encoded.data), unitsPerMs(encoded), exact);
}

/**
 * Several operations as one: their histograms added, which percentiles cannot be.
 * @param {HistogramWindow[]} windows of one cell
 * @returns {Latency | null} null when all are empty
 */
export function latencyOfAll(windows) {
  const full = windows.filter((w) => w.service !== null && w.count > 0);
  if (full.length === 0) return null;
  const encoded = full.map((w) => /** @type {EncodedHistogram} */ (w.service));
  const sum = hdr.build({ numberOfSignificantValueDigits: 3, autoResize: true });
  for (const { data } of encoded) sum.add(/** @type {any} */ (hdr.decodeFromCompressedBase64(data)));
  const count = full.reduce((n, w) => n + w.count, 0);
  const known = (/** @type {(number | null | undefined)[]} */ values) => {
    const numbers = values.filter((v) => typeof v === 'number');
    return numbers.length === values.length ? numbers : null;
  };
  const lowest = known(full.map((w) => w.minMs));
  const highest = known(full.map((w) => w.maxMs));
  return latencyIn(sum, unitsPerMs(encoded[0]), {
    meanMs: full.reduce((total, w) => total + w.meanMs * w.count, 0) / count,
    minMs: lowest && Math.min(...lowest),
    maxMs: highest && Math.max(...highest),
  });
}

/** @param {EncodedHistogram} encoded */
function unitsPerMs({ unit }) {
  const perMs = /** @type {Record<string, number>} */ (UNITS_PER_MS)[unit];
  if (perMs === undefined) throw new Error(`unknown histogram unit "${unit}"`);
  return perMs;
}

/**
 * @param {hdr.Histogram} histogram
 * @param {number} perMs
 * @param {{meanMs?: number | null, sdMs?: number | null, minMs?: number | null, maxMs?: number | null}} exact
 * @returns {Latency | null}
 */
function latencyIn(histogram, perMs, exact) {
  if (histogram.totalCount === 0) return null;
  const at = (/** @type {number} */ p) => milli(histogram.getValueAtPercentile(p) / perMs);
  return {
    min: milli(exact.minMs ?? histogram.minNonZeroValue / perMs),
    mean: milli(exact.meanMs ?? histogram.mean / perMs),
    sd: milli(exact.sdMs ?? histogram.stdDeviation / perMs),
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max: milli(exact.maxMs ?? histogram.maxValue / perMs),
  };
}

/** @param {number} ms to a tenth of a microsecond, which is what was recorded */
function milli(ms) {
  return Number(ms.toFixed(4));
}
