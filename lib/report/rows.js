import { cellReasons, REASONS, verdictOf } from '../judge/verdict.js';
import { median, medianInterval } from '../stats/summary.js';

/** @import { CellRecord, Interval, OperationResult, Step, VerdictStatus } from '../types.d.ts' */

/**
 * One system on one operation of one step, all repeats together. Percentiles of repeats are never averaged:
 * the median of the repeats' percentiles is given, and their range.
 * @typedef {object} Row
 * @property {string} workload
 * @property {string} transport
 * @property {string} system
 * @property {string} title
 * @property {Step} step
 * @property {string} operation
 * @property {CellRecord[]} cells
 * @property {VerdictStatus | 'FAILED'} status
 * @property {string[]} codes of the reasons, most frequent first
 * @property {number} usable repeats that are not INVALID
 * @property {Interval | null} ratePerSec
 * @property {Record<'min' | 'p50' | 'p90' | 'p95' | 'p99' | 'p999' | 'max' | 'mean' | 'sd', number> | null} serviceMs
 * @property {{low: number, high: number} | null} p99Range
 * @property {number | null} responseP99Ms
 * @property {number | null} lagP99Ms
 * @property {number | null} targetPerSec
 * @property {number} dropped
 * @property {number} errors
 * @property {number} count
 * @property {number | null} durationMs of the operation's window
 * @property {number | null} systemCpuUsPerOp
 * @property {number | null} generatorCpuRatio
 * @property {number | null} ceilingPerSec
 * @property {string | null} failure why there is no figure
 */

/**
 * @param {CellRecord[]} records
 * @returns {Row[]} in the order of the plan's cells
 */
export function rowsOf(records) {
  /** @type {Map<string, CellRecord[]>} */
  const groups = new Map();
  for (const r of records) {
    const key = [r.workload, r.transport, r.step.id, r.system].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), r]);
  }
  return [...groups.values()].flatMap((cells) => {
    const operations = cells.find((c) => c.status === 'ok')?.operations ?? cells[0].operations;
    const names = Object.keys(operations);
    return (names.length > 0 ? names : ['']).map((operation) => rowOf(cells, operation));
  });
}

/**
 * @param {CellRecord[]} cells repeats
 * @param {string} operation '' when no repeat got as far as having any
 * @returns {Row}
 */
function rowOf(cells, operation) {
  const [first] = cells;
  const usable = cells.filter((c) => verdictOf(c, operation) !== 'INVALID');
  const results = usable.map((c) => c.operations[operation]);
  const middle = (/** @type {(r: OperationResult) => number | null | undefined} */ read) => {
    const values = results.map(read).filter((v) => v !== null && v !== undefined);
    return values.length > 0 ? median(values) : null;
  };
  const sum = (/** @type {(r: OperationResult) => number} */ read) =>
    results.reduce((s, r) => s + read(r), 0);
  const p99s = results.flatMap((r) => r.serviceMs?.p99 ?? []);
  return {
    workload: first.workload,
    transport: first.transport,
    system: first.system,
    title: first.title,
    step: first.step,
    operation,
    cells,
    status: rowStatus(cells, operation),
    codes: codesOf(cells, operation),
    usable: usable.length,
    ratePerSec: results.length > 0 ? medianInterval(results.map((r) => r.ratePerSec)) : null,
    serviceMs: results.length > 0 ? middleLatency(results) : null,
    p99Range: p99s.length > 0 ? { low: Math.min(...p99s), high: Math.max(...p99s) } : null,
    responseP99Ms: middle((r) => r.responseMs?.p99),
    lagP99Ms: middle((r) => r.lagMs?.p99),
    targetPerSec: middle((r) => r.targetPerSec),
    dropped: sum((r) => r.dropped),
    errors: sum((r) => Object.values(r.errors).reduce((s, n) => s + n, 0)),
    count: sum((r) => r.count),
    durationMs: middle((r) => r.durationMs),
    systemCpuUsPerOp: middle((r) => r.systemCpuUsPerOp),
    generatorCpuRatio: middle((r) => r.generatorCpuRatio),
    ceilingPerSec: middle((r) => r.ceilingPerSec),
    failure: usable.length > 0 ? null : failureOf(cells, operation),
  };
}

/**
 * @param {OperationResult[]} results
 * @returns {Row['serviceMs']}
 */
function middleLatency(results) {
  const of = (/** @type {'min' | 'p50' | 'p90' | 'p95' | 'p99' | 'p999' | 'max' | 'mean' | 'sd'} */ key) =>
    median(results.map((r) => r.serviceMs?.[key] ?? Number.NaN));
  return {
    mean: of('mean'),
    sd: of('sd'),
    min: of('min'),
    p50: of('p50'),
    p90: of('p90'),
    p95: of('p95'),
    p99: of('p99'),
    p999: of('p999'),
    max: of('max'),
  };
}

/**
 * One doubtful repeat makes the row doubtful: to keep only the repeats under a limit would choose the slow ones.
 * Invalid repeats are left out and counted.
 * @param {CellRecord[]} cells
 * @param {string} operation
 * @returns {Row['status']}
 */
function rowStatus(cells, operation) {
  if (cells.every((c) => c.status !== 'ok')) return 'FAILED';
  const verdicts = cells.map((c) => verdictOf(c, operation));
  if (verdicts.every((v) => v === 'INVALID')) return 'INVALID';
  return verdicts.includes('DEGRADED') ? 'DEGRADED' : 'VALID';
}

/**
 * @param {Row} row
 * @returns {boolean} whether its throughput may be quoted: it is valid, or a lower bound and nothing worse
 */
export function isQuotable(row) {
  if (row.status !== 'DEGRADED') return row.status === 'VALID';
  return degradedCodes(row).every((code) => code === 'generator_bound');
}

/**
 * @param {Row} row
 * @returns {string[]} codes that make it DEGRADED; those of INVALID repeats concern what is left out
 */
export function degradedCodes({ codes }) {
  return codes.filter((code) => REASONS[code].status === 'DEGRADED');
}

/**
 * @param {CellRecord[]} cells
 * @param {string} operation
 * @returns {string[]}
 */
function codesOf(cells, operation) {
  const codes = cells.flatMap((c) => [
    ...cellReasons(c).map((r) => r.code),
    ...(c.operations[operation]?.verdict.reasons.map((r) => r.code) ?? []),
  ]);
  const times = (/** @type {string} */ code) => codes.filter((c) => c === code).length;
  return [...new Set(codes)].sort((a, b) => times(b) - times(a) || a.localeCompare(b));
}

/**
 * @param {CellRecord[]} cells
 * @param {string} operation
 * @returns {string} one line
 */
function failureOf(cells, operation) {
  const failed = cells.find((c) => c.status !== 'ok');
  if (failed && cells.every((c) => c.status !== 'ok')) return `${failed.status}: ${failed.reason}`;
  return codesOf(cells, operation)
    .filter((code) => REASONS[code].status === 'INVALID')
    .join(', ');
}
