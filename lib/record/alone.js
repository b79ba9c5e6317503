import { pairedTrials, stepOf } from '../config/trials.js';
import { groupBy } from '../group-by.js';
import { stolenShareOf } from '../judge/host.js';
import { round } from '../sample/usage.js';
import { measuredMeta } from './conditions.js';
import { busiestLoop } from './evidence.js';
import { loopOf } from './marks.js';
import { judgedRecord } from './recompute.js';

/**
 * @import { CellMeta, CellRecord, HistogramExport, HistogramWindow, HostUse, OracleResult, Plan, PlannedSystem, RawSlice,
 *   ResourceUse, SideBySideCell, StartRaw, ThreadShares } from '../types.d.ts'
 * @import { Seen } from './cell.js'
 * @import { Loop } from './marks.js'
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
  return raw.sides.flatMap((side) =>
    groupBy(group.cells, (cell) => cell.stepId).flatMap((cells) => {
      const loads = cells.flatMap((cell) => {
        const slice = slices.find((s) => s.cell === cell.id && s.sides[0].name === side.name);
        return slice ? [{ slice, cell, windows: windowsOf(slice, exported) }] : [];
      });
      if (loads.length === 0) return [];
      const oracles = /** @type {Record<string, OracleResult>} */ (exported.notes.oracle ?? {});
      const own = {
        meta: metaOf(loads[0].cell, side, raw, plan),
        histograms: {
          schemaVersion: /** @type {const} */ (1),
          notes: { oracle: oracles[side.name] },
          windows: [],
        },
        ...{ summary: null, samples: [], live: null, files: [] },
      };
      const seen = seenIn(loads, plan, loopOf(exported, side.lane));
      return { ...judgedRecord(own, plan, seen), paired: raw.group };
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
  return windows
    .filter((w) => isAlone(w) && w.startMs === cutsMs[0] && w.op.startsWith(own))
    .map((w) => ({ ...w, op: w.op.slice(own.length) }));
}

/**
 * @param {SideBySideCell} load
 * @param {StartRaw['sides'][number]} side
 * @param {StartRaw} raw
 * @param {Plan} plan
 * @returns {CellMeta}
 */
function metaOf(load, side, raw, plan) {
  const { workload, transport } = pairedTrials(plan)[raw.group];
  const system = /** @type {PlannedSystem} */ (plan.systems.find((s) => s.id === side.system));
  const placement = plan.sideBySide?.placement ?? { systems: [], generator: [] };
  const step = stepOf(load);
  const cell = {
    id: `start.${raw.group}.${raw.start}.${side.system}.${step.id}`,
    ...{ system: side.system, role: /** @type {const} */ ('system'), workload, transport, step },
    ...{ repeat: raw.start, telemetry: false },
  };
  return {
    ...measuredMeta(cell, system, side, {
      ...{ client: 'k6/x/burst', drive: 'burst', product: system.like ?? side.system.split('@')[0] },
      ...{ generatorCpus: placement.generator.length, systemCpus: placement.systems.length },
    }),
    ...{ position: side.lane, status: 'ok', reason: null, k6ExitCode: 0 },
    ...{ startedAt: raw.startedAt, durationMs: raw.durationMs, idleCores: side.idleCores },
    generatorCores: Math.max(1, placement.generator.length),
  };
}

/**
 * @param {Load[]} loads of one system and step
 * @param {Plan} plan
 * @param {Loop | undefined} loop of the system
 * @returns {Seen} by what its threads, and those of the generator, say of themselves at the edges of each load
 */
function seenIn(loads, plan, loop) {
  const slices = loads.map((l) => l.slice);
  const loadIn = (/** @type {HistogramWindow} */ w) =>
    /** @type {Load} */ (loads.find(({ windows }) => windows.includes(w)));
  const mix = loads.find((l) => l.cell.parts.length > 1);
  return {
    windows: loads.flatMap((l) => l.windows),
    ...(mix ? { together: mix.windows } : {}),
    // The CPU of a mix is that of all its operations.
    loadIn: (w) => loadIn(w).windows.reduce((sum, x) => sum + x.count, 0),
    cpuSecIn: (who, w) => {
      const used = usedBy(who, loadIn(w).slice);
      return used && ((used.cpuSec / used.seconds) * (w.endMs - w.startMs)) / 1000;
    },
    busiestIn: (w) => {
      const { sides, host } = loadIn(w).slice;
      const { busiest = null } = sides[0].threads ?? {};
      return {
        system: busiest && round(busiest.run + busiest.wait + stolenShareOf(host), 3),
        loop: busiestLoop(w, loop ? [loop] : []),
      };
    },
    resources: {
      system: useOf(slices.map((s) => usedBy('system', s))),
      generator: useOf(slices.map((s) => usedBy('generator', s))),
      host: hostOf(slices, plan.hostCores),
    },
  };
}

/** @param {'system' | 'generator'} who @param {RawSlice} slice @returns {ThreadShares | null} */
function usedBy(who, { sides, generator }) {
  return who === 'system' ? sides[0].threads : generator;
}

/**
 * @param {(ThreadShares | null)[]} accounts one of each load
 * @returns {ResourceUse | null} over all of them; memory is read once a start, after them
 */
function useOf(accounts) {
  const seen = accounts.filter((a) => a !== null);
  if (seen.length < accounts.length) return null;
  const cpuSec = seen.reduce((n, a) => n + a.cpuSec, 0);
  return {
    cpuSec: round(cpuSec, 3),
    cpuCores: round(cpuSec / seen.reduce((n, a) => n + a.seconds, 0), 4),
    ...{ rssPeakBytes: null, rssSteadyBytes: null, ioReadBytes: null, ioWriteBytes: null },
    ...{ threadsPeak: null, processes: null },
  };
}

/** @param {RawSlice[]} slices @param {number} cores @returns {HostUse | null} over all of them */
export function hostOf(slices, cores) {
  const sum = (/** @type {keyof RawSlice['host']} */ key) => slices.reduce((n, s) => n + s.host[key], 0);
  const total = sum('totalSec');
  if (total === 0) return null;
  return {
    cores,
    busyRatio: round(sum('busySec') / total, 4),
    stealRatio: round(sum('stealSec') / total, 4),
  };
}
