import { setTimeout as pause } from 'node:timers/promises';
import { watchedOf } from '../engines/watched.js';
import { stolenShareOf } from '../judge/host.js';
import { SLICE } from '../judge/limits.js';
import { FITS, loadKey, SLICES } from '../plan/estimate.js';
import { longerMs } from '../plan/fit.js';
import { alonePhase } from '../record/alone.js';
import { hostBetween, sampleHost } from '../sample/processes.js';
import { readThreadsOf, sharesBetween } from '../sample/threads.js';

/**
 * @import { PairedTrial, RawSlice, RecentMs, SideBySideCell, SideOrder, Stack } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 * @import { Watched } from '../sample/watched.js'
 * @import { Control } from './control.js'
 */

/** Windows of what is not a window of its own stay open. */
export const OPEN_MS = 86_400_000;

/**
 * @typedef {object} Side
 * @property {string} name
 * @property {string} system
 * @property {Stack} stack
 * @property {Instance} instance
 */

/**
 * What a slice needs of its start.
 * @typedef {object} Loaded
 * @property {PairedTrial} group
 * @property {Side[]} sides
 * @property {Control} control
 * @property {Watched | null} generator its processes; null where they cannot be seen
 * @property {SideOrder['window']} window of what is compared and not timed
 * @property {Map<string, number>} fitting ms of windows that had to be longer than usual, by load and system: kept from
 *   start to start
 * @property {AbortSignal} signal
 * @property {(cell: SideBySideCell, systems: string[], seconds: number) => void} [onLoad] a slice begins that lasts so long,
 *   answers that are waited for after it apart; without an end: it is over
 * @property {(slice: RawSlice, more: {cell: SideBySideCell, seconds: number, recentMs: RecentMs[]}) => void} [onSlice] for who
 *   watches; `seconds`: that the load went on; `recentMs`: of each side
 */

/**
 * Two systems at the same moment, or in turns: slice after slice, until both have done enough to be compared or the limit is reached.
 * @param {Loaded} context
 * @param {SideBySideCell} cell
 * @param {string[]} names of the two sides
 * @returns {Promise<RawSlice[]>}
 */
export async function loadPair(context, cell, names) {
  /** @type {RawSlice[]} */
  const pieces = [];
  while (!hasEnough(pieces, names, cell) && !context.signal.aborted)
    pieces.push(await loadSlice(context, cell, names, 'pair', {}));
  return pieces;
}

/**
 * @param {RawSlice[]} pieces so far
 * @param {string[]} names of the two sides
 * @param {Pick<SideBySideCell, 'connections' | 'depth' | 'minOperations' | 'slotMs'>} cell
 * @returns {boolean}
 */
export function hasEnough(pieces, names, cell) {
  const own = pieces.filter(({ host }) => stolenShareOf(host) <= SLICE.stolenShare);
  if (own.length >= SLICE.mostPieces || pieces.length > own.length + SLICE.mostStolen) return true;
  return own.length > 0 && names.every((name) => enoughSeen(seenOf(own, name, cell), cell));
}

/**
 * @param {RawSlice[]} pieces
 * @param {string} name
 * @param {Pick<SideBySideCell, 'slotMs'>} cell
 * @returns {{operations: number, failed: number, cpuSec: number | null}} as well as the runner knows it
 *   while the load goes on: the event loops tell their operations between the cuts at the end only
 */
function seenOf(pieces, name, cell) {
  const { dropMs, countedMs, tailMs } = pairShape(cell);
  const counted = countedMs / (dropMs + countedMs + tailMs);
  const own = pieces.flatMap(({ sides }) => sides.filter((s) => s.name === name));
  const cpu = own.map(({ threads }) => threads?.cpuSec ?? null);
  return {
    operations: own.reduce((sum, { report }) => sum + report.acked * counted, 0),
    failed: own.reduce((sum, { report }) => sum + report.failed, 0),
    cpuSec: cpu.includes(null) ? null : cpu.reduce((sum, v) => Number(sum) + Number(v), 0),
  };
}

/**
 * @param {ReturnType<typeof seenOf>} side so far
 * @param {Pick<SideBySideCell, 'connections' | 'depth' | 'minOperations'>} load
 * @returns {boolean} whether it need not go on; what fails or cannot be seen gets no better by going on
 */
export function enoughSeen({ operations, failed, cpuSec }, load) {
  if (failed > 0 || cpuSec === null) return true;
  const least = Math.max(
    load.minOperations ?? SLICE.minOperations,
    SLICE.turns * load.connections * load.depth,
  );
  return operations >= least * SLICE.margin && cpuSec >= SLICE.cpuSec;
}

/** @param {Pick<SideBySideCell, 'slotMs'>} cell */
function pairShape({ slotMs }) {
  return slotMs ? SLICES.inSlots : SLICES.pair;
}

/**
 * A window too short for its load, or of which the hypervisor took too much, is loaded again.
 * @param {Loaded} context
 * @param {SideBySideCell} cell
 * @param {string} name of the side
 * @returns {Promise<RawSlice[]>} all tries
 */
export async function loadAlone(context, cell, name) {
  const { fitting, signal } = context;
  const known = loadKey(context.group, cell.id, [String(context.sides.find((s) => s.name === name)?.system)]);
  /** @type {RawSlice[]} */
  const tries = [];
  let [stolen, countedMs] = [0, fitting.get(known) ?? SLICES.alone.countedMs];
  while (!signal.aborted) {
    const slice = await loadSlice(context, cell, [name], 'alone', { tried: tries.length, countedMs });
    tries.push(slice);
    const wantedMs = fittingMs(slice, cell, countedMs);
    if (wantedMs > countedMs) {
      fitting.set(known, wantedMs);
      countedMs = wantedMs;
    } else if (stolenShareOf(slice.host) <= SLICE.stolenShare || ++stolen > SLICE.mostStolen) break;
  }
  return tries;
}

/**
 * @param {Pick<RawSlice, 'sides'>} slice
 * @param {Pick<SideBySideCell, 'connections' | 'depth'>} cell
 * @param {number} countedMs of its window
 * @returns {number} ms that a window of this load lasts at least
 */
export function fittingMs({ sides: [{ report }] }, { connections, depth }, countedMs) {
  const wanted = Math.max(FITS.operations, FITS.turns * connections * depth);
  if (report.acked >= wanted || countedMs >= FITS.mostMs) return countedMs;
  // Failures end as answers do: of a system that gives only them a longer window tells nothing more.
  if (report.failed > report.acked) return countedMs;
  return longerMs(countedMs, wanted / report.acked);
}

/**
 * @param {Loaded} context
 * @param {SideBySideCell} cell
 * @param {string[]} names of one side, or of two that are loaded at the same moment or in turns
 * @param {'pair' | 'alone'} kind
 * @param {{tried?: number, countedMs?: number}} of `tried`: how often this was loaded before; `countedMs`: of a window of its own
 * @returns {Promise<RawSlice>}
 */
async function loadSlice(context, cell, names, kind, { tried = 0, countedMs = SLICES.alone.countedMs }) {
  const { sides, control, generator } = context;
  const shape = kind === 'alone' ? { ...SLICES.alone, countedMs } : pairShape(cell);
  const startMs = Date.now() + shape.leadMs;
  /** @type {[number, number]} */
  const cutsMs = [startMs + shape.dropMs, startMs + shape.dropMs + shape.countedMs];
  const own = sides.filter((s) => names.includes(s.name));
  const window =
    kind === 'pair'
      ? context.window
      : { phase: alonePhase(cell.id, tried), startMs: cutsMs[0], endMs: cutsMs[1] };
  const { slotMs } = cell;
  const seconds = (cutsMs[1] + shape.tailMs - startMs) / 1000;
  const systems = own.map(({ system }) => system);
  context.onLoad?.(cell, systems, seconds);
  const reports = own.map(({ name }, i) =>
    control.order(name, {
      ...loadOf(cell),
      window,
      startMs,
      ...(slotMs && kind === 'pair' ? { slots: { startMs, eachMs: slotMs, of: own.length, own: i } } : {}),
      untilMs: cutsMs[1] + shape.tailMs,
      cutsMs,
    }),
  );
  const watched = [...own.map(({ instance }) => watchedOf(instance)), generator];
  await pause(Math.max(0, cutsMs[0] - Date.now()));
  const host = sampleHost();
  const before = readThreadsOf(watched);
  await pause(Math.max(0, cutsMs[1] - Date.now()));
  const after = readThreadsOf(watched);
  const shares = hostBetween(host);
  const threads = before.map((from, i) => sharesBetween(from, after[i]));
  const done = (await Promise.all(reports)).map(({ recentMs, ...report }) => ({ recentMs, report }));
  /** @type {RawSlice} */
  const slice = {
    kind,
    cell: cell.id,
    cutsMs,
    sides: own.map(({ name }, i) => ({ name, threads: threads[i], report: done[i].report })),
    host: shares,
    generator: threads[own.length],
  };
  context.onLoad?.(cell, systems, Number.POSITIVE_INFINITY);
  context.onSlice?.(slice, { cell, seconds, recentMs: done.map((d) => d.recentMs) });
  return slice;
}

/**
 * @param {SideBySideCell} cell
 * @returns {Pick<SideOrder, 'parts' | 'connections' | 'depth' | 'dataset'>}
 */
function loadOf({ parts, connections, depth, dataset }) {
  return { parts, connections, depth, ...(dataset ? { dataset } : {}) };
}

/**
 * @param {Pick<Loaded, 'control' | 'window'>} context
 * @param {string} name of a side
 * @param {Pick<SideOrder, 'parts' | 'connections' | 'depth' | 'dataset' | 'fill'>} load
 * @param {number} ms that it lasts, unless it ends before
 * @returns {ReturnType<Control['order']>} of a load that begins now, and in which nothing is cut
 */
export function orderNow({ control, window }, name, load, ms) {
  const startMs = Date.now();
  return control.order(name, { window, ...load, startMs, untilMs: startMs + ms, cutsMs: [] });
}

/**
 * One slice of warming up: its cells one after another, each with as much of it.
 * @param {Loaded} context
 * @param {Side} side
 * @param {SideBySideCell[]} cells
 * @param {number} ms
 * @returns {Promise<RawSlice>}
 */
export async function warmSlice(context, side, cells, ms) {
  const [from] = readThreadsOf([watchedOf(side.instance)]);
  const host = sampleHost();
  const began = Date.now();
  const report = { acked: 0, failed: 0, aborted: 0, endedMs: 0 };
  for (const cell of cells) {
    const one = await orderNow(context, side.name, loadOf(cell), ms / cells.length);
    report.acked += one.acked;
    report.failed += one.failed;
    report.aborted += one.aborted;
    report.endedMs = one.endedMs;
  }
  const [to] = readThreadsOf([watchedOf(side.instance)]);
  return {
    kind: 'warm',
    cell: '',
    cutsMs: [began, Date.now()],
    sides: [{ name: side.name, threads: sharesBetween(from, to), report }],
    host: hostBetween(host),
    generator: null,
  };
}
