import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { datasetOf } from '../../k6/schedule/facts.js';
import { startSystem } from '../engines/index.js';
import { BenchError } from '../errors.js';
import { k6Outcome, sideBySideCommand } from '../generator/k6.js';
import { removeNow, startChild, tailOf } from '../process/child.js';
import { pinned } from '../process/placement.js';
import { freePort } from '../process/ports.js';
import { temporaryFolder } from '../process/temporary.js';
import { comparisonsOfStarts, isOpen } from '../record/side-by-side.js';
import { readStart, startFiles, startRecordOf } from '../record/starts.js';
import { sampleHost } from '../sample/processes.js';
import { readThreads, threadsBetween } from '../sample/threads.js';
import { dieWithUs } from '../setup/die-with-us.js';
import { nextLook } from '../stats/looks.js';
import { createRng, shuffle } from '../stats/rng.js';
import { writeJson } from '../store.js';
import { openControl } from './control.js';

/**
 * @import { RawSlice, SideBySideCell, SideBySideGroup, SideBySidePlan, SideOrder, Stack, StartCall, StartRaw,
 *   StartRecord, ThreadShares } from '../types.d.ts'
 * @import { Campaign } from './campaign.js'
 * @import { Control } from './control.js'
 * @import { Instance } from '../engines/native.js'
 * @import { ThreadReading } from '../sample/threads.js'
 */

/** A slice of load on two systems at once: what comes before the first cut is left out (dialling, caches). */
const PAIR = Object.freeze({ dropMs: 150, countedMs: 700, leadMs: 40, tailMs: 15 });
/** A slice of load on one system. */
const ALONE = Object.freeze({ dropMs: 100, countedMs: 850, leadMs: 40, tailMs: 15 });
/** Warming up: slices of a second until two successive ones agree, or until it takes too long. */
const WARM = Object.freeze({ sliceMs: 1000, most: 10, agree: 0.05 });
/** How long a system is watched without load: one that spins looks full whatever it does. */
const IDLE_MS = 300;
/** Absolute figures are taken in so many starts; the rest is for comparisons that are still open. */
const ALONE_STARTS = 5;
/** Windows of what is not a window of its own stay open. */
const OPEN_MS = 86_400_000;

/**
 * Every start of every group, until its comparisons are decided or its starts are over. What a start measured is on
 * disk when it ends.
 * @param {Campaign} campaign
 * @returns {Promise<StartRecord[]>} of this run, those of an earlier invocation included
 */
export async function measureStarts(campaign) {
  const { plan } = campaign;
  const sideBySide = plan.sideBySide;
  /** @type {StartRecord[]} */
  const records = [];
  if (!sideBySide) return records;
  const began = Date.now();
  for (const [index, group] of sideBySide.groups.entries()) {
    for (let start = 1; !campaign.signal.aborted; start++) {
      const own = records.filter((r) => r.group === index);
      if (isOver(sideBySide, group, own, start, began)) break;
      const done = readStart(campaign.runFolder, index, start);
      records.push(done ?? (await oneStart(campaign, index, start, own)));
    }
  }
  return records;
}

/**
 * @param {SideBySidePlan} plan
 * @param {SideBySideGroup} group
 * @param {StartRecord[]} own so far
 * @param {number} start the next one
 * @param {number} began epoch ms
 */
function isOver({ maxStarts, untilDecided, maxMinutes }, group, own, start, began) {
  if (maxMinutes !== null && start > 1 && Date.now() - began > maxMinutes * 60_000) return true;
  // A system that does not come up three times will not at the fourth.
  if (own.length >= 3 && own.slice(-3).every((r) => r.status !== 'ok')) return true;
  const looked = own.length > 0 && nextLook(own.length - 1) === own.length;
  if (looked && comparisonsOfStarts(group, own).every((c) => !isOpen(c))) return true;
  return !untilDecided && start > maxStarts;
}

/**
 * @param {Campaign} campaign
 * @param {number} index of the group
 * @param {number} start
 * @param {StartRecord[]} before of the same group
 * @returns {Promise<StartRecord>}
 */
async function oneStart(campaign, index, start, before) {
  const { plan, runFolder, signal, progress } = campaign;
  const group = /** @type {SideBySidePlan} */ (plan.sideBySide).groups[index];
  const open = comparisonsOfStarts(group, before).filter(isOpen);
  const files = startFiles(index, start);
  const startedAt = new Date();
  mkdirSync(dirname(join(runFolder, files.raw)), { recursive: true });
  progress.drawStart(group, start, 'running');
  /** @type {Omit<StartRaw, 'schemaVersion' | 'group' | 'start' | 'startedAt' | 'durationMs'>} */
  let outcome;
  try {
    outcome = await runStart(campaign, group, start, open, join(runFolder, files.histograms));
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    outcome = { status: 'failed', reason: error.message, sides: [], slices: [] };
  }
  if (signal.aborted) outcome = { ...outcome, status: 'aborted', reason: 'interrupted' };
  /** @type {StartRaw} */
  const raw = {
    schemaVersion: 1,
    group: index,
    start,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    ...outcome,
  };
  writeJson(join(runFolder, files.raw), raw);
  const record = startRecordOf(runFolder, plan, index, start);
  writeJson(join(runFolder, files.result), record);
  progress.startEnded(group, record, comparisonsOfStarts(group, [...before, record]));
  return record;
}

/**
 * @typedef {object} Side
 * @property {string} name
 * @property {string} system
 * @property {Stack} stack
 * @property {Instance} instance
 */

/**
 * All systems of a group up at once, on fresh data, on one CPU; one k6 on the others.
 * @param {Campaign} campaign
 * @param {SideBySideGroup} group
 * @param {number} start
 * @param {ReturnType<typeof comparisonsOfStarts>} open comparisons that another start may decide
 * @param {string} exportFile absolute
 * @returns {Promise<Pick<StartRaw, 'status' | 'reason' | 'sides' | 'slices'>>}
 */
async function runStart(campaign, group, start, open, exportFile) {
  const { plan, stacks, signal } = campaign;
  const { placement } = /** @type {SideBySidePlan} */ (plan.sideBySide);
  const folder = temporaryFolder(`start-${start}`);
  const logPath = join(folder, 'k6.log');
  /** @type {Side[]} */
  const sides = [];
  /** @type {Control | null} */
  let control = null;
  /** @type {import('../process/child.js').Child | null} */
  let k6 = null;
  try {
    // No system owns a lane: every second start has them the other way round.
    const order = [...group.systems, group.twinOf].map((system, i) => ({ system, name: `s${i}` }));
    for (const { system, name } of start % 2 === 0 ? order.reverse() : order) {
      if (signal.aborted) break;
      const stack = /** @type {Stack} */ (stacks.find((s) => s.id === system));
      const planned = /** @type {(typeof plan.systems)[number]} */ (
        plan.systems.find((s) => s.id === system)
      );
      const instance = await startSystem(stack, planned, {
        transport: group.transport,
        options: { ...plan.options, ports: {} },
        signal,
        wrap: (command) => pinned(command, placement.systems),
      });
      sides.push({ name, system, stack, instance });
    }
    if (signal.aborted) return { status: 'aborted', reason: 'interrupted', sides: [], slices: [] };
    const idle = await idleCores(sides);
    control = await openControl(sides.map((s) => s.name));
    const callFile = join(folder, 'call.json');
    writeFileSync(callFile, JSON.stringify(callOf(plan, group, start, sides, control.url, exportFile)));
    const { command, env } = sideBySideCommand({
      binary: campaign.k6,
      callFile,
      apiPort: await freePort(),
      loops: sides.length,
    });
    k6 = await startChild(dieWithUs(pinned(command, placement.generator)), { cwd: folder, env, logPath });
    const conducted = conduct({ plan, group, start, open, sides, control, generatorPgid: k6.pid, signal });
    const ended = k6.exited.then(() => /** @type {const} */ ('ended'));
    const died = Promise.race(sides.map((s) => s.instance.died.then(() => s)));
    const first = await Promise.race([conducted, ended, died, campaign.interrupted]);
    if (first === undefined) return { status: 'aborted', reason: 'interrupted', sides: [], slices: [] };
    if (first !== 'ended' && 'instance' in first)
      return failed(`${first.system} ended during the start`, await first.instance.logTail());
    control.end();
    const { code, signal: by } = await k6.exited;
    const result = k6Outcome({ code, signal: by }, tailOf(logPath, 10));
    if (!result.ok || first === 'ended') return failed(result.reason || 'k6 ended before its work was done');
    const versions = Object.fromEntries(sides.map((s) => [s.name, s.instance.version]));
    return {
      status: 'ok',
      reason: null,
      sides: sides.map(({ name, system }, lane) => ({
        name,
        lane,
        system,
        version: versions[name],
        warm: first.warm[name],
        idleCores: idle[name],
      })),
      slices: first.slices,
    };
  } finally {
    await k6?.stop(2000);
    await control?.close();
    for (const { instance } of sides) await instance.stop();
    removeNow(folder);
  }
}

/**
 * @param {string} reason
 * @param {string[]} [log]
 * @returns {Pick<StartRaw, 'status' | 'reason' | 'sides' | 'slices'>}
 */
function failed(reason, log = []) {
  const last = log[log.length - 1];
  return { status: 'failed', reason: last ? `${reason}: ${last}` : reason, sides: [], slices: [] };
}

/**
 * @param {Campaign['plan']} plan
 * @param {SideBySideGroup} group
 * @param {number} start
 * @param {Side[]} sides
 * @param {string} control URL
 * @param {string} exportFile
 * @returns {StartCall}
 */
function callOf(plan, group, start, sides, control, exportFile) {
  const facts = /** @type {(typeof plan.workloads)[number]} */ (
    plan.workloads.find((w) => w.id === group.workload)
  );
  return {
    start,
    workload: group.workload,
    dataset: datasetOf(facts, plan.profile),
    keySpace: facts.keys?.space ?? 'keys',
    documents: facts.keys?.documents === true,
    seed: plan.profile.seed + start,
    users: Math.max(...group.cells.map((c) => c.connections)),
    control,
    exportFile,
    sides: sides.map(({ name, stack, instance }, lane) => {
      const { hostname, port } = new URL(instance.url);
      return {
        name,
        lane,
        stackFolder: stack.folder,
        target: { url: instance.url, host: hostname, port: Number(port), transport: group.transport },
      };
    }),
  };
}

/** @param {Side} side @returns {ThreadReading | null} */
function threadsOf({ instance }) {
  if (instance.pgid === null) return null;
  return readThreads([instance.pgid, ...(instance.companions?.pgids() ?? [])]);
}

/**
 * @param {ThreadReading | null} from
 * @param {ThreadReading | null} to
 * @returns {ThreadShares | null}
 */
function sharesBetween(from, to) {
  return from && to ? threadsBetween(from, to) : null;
}

/**
 * @param {Side[]} sides
 * @returns {Promise<Record<string, number | null>>} CPU that each takes without load, in cores
 */
async function idleCores(sides) {
  const before = sides.map(threadsOf);
  await pause(IDLE_MS);
  return Object.fromEntries(
    sides.map((side, i) => {
      const use = sharesBetween(before[i], threadsOf(side));
      return [side.name, use && use.cpuSec / use.seconds];
    }),
  );
}

/**
 * @typedef {object} Start
 * @property {Campaign['plan']} plan
 * @property {SideBySideGroup} group
 * @property {number} start
 * @property {ReturnType<typeof comparisonsOfStarts>} open
 * @property {Side[]} sides
 * @property {Control} control
 * @property {number} generatorPgid
 * @property {AbortSignal} signal
 */

/**
 * The order of a start: fill, warm each system alone, then the cells by chance: pairs at the same moment, each system
 * alone.
 * @param {Start} context
 * @returns {Promise<{slices: RawSlice[], warm: Record<string, boolean>}>}
 */
async function conduct(context) {
  const { group, sides, control, open, start, plan, signal } = context;
  await control.ready(sides.map((s) => s.name));
  const window = { phase: 'load', startMs: Date.now(), endMs: Date.now() + OPEN_MS };
  await fillAll(context, window);
  /** @type {RawSlice[]} */
  const slices = [];
  /** @type {Record<string, boolean>} */
  const warm = {};
  for (const side of sides) {
    if (signal.aborted) break;
    const own = await warmUp(context, side, window);
    slices.push(...own.slices);
    warm[side.name] = own.stable;
  }
  const random = createRng(plan.orderSeed + start);
  const pairs = open.map(({ cell, a, b, kind }) => ({
    cell: /** @type {SideBySideCell} */ (group.cells.find((c) => c.id === cell)),
    names: kind === 'same' ? [nameOf(context, a), twinName(group)] : [nameOf(context, a), nameOf(context, b)],
  }));
  const singles =
    start > ALONE_STARTS
      ? []
      : group.cells.flatMap((cell) => group.systems.map((id) => ({ cell, names: [nameOf(context, id)] })));
  for (const { cell, names } of shuffle([...pairs, ...singles], random)) {
    if (signal.aborted) break;
    slices.push(await loadSlice(context, cell, names, window));
  }
  return { slices, warm };
}

/** @param {Start} context @param {string} system */
function nameOf({ sides, group }, system) {
  return /** @type {Side} */ (sides.find((s) => s.system === system && s.name !== twinName(group))).name;
}

/** @param {SideBySideGroup} group */
function twinName({ systems }) {
  return `s${systems.length}`;
}

/**
 * @param {Start} context
 * @param {SideOrder['window']} window
 */
async function fillAll({ group, sides, control }, window) {
  for (const { op, operations } of group.fill) {
    for (const { name } of sides) {
      const now = Date.now();
      await control.order(name, {
        window,
        parts: [{ op, share: 1 }],
        connections: 1,
        depth: 64,
        startMs: now,
        untilMs: now + OPEN_MS,
        cutsMs: [],
        fill: operations,
      });
    }
  }
}

/**
 * @param {Start} context
 * @param {Side} side
 * @param {SideOrder['window']} window
 * @returns {Promise<{slices: RawSlice[], stable: boolean}>}
 */
async function warmUp(context, side, window) {
  const { group, control, signal } = context;
  const cells = warmingCells(group);
  /** @type {RawSlice[]} */
  const slices = [];
  let last = Number.NaN;
  while (slices.length < WARM.most && !signal.aborted) {
    const from = threadsOf(side);
    const host = sampleHost();
    const began = Date.now();
    const report = { acked: 0, failed: 0, aborted: 0, endedMs: 0 };
    for (const { parts, connections, depth } of cells) {
      const startMs = Date.now();
      const one = await control.order(side.name, {
        window,
        parts,
        connections,
        depth,
        startMs,
        untilMs: startMs + WARM.sliceMs / cells.length,
        cutsMs: [],
      });
      report.acked += one.acked;
      report.failed += one.failed;
      report.aborted += one.aborted;
      report.endedMs = one.endedMs;
    }
    const threads = sharesBetween(from, threadsOf(side));
    slices.push({
      kind: 'warm',
      cell: '',
      cutsMs: [began, Date.now()],
      sides: [{ name: side.name, threads, report }],
      host: hostBetween(host),
      generator: null,
    });
    const figure = threads ? report.acked / threads.cpuSec : Number.NaN;
    if (Math.abs(Math.log(figure / last)) <= Math.log(1 + WARM.agree)) return { slices, stable: true };
    last = figure;
  }
  return { slices, stable: false };
}

/**
 * Each operation as the widest cell has it.
 * @param {SideBySideGroup} group
 */
function warmingCells({ cells }) {
  const operations = [...new Set(cells.map((c) => c.operation))];
  return operations.map((operation) => {
    const [widest] = cells
      .filter((c) => c.operation === operation)
      .sort((a, b) => b.connections * b.depth - a.connections * a.depth);
    return widest;
  });
}

/**
 * @param {Start} context
 * @param {SideBySideCell} cell
 * @param {string[]} names of one side, or of two that are loaded at the same moment
 * @param {SideOrder['window']} open window of what is compared and not timed
 * @returns {Promise<RawSlice>}
 */
async function loadSlice({ sides, control, generatorPgid }, cell, names, open) {
  const shape = names.length === 1 ? ALONE : PAIR;
  const startMs = Date.now() + shape.leadMs;
  /** @type {[number, number]} */
  const cutsMs = [startMs + shape.dropMs, startMs + shape.dropMs + shape.countedMs];
  const own = sides.filter((s) => names.includes(s.name));
  const window =
    names.length === 1 ? { phase: `alone/${cell.id}`, startMs: cutsMs[0], endMs: cutsMs[1] } : open;
  const reports = own.map(({ name }) =>
    control.order(name, {
      window,
      parts: cell.parts,
      connections: cell.connections,
      depth: cell.depth,
      startMs,
      untilMs: cutsMs[1] + shape.tailMs,
      cutsMs,
    }),
  );
  await pause(cutsMs[0] - Date.now());
  const host = sampleHost();
  const before = own.map(threadsOf);
  const generatorBefore = readThreads([generatorPgid]);
  await pause(cutsMs[1] - Date.now());
  const after = own.map(threadsOf);
  const generator = sharesBetween(generatorBefore, readThreads([generatorPgid]));
  const shares = hostBetween(host);
  const done = await Promise.all(reports);
  return {
    kind: names.length === 1 ? 'alone' : 'pair',
    cell: cell.id,
    cutsMs,
    sides: own.map(({ name }, i) => ({ name, threads: sharesBetween(before[i], after[i]), report: done[i] })),
    host: shares,
    generator,
  };
}

/** @param {ReturnType<typeof sampleHost>} before @returns {RawSlice['host']} of all CPUs together */
function hostBetween(before) {
  const now = sampleHost();
  return {
    busySec: now.busySec - before.busySec,
    stealSec: now.stealSec - before.stealSec,
    totalSec: now.totalSec - before.totalSec,
  };
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
