import { FAULTS, needOf } from '../config/faults.js';
import { memoryOf } from '../engines/watched.js';
import { startLoad } from '../generator/load.js';
import { within } from '../process/within.js';
import { callOf } from './call.js';
import { endOf, endOrUnderLoad } from './ends.js';
import { startNetwork } from './network.js';

/**
 * A fault in the midst of a paced load, which goes on all the while: what is acknowledged, what fails, and when
 * everything is as before is read off the load's own timeline.
 * @import { CellPlan, ChaosMoments, Fault } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 * @import { Load } from '../generator/load.js'
 * @import { CellContext, CellOutcome, Subject } from './cell.js'
 * @import { Network } from './network.js'
 */

/** What the load may take beyond its window: the check of the state, time-outs. */
const GRACE_SEC = 60;

/**
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @returns {Promise<CellOutcome>}
 */
export async function loadUnderFault(cell, subject, context) {
  const { instance } = subject;
  const fault = /** @type {Fault} */ (cell.step.fault);
  /** @type {Network | null} */
  let network = null;
  try {
    if (needOf(cell.step) === 'network')
      network = await startNetwork(instance.url, containersOf(subject, context));
    const through = network ? { ...subject, instance: { ...instance, url: network.url } } : subject;
    const load = await startLoad(callOf(cell, through, context));
    return await underFault(cell, fault, { load, instance, network }, context).finally(load.close);
  } finally {
    await network?.stop();
  }
}

/**
 * @param {Subject} subject
 * @param {CellContext} context
 * @returns {Parameters<typeof startNetwork>[1]} where what stands between load and system must stand
 */
function containersOf({ system }, { plan: { docker }, project }) {
  if (system.engine !== 'docker') return null;
  if (!docker || !project) throw new Error('systems in containers have no project');
  return { project, network: project.network, image: docker.images.GENERATOR_IMAGE.ref };
}

/**
 * @param {CellPlan} cell
 * @param {Fault} fault
 * @param {{load: Load, instance: Instance, network: Network | null}} what
 * @param {CellContext} context
 * @returns {Promise<CellOutcome>}
 */
async function underFault(cell, fault, { load, instance, network }, context) {
  const waiting = { ...context, instances: [instance], limitSec: GRACE_SEC };
  const early = await endOrUnderLoad(load, { ...waiting, before: () => 'the fault' }, fault.atSec);
  if (early) return early.outcome;
  const rssBeforeBytes = memoryOf(instance);
  const moments = await faultOn(instance, network, fault, context);
  const leftSec = (cell.step.durationSec ?? 0) - fault.atSec - (fault.forSec ?? 0) + GRACE_SEC;
  const { outcome } = await endOf(load, { ...waiting, limitSec: leftSec });
  if (outcome.status !== 'ok') return outcome;
  return { ...outcome, chaos: { ...moments, rssBeforeBytes, rssAfterBytes: memoryOf(instance) } };
}

/**
 * @param {Instance} instance
 * @param {Network | null} network
 * @param {Fault} fault
 * @param {CellContext} context
 * @returns {Promise<Pick<ChaosMoments, 'kind' | 'beganMs' | 'endedMs' | 'restartMs'>>}
 */
async function faultOn(instance, network, { kind, forSec = 0 }, { interrupted }) {
  const { begin, end } = FAULTS[kind];
  const at = /** @type {import('../config/faults.js').Struck} */ ({ instance, network });
  let beganMs = Date.now();
  await begin(at);
  let endedMs = beganMs;
  if (end) {
    // What was sent until the fault was whole may have slipped through.
    beganMs = Date.now();
    try {
      await within(forSec * 1000, interrupted);
    } finally {
      await end(at);
    }
    endedMs = Date.now();
  }
  return { kind, beganMs, endedMs, restartMs: instance.running() ? null : await startedAgain(instance) };
}

/**
 * A kill ends a server, some end when their disk is full, and the kernel ends one that asks for memory that it may not have: what started
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
