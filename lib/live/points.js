/**
 * What the runner writes to the live store beside k6's own output. Nothing is ever read back: figures of a report come
 * from the raw files alone. The dashboards in stacks/_shared/grafana query these names.
 * @import { CellPlan, CellRecord, OperationResult, Plan, ProcessSample, ResourceSample } from '../types.d.ts'
 * @import { Point } from './line.js'
 */

/**
 * @param {CellPlan} cell
 * @param {Plan} plan
 */
function tagsOf(cell, plan) {
  return {
    run: plan.runId,
    profile: plan.profileId,
    system: cell.system,
    workload: cell.workload,
    transport: cell.transport,
    step: cell.step.id,
    repeat: cell.repeat,
    role: cell.role,
  };
}

/**
 * An annotation.
 * @param {'start' | 'end'} kind
 * @param {CellPlan} cell
 * @param {Plan} plan
 * @param {string} text one line
 * @returns {Point}
 */
export function eventPoint(kind, cell, plan, text) {
  const title = `${cell.system} · ${cell.workload} · ${cell.step.id} · repeat ${cell.repeat}`;
  return {
    measurement: 'run_event',
    tags: { ...tagsOf(cell, plan), kind },
    fields: { title, text, tags: [kind, cell.system, cell.step.id].join(',') },
    timeMs: Date.now(),
  };
}

/**
 * Which containers are a system's: cAdvisor knows them by name only.
 * @param {CellPlan} cell
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
 * What system, generator and host used between two samples.
 * @param {CellPlan} cell
 * @param {Plan} plan
 * @param {{before: ResourceSample, now: ResourceSample, generatorCores: number}} samples
 * @returns {Point[]}
 */
export function usePoints(cell, plan, { before, now, generatorCores }) {
  const seconds = (now.t - before.t) / 1000;
  const point = (/** @type {string} */ subject, /** @type {Point['fields']} */ fields) => ({
    measurement: 'resource_use',
    tags: { ...tagsOf(cell, plan), subject },
    fields,
    timeMs: now.t,
  });
  const busy = now.host.busySec - before.host.busySec;
  const all = now.host.totalSec - before.host.totalSec;
  const generator = useBetween(before.generator, now.generator, seconds);
  const share = (/** @type {number | null | undefined} */ cores) =>
    cores === null || cores === undefined ? null : cores / generatorCores;
  return [
    point('system', useBetween(before.system, now.system, seconds)),
    point('generator', {
      ...generator,
      cpu_share: share(/** @type {number | null} */ (generator.cpu_cores)),
    }),
    point('host', { cpu_share: all > 0 ? busy / all : null }),
  ];
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

/** Ends the name of a bar that is a lower bound. */
export const BOUND = ' · at least';

/**
 * The judged figures of a cell, one point for each operation; one without figures for a cell that has none.
 * @param {CellRecord} record
 * @param {string} profileId
 * @param {(operation: string) => string} verdictOf under which an operation may be shown
 * @returns {Point[]}
 */
export function resultPoints(record, profileId, verdictOf) {
  const tags = {
    run: record.runId,
    profile: profileId,
    system: record.system,
    workload: record.workload,
    transport: record.transport,
    step: record.step.id,
    repeat: record.repeat,
    role: record.role,
    engine: record.engine,
    status: record.status,
  };
  const timeMs = Date.parse(record.startedAt ?? '') + (record.durationMs ?? 0) || Date.now();
  const why = (/** @type {string | undefined} */ op) =>
    record.verdict.reasons
      .filter((r) => r.operation === undefined || r.operation === op)
      .map((r) => r.code)
      .join(', ') || record.reason;
  const operations = Object.entries(record.operations);
  if (record.status !== 'ok' || operations.length === 0) {
    return [
      {
        measurement: 'run_result',
        tags: { ...tags, verdict: 'INVALID' },
        fields: { why: why(undefined) ?? record.status },
        timeMs,
      },
    ];
  }
  return operations.map(([op, result]) => {
    const verdict = verdictOf(op);
    const bar = `${record.system}${verdict === 'DEGRADED' ? BOUND : ''}`;
    return {
      measurement: 'run_result',
      tags: { ...tags, op, verdict, bar },
      fields: {
        ...figures(result),
        ...costs(record),
        vus: record.step.vus,
        why: why(op) ?? 'all gates passed',
      },
      timeMs,
    };
  });
}

/** @param {OperationResult} o */
function figures(o) {
  const failed = Object.values(o.errors).reduce((sum, n) => sum + n, 0);
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

/** @param {CellRecord} record */
function costs({ resources: { system } }) {
  return { system_cpu_cores: system?.cpuCores, system_rss_peak_bytes: system?.rssPeakBytes };
}
