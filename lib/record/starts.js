import { pairedTrials } from '../config/trials.js';
import { groupBy } from '../group-by.js';
import { stolenShareOf } from '../judge/host.js';
import { SLICE } from '../judge/limits.js';
import { pairReasons } from '../judge/rules.js';
import { statusOf } from '../judge/verdict.js';
import { round } from '../sample/usage.js';
import { aloneRecords, hostOf } from './alone.js';
import { loopBetween, loopOf } from './marks.js';

/**
 * @import { PairSide } from '../judge/rules.js'
 * @import { HistogramExport, Plan, RawSlice, SideBySideCell, PairedTrial, StartRaw, StartRecord } from '../types.d.ts'
 */

/** What a side did. @typedef {{system: string} & Pick<PairSide, 'operations' | 'failed' | 'cpuSec' | 'seconds'>} Seen */

/**
 * @param {Pick<PairedTrial, 'systems'>} group
 * @param {string} system
 * @returns {string} of its side in every start; the copy that it is held against has another one
 */
export function sideName({ systems }, system) {
  return `s${systems.indexOf(system)}`;
}

/** @param {Pick<PairedTrial, 'systems'>} group @returns {string} of the side of the copy */
export function twinName({ systems }) {
  return `s${systems.length}`;
}

/**
 * Raw files to one record. Pure, so that `report --verify` can do it again.
 * @param {StartRaw} raw
 * @param {HistogramExport | null} exported
 * @param {Plan} plan
 * @returns {StartRecord}
 */
export function buildStart(raw, exported, plan) {
  const group = pairedTrials(plan)[raw.group];
  const usable = raw.status === 'ok' && exported !== null;
  const slices = usable ? raw.slices : [];
  const oracle = /** @type {Record<string, any>} */ (exported?.notes.oracle ?? {});
  return {
    schemaVersion: 1,
    methodVersion: plan.methodVersion,
    runId: plan.runId,
    group: raw.group,
    workload: group.workload,
    transport: group.transport,
    start: raw.start,
    status: raw.status === 'ok' && !usable ? 'failed' : raw.status,
    reason: raw.status === 'ok' && !usable ? 'k6 left no export' : raw.reason,
    systems: raw.sides.map(({ lane: _, ...side }) => ({
      ...side,
      idleCores: side.idleCores === null ? null : round(side.idleCores, 3),
      oracle: oracle[side.name] ?? null,
    })),
    pairs: pairsOf(slices).map((pieces) =>
      pairOf(pieces, /** @type {HistogramExport} */ (exported), raw, group),
    ),
    alone: aloneRecords(bestAlone(slices), raw, exported, plan),
    host: othersOf(slices),
  };
}

/**
 * @param {RawSlice[]} slices
 * @returns {RawSlice[][]} the pieces of each pair and cell
 */
function pairsOf(slices) {
  const pairs = slices.filter((s) => s.kind === 'pair');
  const idOf = (/** @type {RawSlice} */ { cell, sides }) =>
    [cell, ...sides.map((s) => s.name).sort()].join(' ');
  return groupBy(pairs, idOf);
}

/**
 * @param {RawSlice[]} slices
 * @returns {RawSlice[]} of the tries of each cell and system the longest, and of these the one of which the hypervisor took
 *   least
 */
function bestAlone(slices) {
  const alone = slices.filter((s) => s.kind === 'alone');
  return groupBy(alone, ({ cell, sides }) => `${cell} ${sides[0].name}`).map((tries) =>
    tries.reduce((best, one) => (isBetter(one, best) ? one : best)),
  );
}

/** @param {RawSlice} slice @param {RawSlice} other */
function isBetter(slice, other) {
  const [own, theirs] = [slice, other].map(({ cutsMs: [from, to] }) => Math.round(to - from));
  return own === theirs ? stolenShareOf(slice.host) < stolenShareOf(other.host) : own > theirs;
}

/**
 * @param {RawSlice[]} all pieces of one slice: what both did in all of them
 * @param {HistogramExport} exported
 * @param {StartRaw} raw
 * @param {PairedTrial} group
 * @returns {StartRecord['pairs'][number]} the systems in the order of their names, which is that of the plan
 */
function pairOf(all, exported, { sides }, { cells }) {
  const [{ cell }] = all;
  // Where two take turns each has half of the time.
  const { slotMs, ...load } = /** @type {SideBySideCell} */ (cells.find((c) => c.id === cell));
  const known = all.map((piece) => seenIn(piece, exported, sides));
  const calm = known.filter(({ stolenShare }) => stolenShare <= SLICE.stolenShare);
  const inTime = calm.filter(({ lateMs }) => lateMs <= SLICE.lateMs);
  const pieces = [inTime, calm].find((some) => some.length > 0) ?? known;
  const [a, b] = [0, 1].map((side) => {
    const seen = pieces.map(({ bySide }) => bySide[side]);
    const sum = (/** @type {(one: typeof seen[number]) => number} */ read) =>
      seen.reduce((n, one) => n + read(one), 0);
    return {
      system: seen[0].system,
      operations: sum((s) => s.operations),
      failed: sum((s) => s.failed),
      cpuSec: seen.some((s) => s.cpuSec === null) ? null : sum((s) => Number(s.cpuSec)),
      seconds: sum((s) => s.seconds) / (slotMs ? 2 : 1),
      stolenShare: Math.max(...pieces.map((p) => p.stolenShare)),
      lateMs: Math.max(...pieces.map((p) => p.lateMs)),
    };
  });
  const reasons = pairReasons([a, b], load);
  const [ofA, ofB] = [a, b].map(({ operations, cpuSec }) => operations / Number(cpuSec));
  const shown = (/** @type {number} */ perSec) =>
    inTime.length > 0 && Number.isFinite(perSec) ? Math.round(perSec) : null;
  return {
    cell,
    a: a.system,
    b: b.system,
    logRatio: reasons.length > 0 ? null : Number((Math.log(ofA) - Math.log(ofB)).toFixed(5)),
    verdict: { status: statusOf(reasons), reasons },
    operationsPerCpuSec: { a: shown(ofA), b: shown(ofB) },
  };
}

/**
 * What the sides did between the two cuts of a piece: operations by their event loops' own marks, CPU by their threads' own
 * accounts. Each is a rate over its own time, because the two are not read at quite the same moment. Of a generator that was
 * kept from its CPU the operations would be of another moment than the CPU that they cost.
 * @param {RawSlice} piece
 * @param {HistogramExport} exported
 * @param {StartRaw['sides']} sides
 * @returns {{stolenShare: number, lateMs: number, bySide: Seen[]}} `lateMs`: by which the last loop came late to a cut;
 *   infinite where one did not come to it; `bySide`: in the order of their names
 */
function seenIn({ cutsMs, host, sides: loaded }, exported, sides) {
  let lateMs = 0;
  const inOrder = [...loaded].sort((a, b) => (a.name < b.name ? -1 : 1));
  const bySide = inOrder.map(({ name, threads, report }) => {
    const { system, lane } = /** @type {StartRaw['sides'][number]} */ (sides.find((s) => s.name === name));
    const loop = loopBetween(loopOf(exported, lane), cutsMs);
    lateMs = Math.max(lateMs, loop?.lateMs ?? Number.POSITIVE_INFINITY);
    const seconds = loop?.seconds ?? 0;
    const cpuSec = threads && loop ? (threads.cpuSec / threads.seconds) * seconds : null;
    return { system, operations: loop?.acked(`${name}/`) ?? 0, failed: report.failed, cpuSec, seconds };
  });
  return { stolenShare: stolenShareOf(host), lateMs, bySide };
}

/**
 * @param {RawSlice[]} slices
 * @returns {StartRecord['host']}
 */
function othersOf(slices) {
  const seen = slices.filter((s) => s.generator !== null && s.sides.every((x) => x.threads !== null));
  const foreign = seen.map((s) => {
    const ours = [s.generator, ...s.sides.map((x) => x.threads)].reduce((n, t) => n + (t?.cpuSec ?? 0), 0);
    return { sec: s.host.busySec - ours, seconds: /** @type {any} */ (s.generator).seconds };
  });
  const seconds = foreign.reduce((n, f) => n + f.seconds, 0);
  return {
    foreignCores:
      seconds > 0 ? round(Math.max(0, foreign.reduce((n, f) => n + f.sec, 0) / seconds), 2) : null,
    stealShare: hostOf(slices, 0)?.stealRatio ?? 0,
  };
}
