import * as hdr from 'hdr-histogram-js';
import { latencyOf } from '../stats/histogram.js';

/**
 * What a runner exports, made up: as many windows, seconds, buckets and CPU points as a real one of that length has.
 * @import { EncodedHistogram, HistogramExport } from '../types.d.ts'
 */

/** Of the CPU account of a process, at most. */
const MAX_CPU_POINTS = 2048;

/**
 * @param {() => number} random
 * @param {{seconds: number, operations: number, windows?: number}} load `operations` in each window
 * @returns {HistogramExport}
 */
export function syntheticRunner(random, { seconds, operations, windows = 3 }) {
  const startMs = 1_700_000_000_000 + Math.round(10 * random());
  const points = Math.min(MAX_CPU_POINTS, Math.ceil((seconds * windows * 1000) / 50));
  return {
    schemaVersion: 1,
    notes: {
      totals: Object.fromEntries(
        Array.from({ length: windows }, (_, i) => [
          `operation-${i}`,
          { acked: operations, indeterminate: 0 },
        ]),
      ),
    },
    windows: Array.from({ length: windows }, (_, i) => ({
      op: `operation-${i}`,
      phase: 'measure',
      startMs: startMs + i * 1000 * seconds,
      endMs: startMs + (i + 1) * 1000 * seconds,
      firstStartMs: startMs,
      lastEndMs: startMs + 1000 * seconds,
      count: operations,
      late: 0,
      early: 0,
      aborted: 0,
      dropped: 0,
      errors: { connect: 0, timeout: 0, protocol: 0, server: 0, other: 0 },
      sdMs: 1,
      ...timed(histogramOf(random, operations)),
      response: histogramOf(random, operations),
      lag: histogramOf(random, operations),
      series: Array.from({ length: seconds }, (_, t) => ({
        t,
        count: Math.floor(operations / seconds) + (t < operations % seconds ? 1 : 0),
        errors: 0,
        p50Ms: 1 + random(),
        p95Ms: 2 + random(),
        p99Ms: 3 + random(),
        maxMs: 4 + random(),
      })),
    })),
    cpu: Array.from({ length: points }, (_, i) => ({
      t: startMs + (i * seconds * windows * 1000) / points,
      cpuSec: i * 0.02,
    })),
    loops: [],
  };
}

/** @param {EncodedHistogram} service */
function timed(service) {
  const { mean, min, max } = /** @type {import('../types.d.ts').Latency} */ (latencyOf(service));
  return { service, meanMs: mean, minMs: min, maxMs: max };
}

/**
 * @param {() => number} random
 * @param {number} n
 * @returns {EncodedHistogram}
 */
function histogramOf(random, n) {
  const histogram = hdr.build({ highestTrackableValue: 600_000_000, numberOfSignificantValueDigits: 3 });
  // A thousand draws fill as many buckets as a real load does; the rest are repeats of them.
  const draws = Math.min(n, 1000);
  for (let i = 0; i < draws; i++) {
    const times = Math.floor(n / draws) + (i < n % draws ? 1 : 0);
    histogram.recordValueWithCount(Math.round(500 + 1e6 * random() ** 8), times);
  }
  return {
    encoding: 'hdr-v2-deflate-base64',
    unit: '100ns',
    data: hdr.encodeIntoCompressedBase64(histogram),
  };
}
