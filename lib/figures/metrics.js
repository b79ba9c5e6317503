/**
 * @import { MetricName } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 * @import { Row } from './rows.js'
 */

/** @typedef {{title: string, unit: string, moreIsBetter: boolean, of?: (row: Row) => Figure | null}} Metric `of`: of a load's row */

/**
 * What two sides can be compared by, and which way is better.
 * @type {Readonly<Record<MetricName, Metric>>}
 */
export const METRICS = Object.freeze({
  throughput: { title: 'throughput', unit: 'op/s', moreIsBetter: true, of: (r) => r.ratePerSec },
  p50: { title: 'p50', unit: 'ms', moreIsBetter: false, of: (r) => r.serviceMs.p50 },
  p95: { title: 'p95', unit: 'ms', moreIsBetter: false, of: (r) => r.serviceMs.p95 },
  p99: { title: 'p99', unit: 'ms', moreIsBetter: false, of: (r) => r.serviceMs.p99 },
  cpu: { title: 'CPU per operation', unit: 'µs', moreIsBetter: false, of: (r) => r.systemCpuUsPerOp },
  memory: {
    ...{ title: 'peak memory', unit: 'bytes', moreIsBetter: false },
    of: (r) => r.used.system.rssPeakBytes,
  },
  response: { title: 'response p99', unit: 'ms', moreIsBetter: false, of: (r) => r.responseP99Ms },
  efficiency: { title: 'CPU efficiency', unit: 'op per CPU-second', moreIsBetter: true },
  startUp: { title: 'start-up', unit: 'ms', moreIsBetter: false },
  size: { title: 'stored data', unit: 'bytes', moreIsBetter: false },
  hitRatio: { title: 'hit ratio', unit: '%', moreIsBetter: true, of: (r) => r.hitPercent },
  recovery: { title: 'p99 back after', unit: 'ms', moreIsBetter: false },
});

/**
 * What loads have, and is compared between runs.
 * @type {readonly MetricName[]}
 */
export const OF_LOADS = Object.freeze(['throughput', 'p50', 'p95', 'p99', 'cpu', 'memory', 'hitRatio']);
