import * as hdr from 'hdr-histogram-js';

/** @import { EncodedHistogram, Latency } from '../types.d.ts' */

/** How many histogram units one millisecond has, by the unit's name in the export. */
const UNITS_PER_MS = Object.freeze({ '100ns': 10_000 });

/**
 * @param {EncodedHistogram} encoded
 * @param {{meanMs?: number | null, sdMs?: number | null, minMs?: number | null, maxMs?: number | null}} [exact]
 *   figures from running sums, which beat those of the buckets
 * @returns {Latency | null} null when it is empty
 */
export function latencyOf(encoded, exact = {}) {
  const perMs = /** @type {Record<string, number>} */ (UNITS_PER_MS)[encoded.unit];
  if (perMs === undefined) throw new Error(`unknown histogram unit "${encoded.unit}"`);
  const histogram = hdr.decodeFromCompressedBase64(encoded.data);
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
