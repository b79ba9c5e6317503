import { plainLine } from '../controls.js';
import { chaosOf } from '../judge/chaos.js';
import { METHOD_VERSION } from '../judge/method.js';
import { recoveryOf } from '../judge/recovery.js';
import { failedOf } from '../judge/schedule.js';
import { soakOf } from '../judge/soak.js';
import { cpuSecOfReadings, useOfReadings } from '../sample/readings.js';
import { clockGapSec, countedBetween, counterPoints, hostUse, resourceUse, round } from '../sample/usage.js';
import { latencyOf, latencyOfAll } from '../stats/histogram.js';
import { busiestOf } from './evidence.js';
import { footprintOf } from './footprint.js';
import { syncsWithin } from './syncs.js';

/**
 * @import { CellMeta, CellRecord, FootprintNote, HistogramExport, HistogramWindow, LiveReconciliation, OperationResult, OracleResult,
 *   PlannedSystem, ResourceSample, ResourceUse, SystemPods, UnjudgedRecord, UnjudgedResult } from '../types.d.ts'
 */

/**
 * What one cell left behind in `raw/`, read back.
 * @typedef {object} RawCell
 * @property {CellMeta} meta
 * @property {HistogramExport | null} histograms
 * @property {any} summary k6's own end-of-test object, or null
 * @property {ResourceSample[]} samples
 * @property {HistogramExport | null} [recovery] the check after a kill under load and a restart
 * @property {any} live reconciliation of the InfluxDB output, or null
 * @property {Record<string, [number, number][]> | null} [syncs] moment and time of each sync, by system call
 * @property {import('../types.d.ts').GeneratorsResult} [generators] where several runners shared the load
 * @property {string[]} files relative to the run's folder
 */

/**
 * What was seen of a load: of one by itself in samples, of one beside systems that are up in accounts at its edges.
 * @typedef {object} Seen
 * @property {HistogramWindow[]} windows in the order in which a record has them
 * @property {HistogramWindow[]} [together] those that are one load of several operations
 * @property {(w: HistogramWindow) => number} loadIn operations that the CPU of a window was spent on
 * @property {(who: 'system' | 'generator', w: HistogramWindow) => number | null} cpuSecIn CPU seconds that it used in a window;
 *   null where that was not seen
 * @property {(w: HistogramWindow) => OperationResult['busiest']} busiestIn
 * @property {UnjudgedRecord['resources']} resources
 * @property {CellRecord['systemPods']} [systemPods]
 */

/**
 * @typedef {object} Context
 * @property {string} runId
 * @property {number} [methodVersion]
 * @property {PlannedSystem} system
 * @property {number} hostCores
 * @property {boolean} [takesTurns] whether all operations of a step are one load
 * @property {string[]} [untimed] operations that are only counted
 * @property {string[]} [order] of operations
 * @property {Record<string, Pick<OperationResult, 'itemsPerOp' | 'users' | 'received' | 'share'>>} [sizes]
 */

/**
 * Raw files to one normalised record, before it is judged. Pure, so that `report --verify` can do it again.
 * @param {RawCell} raw
 * @param {Context} context
 * @param {Seen} [seen]
 * @returns {UnjudgedRecord}
 */
export function buildRecord(raw, context, seen = seenInSamples(raw, context)) {
  const { system, sizes = {}, untimed = [] } = context;
  const { meta, histograms, samples } = raw;
  const { cell, k6Html, idleCores, standIns, background, stated, processes, untaken } = meta;
  const { windows, together, resources } = seen;
  const { oracle = null, dataset, footprint, unseen, metrics, by, ...notes } = notesOf(histograms);
  return {
    ...headOf(context, meta, system),
    operations: Object.fromEntries(
      windows.map((w) => [
        w.op,
        {
          ...operationResult(w, raw, seen),
          ...(untimed.includes(w.op) ? { serviceMs: null } : {}),
          ...sizes[w.op],
        },
      ]),
    ),
    ...(together ? { wholeMs: latencyOfAll(together) } : {}),
    ...{ resources, k6Html, idleCores, standIns, background, stated, processes, untaken, oracle },
    ...(raw.syncs ? { syncs: syncsWithin(raw.syncs, windows) } : {}),
    generators: raw.generators,
    systemPods: seen.systemPods,
    metrics: metrics?.length ? metrics : undefined,
    requests: by ?? undefined,
    listed: notes.listed ?? notes.start?.listed,
    dataset,
    footprint: dataset && footprint ? footprintOf(footprint, dataset, samples) : undefined,
    ...(cell.step.soak && windows.length > 0 ? { soak: soakOf(samples, windows[0]) } : {}),
    ...(cell.role === 'durability' ? { recovery: recoveryOf(meta, histograms, raw.recovery ?? null) } : {}),
    ...(cell.role === 'chaos' ? { chaos: chaosOf(meta, histograms) } : {}),
    parity: meta.parity,
    durability: meta.durability?.meaning ?? system.durability.meaning,
    live: liveReconciliation(raw.live),
    lostOutputs: meta.outputProblems,
    unseen: unseen?.length ? unseen.map(unseenOf) : undefined,
    warnings: warningsOf(raw),
    raw: raw.files,
  };
}

/**
 * @param {RawCell} raw
 * @param {Context} context
 * @returns {Seen}
 */
function seenInSamples(raw, { hostCores, takesTurns = false, sizes = {}, order = [] }) {
  const { meta, histograms, samples } = raw;
  const windows = measuredWindows(raw, order);
  // The generator's own account is the finer one; an engine answers for a container once in a second.
  const points = {
    system: counterPoints(samples, 'system'),
    generator: histograms?.cpu?.length ? histograms.cpu : counterPoints(samples, 'generator'),
  };
  const readings = meta.systemPods?.readings;
  /** @type {Seen} */
  const seen = {
    windows,
    ...(takesTurns ? { together: windows } : {}),
    loadIn: (w) => loadOf(w, windows, sizes),
    cpuSecIn: (who, { startMs, endMs }) =>
      who === 'system' && readings
        ? cpuSecOfReadings(readings, startMs, endMs)
        : countedBetween(points[who], startMs, endMs),
    busiestIn: (w) => busiestOf(w, samples, histograms),
    resources: { system: null, generator: null, host: null },
  };
  if (windows.length === 0) return seen;
  const from = Math.min(...windows.map((w) => w.startMs));
  const to = Math.max(...windows.map((w) => w.endMs));
  // Steps by count rest between their windows: what is used there is nobody's.
  const spans = meta.cell.step.operations === undefined ? [{ from, to }] : windows.map(spanOf);
  const pods = podsOf(meta.systemPods, spans);
  const gapSec = clockGapSec(samples, from, to);
  return {
    ...seen,
    ...(pods ? { systemPods: pods.told } : {}),
    resources: {
      system: pods ? pods.use : resourceUse(samples, 'system', spans),
      generator: resourceUse(samples, 'generator', spans),
      host: hostUse(samples, hostCores, from, to),
      ...(gapSec === null ? {} : { gapSec }),
    },
  };
}

/**
 * @param {HistogramWindow} window
 * @param {HistogramExport | null} histograms
 * @returns {boolean} whether nothing of that kind ended in a script's window: it is there for others, such as the messages of
 *   sessions that are held longer than a step
 */
function isIdle({ count, errors }, histograms) {
  return notesOf(histograms).metrics !== undefined && count === 0 && failedOf({ errors }) === 0;
}

/**
 * What every record begins with: whose it is, of which load, and how it ended.
 * @param {{runId: string, methodVersion?: number}} run of which it is one: judged again, its method stays what it was
 * @param {CellMeta} meta
 * @param {PlannedSystem} system
 */
function headOf({ runId, methodVersion = METHOD_VERSION }, { cell, ...meta }, system) {
  const { version, engine, position, status, reason, logTail, startedAt, durationMs } = meta;
  return {
    schemaVersion: /** @type {const} */ (1),
    methodVersion,
    runId,
    cell: cell.id,
    system: cell.system,
    title: system.title,
    origin: system.origin,
    variant: system.variant ?? 'default',
    role: cell.role,
    workload: cell.workload,
    transport: cell.transport,
    step: cell.step,
    repeat: cell.repeat,
    ...{ version, engine, position, status, reason, logTail, startedAt, durationMs },
  };
}

/**
 * @param {RawCell} raw
 * @param {string[]} order of operations
 * @returns {HistogramWindow[]} none where a fault or a kill cut them: those are no figures of the system
 */
function measuredWindows({ meta, histograms }, order) {
  if (['durability', 'chaos'].includes(meta.cell.role)) return [];
  return (histograms?.windows ?? [])
    .filter((w) => w.phase === 'measure' && !isIdle(w, histograms))
    .sort((a, b) => a.startMs - b.startMs || placeOf(a.op, order) - placeOf(b.op, order));
}

/**
 * @param {SystemPods | undefined} systemPods
 * @param {{from: number, to: number}[]} spans
 * @returns {{use: ResourceUse | null, told: {pods: number, why: string | null}} | null} null where no cluster was asked
 */
function podsOf(systemPods, spans) {
  if (!systemPods) return null;
  const { pods, readings, why } = systemPods;
  const use = useOfReadings(readings, spans);
  const short = 'its kubelet was read too seldom for windows so short';
  return { use, told: { pods, why: use ? null : (why ?? short) } };
}

/**
 * What the load itself says beside its operations.
 * @typedef {Pick<CellRecord, 'dataset' | 'listed'> & {oracle?: OracleResult, footprint?: FootprintNote, start?: {listed?: number}}
 *   & {metrics?: CellRecord['metrics'] | null, by?: CellRecord['requests'] | null, unseen?: string[] | null, crossed?: string[] | null}}
 *   Notes in the second row those of a script alone
 * @param {HistogramExport | null} histograms
 * @returns {Notes}
 */
function notesOf(histograms) {
  return histograms?.notes ?? {};
}

/**
 * @param {string} op
 * @param {string[]} order
 */
function placeOf(op, order) {
  const at = order.indexOf(op);
  return at < 0 ? order.length : at;
}

/** @param {HistogramWindow} w */
function spanOf({ startMs, endMs }) {
  return { from: startMs, to: endMs };
}

/**
 * How many operations share the CPU of a window: all those of a mix, or that take turns, where there are any.
 * @param {HistogramWindow} w
 * @param {HistogramWindow[]} windows
 * @param {Record<string, {share?: number}>} sizes
 * @returns {number}
 */
function loadOf(w, windows, sizes) {
  const together = windows.filter((x) => sizes[x.op]?.share !== undefined);
  return together.length === 0 ? w.count : together.reduce((sum, x) => sum + x.count, 0);
}

/**
 * @param {HistogramWindow} w
 * @param {RawCell} raw
 * @param {Seen} seen
 * @returns {UnjudgedResult}
 */
function operationResult(w, { meta, summary }, { loadIn, cpuSecIn, busiestIn }) {
  const durationMs = w.endMs - w.startMs;
  const [system, generator] = [cpuSecIn('system', w), cpuSecIn('generator', w)];
  const load = loadIn(w);
  const usPerOp = (/** @type {number | null} */ cpuSec) =>
    cpuSec === null || load === 0 ? null : round((cpuSec * 1e6) / load, 3);
  return {
    count: w.count,
    late: w.late,
    aborted: w.aborted + (w.unresolved ?? 0),
    dropped: w.dropped,
    durationMs: round(durationMs, 3),
    ratePerSec: round((w.count * 1000) / durationMs, 2),
    errors: { ...w.errors },
    ...(w.errorKinds ? { errorKinds: { ...w.errorKinds } } : {}),
    ...(w.failedMs === undefined ? {} : { failedMs: round(w.failedMs, 3) }),
    serviceMs: w.service && latencyOf(w.service, w),
    series: w.series,
    targetPerSec: meta.targetPerSec[w.op] ?? null,
    responseMs: w.response && latencyOf(w.response, { meanMs: w.responseMeanMs, maxMs: w.responseMaxMs }),
    lagMs: w.lag && latencyOf(w.lag, { meanMs: w.lagMeanMs, maxMs: w.lagMaxMs }),
    systemCpuUsPerOp: usPerOp(system),
    generatorCpuUsPerOp: usPerOp(generator),
    generatorCpuRatio:
      generator === null ? null : round(generator / (durationMs / 1000) / meta.generatorCores, 4),
    busiest: busiestIn(w),
    outsideMs: outsideOf(w, meta, summary),
    ...(w.presentMs === undefined ? {} : { presentMs: round(w.presentMs, 3) }),
  };
}

/**
 * The iteration drive spends part of each iteration in JavaScript and in k6's executor, between two operations; users who
 * think rest between some.
 * @param {HistogramWindow} w
 * @param {CellMeta} meta
 * @param {any} summary
 * @returns {number | null} ms; null where the next operation follows at once
 */
function outsideOf(w, meta, summary) {
  const ofScenario = (/** @type {string} */ metric) =>
    Object.entries(summary?.metrics ?? {}).find(
      ([name]) => name.startsWith(`${metric}{scenario:`) && isScenarioOf(name, w.op),
    )?.[1].values.count;
  const turns = ofScenario('op_outside_turns');
  if (meta.parity.drive !== 'iteration' && !turns) return null;
  const counted = Object.entries(summary?.metrics ?? {}).find(
    ([name]) => name.startsWith('op_outside_ms{scenario:') && name.endsWith(`,op:${w.op}}`),
  )?.[1].values.count;
  if (counted !== undefined) {
    const performed = w.count + failedOf(w);
    return performed === 0 ? null : round(counted / performed, 5);
  }
  const sum = ofScenario('op_outside_ms');
  return sum === undefined || !turns ? null : round(sum / turns, 5);
}

/**
 * @param {string} metric `op_outside_ms{scenario:c20_measure_increment_createMessage}`
 * @param {string} op
 * @returns {boolean} whether the scenario measures the operation, alone, in a mix or in its turn
 */
function isScenarioOf(metric, op) {
  const scenario = metric.slice(metric.indexOf('_measure_')).replace('}', '_');
  const names = ['turns', op.replaceAll('-', '_')];
  return metric.includes('_measure_') && names.some((name) => scenario.includes(`_${name}_`));
}

/**
 * Points in the live store are reconciled with what the generator counted; figures never come from there.
 * @param {any} report
 * @returns {LiveReconciliation | null}
 */
function liveReconciliation(report) {
  if (!report) return null;
  const total = (/** @type {Record<string, number>} */ counts) =>
    Object.values(counts).reduce((s, n) => s + n, 0);
  const samplesSeen = total(report.samplesSeen ?? {});
  const samplesWritten = total(report.samplesWritten ?? {});
  return {
    sink: 'influxdb',
    samplesSeen,
    samplesWritten,
    pointsLost: report.pointsLost,
    lossy: report.pointsLost > 0 || samplesWritten < samplesSeen,
  };
}

/** @param {string} threshold that k6 evaluates over nothing */
function unseenOf(threshold) {
  const [, metric, tags = ''] = /** @type {RegExpExecArray} */ (/^([^{]*)(\{.*\})?$/s.exec(threshold));
  return { metric: plainLine(metric), tags: plainLine(tags) };
}

/**
 * @param {RawCell} raw
 * @returns {string[]}
 */
function warningsOf({ live, meta, histograms }) {
  const warnings = [];
  const { metrics, crossed } = notesOf(histograms);
  if (crossed?.length)
    warnings.push(`crossed, as the script has it: ${crossed.map((text) => plainLine(text)).join('; ')}`);
  const early = histograms?.windows.reduce((sum, w) => sum + w.early, 0) ?? 0;
  if (early > 0 && metrics === undefined)
    warnings.push(`${early} answers came before their window began and were not counted`);
  if (meta.telemetry.influx && !live)
    warnings.push('the live view was not reconciled: no report of its output');
  else if (live && liveReconciliation(live)?.lossy) {
    warnings.push('the live view was lossy: points did not reach InfluxDB; no figure here comes from it');
  }
  return warnings;
}
