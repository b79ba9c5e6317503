import { inflateSync } from 'node:zlib';
import * as hdr from 'hdr-histogram-js';
import { BenchError, causeOf } from '../errors.js';

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
  return latencyIn(decode(encoded), unitsPerMs(encoded), exact);
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
  for (const one of encoded) sum.add(/** @type {any} */ (decode(one)));
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

/** More than a histogram of three digits over every time there is; ours take some kilobytes. */
const MAX_BYTES = 1 << 20;
/** Cookie and length before the compressed part, of the format V2. */
const HEAD_BYTES = 8;
/** Where the inflated part has its number of digits: they set how much memory the counts take. */
const DIGITS_AT = 12;
const MAX_DIGITS = 3;

/**
 * @param {EncodedHistogram} encoded from a file, which may come from elsewhere
 * @returns {hdr.Histogram}
 * @throws {BenchError} when it is none, or unpacks to more than any that we write
 */
function decode({ data }) {
  let plain;
  try {
    plain = inflateSync(Buffer.from(data, 'base64').subarray(HEAD_BYTES), { maxOutputLength: MAX_BYTES });
    if (plain.readUInt32BE(DIGITS_AT) > MAX_DIGITS) throw new Error('too many digits');
    return hdr.decodeFromCompressedBase64(data);
  } catch (error) {
    const why = plain || !isTooLarge(error) ? causeOf(error) : `it unpacks to more than ${MAX_BYTES} bytes`;
    throw new BenchError(`a histogram cannot be read: ${why}`, { cause: error });
  }
}

/** @param {unknown} error */
function isTooLarge(error) {
  return /** @type {NodeJS.ErrnoException} */ (error)?.code === 'ERR_BUFFER_TOO_LARGE';
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
