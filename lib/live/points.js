import { stepText } from '../config/step-text.js';
import { failedOf } from '../judge/schedule.js';
import { verdictOf } from '../judge/verdict.js';
import { whyText } from '../judge/why.js';
import { hostBetween } from '../sample/processes.js';

/**
 * What the runner writes to the live store beside k6's own output. Nothing is ever read back: figures of a report come
 * from the raw files alone. The dashboards in stacks/_shared/grafana query these names.
 * @import { CellPlan, CellRecord, OperationResult, Plan, ProcessSample, RawSlice, RecentMs, ResourceSample } from '../types.d.ts'
 * @import { Point } from './line.js'
 */

/** What is loaded, and by what. @typedef {Omit<CellPlan, 'id' | 'telemetry' | 'step'> & {step: {id: string}}} ShownLoad */

/**
 * @param {ShownLoad} cell
 * @param {Plan} plan
 */
function tagsOf({ system, workload, transport, step, repeat, role }, { runId: run, profileId: profile }) {
  return { run, profile, system, workload, transport, step: step.id, repeat, role };
}

/** Each one line; `systems` and `load` make its title. @typedef {{text: string, systems: string, load?: string}} EventWords */

/**
 * An annotation, where a load, or a trial of several, starts or ends.
 * @param {'start' | 'load' | 'end'} kind
 * @param {ShownLoad} cell
 * @param {Plan} plan
 * @param {EventWords} words
 * @returns {Point}
 */
export function eventPoint(kind, cell, plan, { text, systems, load = 'side by side' }) {
  const title = `${systems} · ${cell.workload} · ${load} · repeat ${cell.repeat}`;
  return {
    measurement: 'run_event',
    tags: { ...tagsOf(cell, plan), kind },
    fields: { title, text, tags: [kind, cell.system].join(',') },
    timeMs: Date.now(),
  };
}

/**
 * Which containers are a system's: cAdvisor knows them by name only.
 * @param {Pick<ShownLoad, 'system'>} cell
 * @param {Plan} plan
 * @param {string} container
 * @returns {Point}
 */
export function containerPoint(cell, plan, container) {
  return {
    measurement: 'run_container',
    tags: { run: plan.runId, system: cell.system, container },
    fields: { seen: 1 },
    timeMs: Date.now(),
  };
}

/**
 * Who used what.
 * @param {ShownLoad} load
 * @param {Plan} plan
 * @param {number} timeMs epoch
 * @param {{system: Point['fields'], generator: Point['fields'], host: RawSlice['host'], generatorCores: number}} used
 * @returns {Point[]}
 */
function usedPoints(load, plan, timeMs, { system, generator, host, generatorCores }) {
  const tags = tagsOf(load, plan);
  const cores = generator.cpu_cores ?? null;
  return Object.entries({
    system,
    generator: { ...generator, cpu_share: cores === null ? null : Number(cores) / generatorCores },
    host: { cpu_share: host.totalSec > 0 ? host.busySec / host.totalSec : null },
  }).map(([subject, fields]) => ({
    ...{ measurement: 'resource_use', tags: { ...tags, subject }, fields, timeMs },
  }));
}

/**
 * What system, generator and host used between two samples.
 * @param {CellPlan} cell
 * @param {Plan} plan
 * @param {{before: ResourceSample, now: ResourceSample, generatorCores: number}} samples
 * @returns {Point[]}
 */
export function usePoints(cell, plan, { before, now, generatorCores }) {
  const seconds = (now.t - before.t) / 1000;
  return usedPoints(cell, plan, now.t, {
    system: useBetween(before.system, now.system, seconds),
    generator: useBetween(before.generator, now.generator, seconds),
    ...{ host: hostBetween(before.host, now.host), generatorCores },
  });
}

/**
 * @param {ProcessSample | null} before
 * @param {ProcessSample | null} now
 * @param {number} seconds
 * @returns {Point['fields']}
 */
function useBetween(before, now, seconds) {
  if (!before || !now || seconds <= 0) return {};
  const rate = (/** @type {number | null} */ from, /** @type {number | null} */ to) =>
    from === null || to === null || to < from ? null : (to - from) / seconds;
  return {
    cpu_cores: rate(before.cpuSec, now.cpuSec),
    rss_bytes: now.rssBytes,
    io_read_bytes_per_sec: rate(before.ioReadBytes, now.ioReadBytes),
    io_write_bytes_per_sec: rate(before.ioWriteBytes, now.ioWriteBytes),
  };
}

/**
 * What one of the systems of a trial did in a piece of load.
 * @typedef {object} ShownSide
 * @property {RawSlice['sides'][number]} side
 * @property {RecentMs} recentMs
 * @property {{before: ProcessSample | null, now: ProcessSample | null, seconds: number}} use
 */

/**
 * The same measurements as k6 and the runner write of a load of its own. Pieces follow each other by the second, each of
 * another load: they are one phase without an operation, so that nobody adds them up.
 * @param {ShownLoad} load
 * @param {Plan} plan
 * @param {ShownSide} shown
 * @param {{slice: RawSlice, seconds: number, users: number, generatorCores: number}} piece
 * @returns {Point[]}
 */
export function slicePoints(load, plan, { side, recentMs, use }, { slice, seconds, users, generatorCores }) {
  const timeMs = Date.now();
  const tags = { ...tagsOf(load, plan), phase: 'trial' };
  const value = (/** @type {string} */ measurement, /** @type {number} */ value) => ({
    ...{ measurement, tags, fields: { value }, timeMs },
  });
  const { threads, report } = side;
  const cores = threads && threads.cpuSec / threads.seconds;
  const own = slice.generator && slice.generator.cpuSec / slice.generator.seconds;
  const latencies = Object.entries(recentMs).flatMap(([op, ms]) =>
    Object.entries(ms ?? {}).map(([name, v]) => ({ ...value(`op_${name}_ms`, v), tags: { ...tags, op } })),
  );
  return [
    value('op_rate_per_sec', report.acked / seconds),
    value('op_errors', report.failed),
    value('vus', users),
    ...latencies,
    ...usedPoints(load, plan, timeMs, {
      system: {
        ...useBetween(use.before, use.now, use.seconds),
        cpu_cores: cores,
        ops_per_cpu_sec: cores ? report.acked / seconds / cores : null,
      },
      ...{ generator: { cpu_cores: own }, host: slice.host, generatorCores },
    }),
  ];
}

/** Ends the name of a bar that is a bound: a throughput is at least that, a latency at most. */
export const BOUND = ' · bound';

/**
 * The judged figures of a cell, one point for each operation; one without figures for a cell that has none.
 * @param {CellRecord} record
 * @param {Plan} plan
 * @returns {Point[]}
 */
export function resultPoints(record, plan) {
  const { engine, status } = record;
  const tags = { ...tagsOf(record, plan), step: stepText(plan, record.step.id), engine, status };
  const timeMs = Date.parse(record.startedAt ?? '') + (record.durationMs ?? 0) || Date.now();
  const why = (/** @type {string | undefined} */ op) => {
    const reasons = record.verdict.reasons.filter((r) => r.operation === undefined || r.operation === op);
    return [...new Set(reasons.map(whyText))].join(', ') || record.reason;
  };
  const operations = Object.entries(record.operations);
  const { system } = record.resources;
  const point = (/** @type {Record<string, string>} */ more, /** @type {Point['fields']} */ fields) => ({
    ...{ measurement: 'run_result', tags: { ...tags, ...more }, fields, timeMs },
  });
  if (record.status !== 'ok' || operations.length === 0)
    return [point({ verdict: 'INVALID' }, { why: why(undefined) ?? record.status })];
  return operations.map(([op, result]) => {
    const verdict = verdictOf(record, op);
    const bar = `${record.system}${verdict === 'DEGRADED' ? BOUND : ''}`;
    return point(
      { op, verdict, bar },
      {
        ...figures(result),
        system_cpu_cores: system?.cpuCores,
        system_rss_peak_bytes: system?.rssPeakBytes,
        vus: record.step.vus,
        why: why(op) ?? 'every check passed',
      },
    );
  });
}

/** @param {OperationResult} o */
function figures(o) {
  const failed = failedOf(o);
  return {
    rate_per_sec: o.ratePerSec,
    target_per_sec: o.targetPerSec,
    p50_ms: o.serviceMs?.p50,
    p95_ms: o.serviceMs?.p95,
    p99_ms: o.serviceMs?.p99,
    error_ratio: o.count + failed === 0 ? null : failed / (o.count + failed),
    dropped: o.dropped,
    system_cpu_us_per_op: o.systemCpuUsPerOp,
    generator_cpu_share: o.generatorCpuRatio,
  };
}
