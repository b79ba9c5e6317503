import { USUAL_PATTERN } from '../../k6/client-pattern.js';
import { durabilityOf } from '../config/durability.js';
import { pairedTrials } from '../config/trials.js';
import { groupBy } from '../group-by.js';
import { stolenShareOf } from '../judge/host.js';
import { judge } from '../judge/judge.js';
import { round } from '../sample/usage.js';
import { latencyOfAll } from '../stats/histogram.js';
import { countedIn, headOf } from './cell.js';
import { loopBetween } from './marks.js';
import { operationSizes } from './recompute.js';

/**
 * @import { CellRecord, HistogramExport, HistogramWindow, OracleResult, Plan, PlannedSystem, RawSlice, ResourceUse,
 *   SideBySideCell, StartRaw, UnjudgedRecord, UnjudgedResult } from '../types.d.ts'
 */

/** Windows of a system that is loaded alone have phases that begin so. */
const ALONE = 'alone/';

/**
 * @param {string} cell id of a load
 * @param {number} tried how often it was loaded before
 * @returns {string} the phase of its window with one system alone
 */
export function alonePhase(cell, tried) {
  return `${ALONE}${cell}${'/again'.repeat(tried)}`;
}

/** @param {{phase: string}} window @returns {boolean} whether one system was loaded alone in it */
export function isAlone({ phase }) {
  return phase.startsWith(ALONE);
}

const ENDED_WELL = Object.freeze({ status: /** @type {const} */ ('ok'), reason: null, logTail: [] });

/** One load of one system alone. @typedef {{slice: RawSlice, cell: SideBySideCell, windows: HistogramWindow[]}} Load */

/**
 * What each system of a start did alone: records as of any other load, judged by the same judge.
 * @param {RawSlice[]} slices of one system each, one of each load
 * @param {StartRaw} raw
 * @param {HistogramExport | null} exported
 * @param {Plan} plan
 * @returns {CellRecord[]} one for each system and step
 */
export function aloneRecords(slices, raw, exported, plan) {
  const group = pairedTrials(plan)[raw.group];
  if (!exported) return [];
  const facts = plan.workloads.find((w) => w.id === group.workload);
  return raw.sides.flatMap((side) =>
    groupBy(group.cells, (cell) => cell.stepId).flatMap((cells) => {
      const loads = cells.flatMap((cell) => {
        const slice = slices.find((s) => s.cell === cell.id && s.sides[0].name === side.name);
        return slice ? [{ slice, cell, windows: windowsOf(slice, exported) }] : [];
      });
      if (loads.length === 0) return [];
      return judge(recordOf(loads, side, raw, exported, plan), {
        thresholds: plan.profile.thresholds,
        restarted: false,
        references: null,
        minOperations: facts?.minOperations,
      });
    }),
  );
}

/**
 * @param {RawSlice} slice
 * @param {HistogramExport} exported
 * @returns {HistogramWindow[]} one for each operation
 */
function windowsOf({ cutsMs, sides: [{ name }] }, { windows }) {
  const own = `${name}/`;
  return windows.filter((w) => isAlone(w) && w.startMs === cutsMs[0] && w.op.startsWith(own));
}

/**
 * @param {Load[]} loads of one system and step
 * @param {StartRaw['sides'][number]} side
 * @param {StartRaw} raw
 * @param {HistogramExport} exported
 * @param {Plan} plan
 * @returns {UnjudgedRecord}
 */
function recordOf(loads, side, raw, exported, plan) {
  const group = pairedTrials(plan)[raw.group];
  const system = /** @type {PlannedSystem} */ (plan.systems.find((s) => s.id === side.system));
  const [{ cell }] = loads;
  const { version, idleCores } = side;
  const durability = durabilityOf(system, { version, transport: group.transport });
  const oracles = /** @type {Record<string, OracleResult>} */ (exported.notes.oracle ?? {});
  const whole = loads.find((l) => l.cell.parts.length > 1);
  const step = stepOf(cell);
  const sizes = operationSizes(plan, { workload: group.workload, step });
  const own = {
    id: `start.${raw.group}.${raw.start}.${side.system}.${cell.stepId}`,
    system: side.system,
    role: /** @type {const} */ ('system'),
    workload: group.workload,
    transport: group.transport,
    step,
    repeat: raw.start,
  };
  const { startedAt, durationMs } = raw;
  const meta = { version, engine: system.engine, position: side.lane, ...ENDED_WELL, startedAt, durationMs };
  return {
    ...headOf(plan, own, system, meta),
    operations: Object.fromEntries(
      loads.flatMap((load) =>
        load.windows.map((w) => {
          const op = w.op.slice(side.name.length + 1);
          return [op, { ...resultOf(w, load, side, exported, plan), ...sizes[op] }];
        }),
      ),
    ),
    ...(whole ? { wholeMs: latencyOfAll(whole.windows) } : {}),
    resources: resourcesOf(loads, plan),
    idleCores,
    oracle: oracles[side.name] ?? null,
    parity: {
      transport: group.transport,
      client: 'k6/x/burst',
      drive: 'burst',
      connections: cell.connections,
      pipelineDepth: cell.depth,
      clientPattern: USUAL_PATTERN,
      model: 'closed',
      targetPerSec: null,
      durability: durability.policy,
      cpuLimit: null,
      memoryLimit: system.evictsAt ?? null,
      engine: system.engine,
      generatorCpus: placementOf(plan).generator.length,
      systemCpus: placementOf(plan).systems.length,
      version,
      product: system.like ?? side.system.split('@')[0],
    },
    durability: durability.meaning,
    live: null,
    warnings: [],
    raw: [],
  };
}

/** @param {SideBySideCell} cell @returns {CellRecord['step']} */
function stepOf({ stepId, connections, depth, case: which, dataset }) {
  return {
    id: stepId,
    model: 'closed',
    vus: connections,
    ...(depth > 1 ? { depth } : {}),
    ...(which ? { case: which } : {}),
    ...(dataset ? { dataset } : {}),
  };
}

/** @param {Plan} plan @returns {{systems: number[], generator: number[]}} CPUs of each */
function placementOf({ sideBySide }) {
  return sideBySide?.placement ?? { systems: [], generator: [] };
}

/**
 * @param {HistogramWindow} w
 * @param {Load} load
 * @param {StartRaw['sides'][number]} side
 * @param {HistogramExport} exported
 * @param {Plan} plan
 * @returns {UnjudgedResult}
 */
function resultOf(w, { slice, windows }, side, exported, plan) {
  const [{ name, threads }] = slice.sides;
  const durationMs = w.endMs - w.startMs;
  // The CPU of a mix is that of all its operations.
  const perSec = windows.reduce((sum, x) => sum + x.count, 0) / (durationMs / 1000);
  const usPerOp = (/** @type {RawSlice['generator']} */ used) =>
    used && perSec > 0 ? round((used.cpuSec / used.seconds / perSec) * 1e6, 3) : null;
  const loop = loopBetween(slice, { name, lane: side.lane }, exported);
  const steal = stolenShareOf(slice.host);
  const { busiest = null } = threads ?? {};
  const own = slice.generator;
  return {
    ...countedIn(w),
    targetPerSec: null,
    responseMs: null,
    lagMs: null,
    systemCpuUsPerOp: usPerOp(threads),
    generatorCpuUsPerOp: usPerOp(own),
    generatorCpuRatio: own
      ? round(own.cpuSec / own.seconds / Math.max(1, placementOf(plan).generator.length), 4)
      : null,
    busiest: {
      system: busiest && round(busiest.run + busiest.wait + steal, 3),
      loop: loop?.run == null || loop.wait == null ? null : round(loop.run + loop.wait, 3),
    },
    outsideMs: null,
  };
}

/**
 * @param {Load[]} loads
 * @param {Plan} plan
 * @returns {UnjudgedRecord['resources']} over all of them; memory is read once a start, after them
 */
function resourcesOf(loads, { hostCores }) {
  const slices = loads.map((l) => l.slice);
  const sum = (/** @type {(s: RawSlice) => number} */ read) => slices.reduce((n, s) => n + read(s), 0);
  /** @type {(read: (s: RawSlice) => RawSlice['generator']) => ResourceUse | null} */
  const useOf = (read) => {
    const seen = slices.flatMap((s) => read(s) ?? []);
    if (seen.length < slices.length) return null;
    const cpuSec = seen.reduce((n, t) => n + t.cpuSec, 0);
    return {
      cpuSec: round(cpuSec, 3),
      cpuCores: round(cpuSec / seen.reduce((n, t) => n + t.seconds, 0), 4),
      rssPeakBytes: null,
      rssSteadyBytes: null,
      ioReadBytes: null,
      ioWriteBytes: null,
      threadsPeak: null,
      processes: null,
    };
  };
  const total = sum((s) => s.host.totalSec);
  return {
    system: useOf((s) => s.sides[0].threads),
    generator: useOf((s) => s.generator),
    host:
      total > 0
        ? {
            cores: hostCores,
            busyRatio: round(sum((s) => s.host.busySec) / total, 4),
            stealRatio: round(sum((s) => s.host.stealSec) / total, 4),
          }
        : null,
  };
}
