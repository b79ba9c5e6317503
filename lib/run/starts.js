import { dirname, join } from 'node:path';
import { startSystem } from '../engines/index.js';
import { BenchError } from '../errors.js';
import { startGenerator } from '../generator/generator.js';
import { k6Outcome } from '../generator/k6.js';
import { removeNow, tailOf } from '../process/child.js';
import { freePort } from '../process/ports.js';
import { temporaryFolder } from '../process/temporary.js';
import { comparisonsOfStarts, nextGroup, wantedOf } from '../record/side-by-side.js';
import { readStart, sideName, startFiles, startRecordOf, twinName } from '../record/starts.js';
import { makeFolder, writeJson } from '../store.js';
import { agendaOf, conduct } from './conduct.js';
import { openControl } from './control.js';
import { demandTaken } from './settings-taken.js';
import { idleCores, memoryOf } from './slices.js';

/**
 * @import { SideBySideGroup, SideBySidePlan, Stack, StartRaw, StartRecord,
 *   TrialCall } from '../types.d.ts'
 * @import { Campaign } from './campaign.js'
 * @import { Control } from './control.js'
 * @import { Side } from './slices.js'
 */

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
  while (!campaign.signal.aborted) {
    const late = sideBySide.maxMinutes !== null && Date.now() - began > sideBySide.maxMinutes * 60_000;
    const next = nextGroup(sideBySide, plan.systems, records, late);
    if (next === null) break;
    const { index, group, own } = next;
    const start = own.length + 1;
    const done = readStart(campaign.runFolder, index, start);
    records.push(done ?? (await oneStart(campaign, group, { index, start }, own)));
  }
  return records;
}

/**
 * @param {Campaign} campaign
 * @param {SideBySideGroup} group as its systems promise
 * @param {{index: number, start: number}} place `index`: of the group in the plan
 * @param {StartRecord[]} before of the same group
 * @returns {Promise<StartRecord>}
 */
async function oneStart(campaign, group, { index, start }, before) {
  const { plan, runFolder, signal, progress } = campaign;
  const wanted = wantedOf(/** @type {SideBySidePlan} */ (plan.sideBySide), group, before);
  const files = startFiles(index, start);
  const startedAt = new Date();
  makeFolder(dirname(join(runFolder, files.raw)));
  progress.drawStart(group, start, 'running');
  /** @type {Omit<StartRaw, 'schemaVersion' | 'group' | 'start' | 'startedAt' | 'durationMs'>} */
  let outcome;
  try {
    outcome = await runStart(campaign, group, start, wanted, join(runFolder, files.histograms));
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
 * All systems of a group up at once, on fresh data, on one CPU; one k6 on the others.
 * @param {Campaign} campaign
 * @param {SideBySideGroup} group
 * @param {number} start
 * @param {ReturnType<typeof comparisonsOfStarts>} wanted comparisons that this start is for
 * @param {string} exportFile absolute
 * @returns {Promise<Pick<StartRaw, 'status' | 'reason' | 'sides' | 'slices'>>}
 */
async function runStart(campaign, group, start, wanted, exportFile) {
  const { plan, signal, project, runFolder } = campaign;
  const { placement } = /** @type {SideBySidePlan} */ (plan.sideBySide);
  const agenda = agendaOf(group, start, wanted);
  const folder = temporaryFolder(`start-${start}`);
  const logPath = join(folder, 'k6.log');
  /** @type {Side[]} */
  const sides = [];
  /** @type {Control | null} */
  let control = null;
  /** @type {import('../generator/generator.js').GeneratorProcess | null} */
  let generator = null;
  try {
    await bringUp(campaign, group, { start, names: agenda.names }, sides);
    if (signal.aborted) return { status: 'aborted', reason: 'interrupted', sides: [], slices: [] };
    const idle = await idleCores(sides);
    control = await openControl(sides.map((s) => s.name));
    generator = await startGenerator({
      binary: campaign.k6,
      plan,
      workload: group.workload,
      transport: group.transport,
      profilePath: join(runFolder, 'profile.json'),
      trial: trialOf(group, start, sides, control.url),
      files: { histograms: exportFile },
      heldTo: placement.generator,
      apiPort: await freePort(),
      project: sides.some((s) => s.instance.containers) ? project : null,
      runFolder,
      logPath,
    });
    const { child: k6 } = generator;
    const conducted = conduct({
      group,
      agenda,
      seed: plan.orderSeed + start,
      sides,
      control,
      generator: generator.watched,
      fitting: campaign.fitting,
      signal,
    });
    const ended = k6.exited.then(() => /** @type {const} */ ('ended'));
    const died = Promise.race(sides.map((s) => s.instance.died.then(() => s)));
    const first = await Promise.race([conducted, ended, died, campaign.interrupted]);
    if (first === undefined) return { status: 'aborted', reason: 'interrupted', sides: [], slices: [] };
    if (first !== 'ended' && 'instance' in first)
      return failed(`${first.system} ended during the start`, await first.instance.logTail());
    // While their connections are there still.
    const rssBytes = first === 'ended' ? {} : memoryOf(sides);
    control.end();
    const { code, signal: by } = await k6.exited;
    const result = k6Outcome({ code, signal: by }, tailOf(logPath, 10));
    if (!result.ok || first === 'ended') return failed(result.reason || 'k6 ended before its work was done');
    return {
      status: 'ok',
      reason: null,
      sides: sides.map(({ name, system, instance }, lane) => ({
        ...{ name, lane, system, version: instance.version, warm: first.warm[name] },
        ...{ idleCores: idle[name], rssBytes: rssBytes[name] ?? null },
      })),
      slices: first.slices,
    };
  } finally {
    await generator?.child.stop(2000);
    await generator?.release();
    await control?.close();
    await Promise.all(sides.map(({ instance }) => instance.stop()));
    removeNow(folder);
  }
}

/**
 * @param {Campaign} campaign
 * @param {SideBySideGroup} group
 * @param {{start: number, names: Set<string>}} what `names`: of the sides that take part
 * @param {Side[]} sides filled one by one, so that those that are up are known whatever happens to the next
 */
async function bringUp({ plan, stacks, signal, project }, group, { start, names }, sides) {
  // No system owns a lane: every second start has them the other way round.
  const order = [
    ...group.systems.map((system) => ({ system, name: sideName(group, system) })),
    { system: group.twinOf, name: twinName(group) },
  ].filter(({ name }) => names.has(name));
  for (const { system, name } of start % 2 === 0 ? order.reverse() : order) {
    if (signal.aborted) return;
    const stack = /** @type {Stack} */ (stacks.find((s) => s.id === system));
    const planned = /** @type {(typeof plan.systems)[number]} */ (plan.systems.find((s) => s.id === system));
    const instance = await startSystem(stack, planned, {
      transport: group.transport,
      options: { ...plan.options, ports: {} },
      project,
      signal,
      place: { name, cpus: plan.sideBySide?.placement.systems ?? [] },
    });
    sides.push({ name, system, stack, instance });
    demandTaken(stack, planned, instance);
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
 * @param {SideBySideGroup} group
 * @param {number} start
 * @param {Side[]} sides
 * @param {string} control URL
 * @returns {TrialCall}
 */
function trialOf({ cells }, start, sides, control) {
  return {
    start,
    users: Math.max(...cells.map((c) => c.connections)),
    control,
    systems: sides.map(({ name, stack, instance }, lane) => ({
      ...{ name, lane },
      ...{ stackFolder: stack.folder, url: instance.url },
    })),
  };
}
