import { groupBy } from '../group-by.js';
import { WARM } from '../judge/limits.js';
import { ALONE_STARTS } from '../plan/estimate.js';
import { sideName, twinName } from '../record/starts.js';
import { createRng, shuffle } from '../stats/rng.js';
import { loadAlone, loadPair, OPEN_MS, orderNow, warmSlice } from './slices.js';

/**
 * @import { Comparison, RawSlice, SideBySideCell, PairedTrial } from '../types.d.ts'
 * @import { Loaded, Side } from './slices.js'
 */

/**
 * What a start has to load.
 * @typedef {object} Agenda
 * @property {{cell: SideBySideCell, names: [string, string]}[]} pairs
 * @property {{cell: SideBySideCell, name: string}[]} alone
 * @property {Set<string>} names of the sides that take part
 */

/**
 * Comparisons that need no further start drop out, and with the last comparison of a system that system.
 * @param {PairedTrial} group
 * @param {number} start from 1
 * @param {Pick<Comparison, 'cell' | 'a' | 'b' | 'kind'>[]} wanted comparisons
 * @returns {Agenda}
 */
export function agendaOf(group, start, wanted) {
  const cellOf = (/** @type {string} */ id) =>
    /** @type {SideBySideCell} */ (group.cells.find((c) => c.id === id));
  const nameOf = (/** @type {string} */ system) => sideName(group, system);
  const pairs = wanted.map(({ cell, a, b, kind }) => ({
    cell: cellOf(String(cell)),
    names: /** @type {[string, string]} */ ([nameOf(a), kind === 'same' ? twinName(group) : nameOf(b)]),
  }));
  const alone =
    start > ALONE_STARTS || group.alone === false
      ? []
      : group.cells.flatMap((cell) => group.systems.map((system) => ({ cell, name: nameOf(system) })));
  return { pairs, alone, names: new Set([...pairs.flatMap((p) => p.names), ...alone.map((a) => a.name)]) };
}

/**
 * The order of a start: fill, warm each system alone, then the cells by chance: pairs at the same moment, each system
 * alone.
 * @param {Omit<Loaded, 'window'> & {agenda: Agenda, seed: number, warmSec: number}} start `warmSec`: of each slice of warming up
 * @returns {Promise<{slices: RawSlice[], warm: Record<string, boolean>}>}
 */
export async function conduct({ agenda, seed, warmSec, ...rest }) {
  const { sides, control, signal } = rest;
  await control.ready(sides.map((s) => s.name));
  const now = Date.now();
  const context = { ...rest, window: { phase: 'load', startMs: now, endMs: now + OPEN_MS } };
  await fillAll(context);
  /** @type {RawSlice[]} */
  const slices = [];
  /** @type {Record<string, boolean>} */
  const warm = {};
  for (const side of sides) {
    if (signal.aborted) break;
    const own = await warmUp(context, side, warmSec);
    slices.push(...own.slices);
    warm[side.name] = own.stable;
  }
  for (const one of shuffle([...agenda.pairs, ...agenda.alone], createRng(seed))) {
    if (signal.aborted) break;
    const own =
      'names' in one ? loadPair(context, one.cell, one.names) : loadAlone(context, one.cell, one.name);
    slices.push(...(await own));
  }
  return { slices, warm };
}

/** @param {Loaded} context */
async function fillAll(context) {
  for (const { op, operations, depth } of context.group.fill) {
    for (const { name } of context.sides) {
      const load = { parts: [{ op, share: 1 }], connections: 1, depth, fill: operations };
      await orderNow(context, name, load, OPEN_MS);
    }
  }
}

/**
 * @param {Loaded} context
 * @param {Side} side
 * @param {number} sliceSec
 * @returns {Promise<{slices: RawSlice[], stable: boolean}>}
 */
async function warmUp(context, side, sliceSec) {
  const cells = warmingCells(context.group);
  /** @type {RawSlice[]} */
  const slices = [];
  /** @type {number[]} */
  const figures = [];
  while (slices.length < WARM.mostSec / sliceSec && !context.signal.aborted) {
    const slice = await warmSlice(context, side, cells, sliceSec * 1000);
    slices.push(slice);
    const [{ threads, report }] = slice.sides;
    figures.push(threads ? report.acked / threads.cpuSec : Number.NaN);
    if (isWarm(figures)) return { slices, stable: true };
  }
  return { slices, stable: false };
}

/**
 * Each operation as the widest cell has it.
 * @param {PairedTrial} group
 */
function warmingCells({ cells }) {
  return groupBy(cells, (c) => c.operation).map(
    (own) => own.sort((a, b) => b.connections * b.depth - a.connections * a.depth)[0],
  );
}

/**
 * @param {readonly number[]} figures operations per CPU-second of each slice so far; NaN where it is not known
 * @returns {boolean} whether the last two agree: a server that still compiles itself gets faster all the while
 */
export function isWarm(figures) {
  const [last, now] = figures.slice(-2);
  return figures.length > 1 && Math.abs(Math.log(now / last)) <= Math.log(1 + WARM.agree);
}
