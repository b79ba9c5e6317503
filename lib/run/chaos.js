import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { causeOf } from '../errors.js';
import { conditionsOf } from '../generator/in-container.js';
import { processTable } from '../process/table.js';
import { within } from '../process/within.js';
import { cellFiles, writeRaw } from '../record/run-folder.js';
import { sampleGroups } from '../sample/processes.js';
import { makeFolder } from '../store.js';
import { metaOf } from './cell.js';
import { failed, startK6, underLoadFor } from './durability.js';
import { isOfNetwork, startNetwork } from './network.js';

/**
 * A fault in the midst of a paced load, which goes on all the while: what is acknowledged, what fails, and when
 * everything is as before is read off the load's own timeline.
 * @import { CellMeta, CellPlan, ChaosMoments, Fault, Step } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 * @import { CellContext, measureCell } from './cell.js'
 * @import { Network } from './network.js'
 * @import { Outcome } from './durability.js'
 */

/** What the load may take beyond its window: the check of the state, time-outs. */
const GRACE_SEC = 60;

/**
 * @param {CellPlan} cell
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @returns {Promise<CellMeta>}
 */
export async function measureFault(cell, subject, context) {
  const { runFolder } = context;
  const files = cellFiles(cell.id);
  makeFolder(join(runFolder, 'raw'));
  for (const file of Object.values(files)) rmSync(join(runFolder, file), { force: true });
  const startedAt = new Date();
  const fault = /** @type {Fault} */ (cell.step.fault);
  /** @type {Network | null} */
  let network = null;
  /** @type {Outcome} */
  let outcome;
  try {
    if (isOfNetwork(fault.kind))
      network = await startNetwork(subject.instance.url, containersOf(subject, context));
    outcome = await underFault(cell, fault, { subject, network }, context);
  } catch (error) {
    outcome = await failed(causeOf(error), subject.instance);
  } finally {
    await network?.stop();
  }
  const meta = metaOf(cell, subject, context, { ...outcome, startedAt });
  writeRaw(runFolder, meta, []);
  return meta;
}

/**
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @returns {Parameters<typeof startNetwork>[1]} where what stands between load and system must stand
 */
function containersOf({ system }, { plan, project }) {
  if (system.engine !== 'docker') return null;
  if (!project) throw new Error('systems in containers have no project');
  return { project, network: project.network, image: conditionsOf(plan).images.GENERATOR_IMAGE.ref };
}

/**
 * @param {CellPlan} cell
 * @param {Fault} fault
 * @param {{subject: Parameters<typeof measureCell>[1], network: Network | null}} what
 * @param {CellContext} context
 * @returns {Promise<Outcome>}
 */
async function underFault(cell, fault, { subject, network }, context) {
  const { instance } = subject;
  const through = network ? { ...subject, instance: { ...instance, url: network.url } } : subject;
  const load = await startK6(cell, through, context, { part: 'load' });
  /** @type {Outcome} */
  const aborted = { status: 'aborted', reason: 'interrupted', logTail: [], k6ExitCode: null };
  try {
    const went = await underLoadFor(fault.atSec, load, context);
    if (went === 'interrupted') return aborted;
    if (went === 'ended')
      return await failed(`the load ended before the fault: ${load.lastWords()}`, instance);
    const rssBeforeBytes = memoryOf(instance);
    const moments = await faultOn(instance, network, fault, context);
    const leftSec = (cell.step.durationSec ?? 0) - fault.atSec - (fault.forSec ?? 0) + GRACE_SEC;
    const ended = await within(
      leftSec * 1000,
      load.exited,
      context.interrupted.then(() => false),
    );
    if (context.signal.aborted) return aborted;
    if (!ended) return await failed(`the load did not end in ${Math.round(leftSec)} s`, instance);
    if (!load.ok()) return await failed(load.lastWords(), instance);
    if (!instance.running())
      return await failed(
        ['the system ended after its fault', await instance.ending?.()].filter(Boolean).join(' '),
        instance,
      );
    load.discardLog();
    const chaos = { ...moments, rssBeforeBytes, rssAfterBytes: memoryOf(instance) };
    return { status: 'ok', reason: null, logTail: [], k6ExitCode: 0, chaos };
  } finally {
    await load.end('SIGTERM');
  }
}

/**
 * @param {Instance} instance
 * @param {Network | null} network
 * @param {Fault} fault
 * @param {CellContext} context
 * @returns {Promise<Pick<ChaosMoments, 'kind' | 'beganMs' | 'endedMs' | 'restartMs'>>}
 */
async function faultOn(instance, network, { kind, forSec = 0 }, { interrupted }) {
  if (kind === 'kill') {
    if (!instance.kill || !instance.restart) throw new Error('this engine cannot kill and restart a system');
    const beganMs = Date.now();
    await instance.kill();
    const startedMs = Date.now();
    await instance.restart();
    return { kind, beganMs, endedMs: beganMs, restartMs: Date.now() - startedMs };
  }
  const { begin, end } = switchOf(instance, network, kind);
  await begin();
  // What was sent until the fault was whole may have slipped through.
  const beganMs = Date.now();
  try {
    await within(forSec * 1000, interrupted);
  } finally {
    await end();
  }
  const endedMs = Date.now();
  return { kind, beganMs, endedMs, restartMs: instance.running() ? null : await startedAgain(instance) };
}

/**
 * Some servers end when their disk is full, and the kernel ends one that asks for memory that it may not have: what started
 * it starts it again once that is over.
 * @param {Instance} instance
 * @returns {Promise<number>} ms until it answered
 */
async function startedAgain({ kill, restart, ending }) {
  if (!kill || !restart) throw new Error(`the system ended in its fault ${(await ending?.()) ?? ''}`);
  await kill();
  const startedMs = Date.now();
  await restart();
  return Date.now() - startedMs;
}

/**
 * @param {Step} step
 * @returns {import('../engines/native.js').PreparedFault | undefined} what its system must be started for
 */
export function preparedFault({ powerLoss, fault }) {
  if (powerLoss) return 'power-loss';
  return fault?.kind === 'memory' || fault?.kind === 'disk-full' ? fault.kind : undefined;
}

/**
 * @param {Instance} instance
 * @param {Network | null} network
 * @param {Fault['kind']} kind
 * @returns {{begin: () => void | Promise<void>, end: () => void | Promise<void>}}
 */
function switchOf(instance, network, kind) {
  if (network && isOfNetwork(kind)) return { begin: () => network.begin(kind), end: network.end };
  if (instance.fault) return instance.fault;
  const { freeze, thaw } = instance;
  if (kind === 'pause' && freeze && thaw) return { begin: freeze, end: thaw };
  throw new Error(`a system cannot be given the fault "${kind}" here`);
}

/**
 * @param {Instance} instance
 * @returns {number | null} bytes of anonymous memory, companions included; null where they are not ours to see
 */
function memoryOf({ pgid, companions }) {
  if (pgid === null || companions?.elsewhere) return null;
  return sampleGroups([pgid, ...(companions?.pgids() ?? [])], processTable())?.rssBytes ?? null;
}
