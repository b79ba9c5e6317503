import { startSystem } from '../engines/index.js';
import { BenchError, EXIT } from '../errors.js';
import { writeConformance } from '../record/run-folder.js';
import { checkConformance, conformanceProblem } from './conformance.js';

/**
 * How every trial goes, of one system or of several: they are checked once, started on fresh data, loaded and stopped.
 * @import { Plan, PlannedSystem, Stack } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 * @import { Campaign } from './campaign.js'
 */

/** A system of the plan, and what is known of it. @typedef {{stack: Stack, system: PlannedSystem}} Held */

/**
 * @param {Plan} plan
 * @param {Stack[]} stacks
 * @returns {(id: string) => Held} the plan's systems, each with its stack
 */
export function heldSystems(plan, stacks) {
  return (id) => ({
    stack: /** @type {Stack} */ (stacks.find((s) => s.id === id)),
    system: /** @type {PlannedSystem} */ (plan.systems.find((s) => s.id === id)),
  });
}

/** How a system is started, beside what the campaign says. @typedef {Partial<Parameters<typeof startSystem>[2]>} How */

/**
 * @template {Held} H
 * @typedef {object} Trial
 * @property {H[]} held its systems, in the order in which they start
 * @property {string} transport
 * @property {(one: H) => How} [howOf]
 * @property {(error: BenchError) => void} failed a system is not right, does not start, or its load cannot be measured; not
 *   told of a run that was interrupted
 */

/**
 * Nothing of the systems of a trial is left after it, whatever came of it.
 * @template {Held} H
 * @template T
 * @param {Campaign} campaign
 * @param {Trial<H>} trial
 * @param {(instances: Instance[]) => Promise<T>} load
 * @returns {Promise<T | null>} what the load came to; null: it failed, or was interrupted
 */
export async function perform(campaign, { held, transport, howOf, failed }, load) {
  try {
    for (const one of held) {
      const problem = await problemOnce(one, campaign, transport);
      if (problem) throw new BenchError(`${one.system.id}: ${problem}`, { exitCode: EXIT.systemFailed });
    }
    return await withSystems(held, campaign, (one) => ({ transport, ...howOf?.(one) }), load);
  } catch (error) {
    if (campaign.signal.aborted) return null;
    if (!(error instanceof BenchError)) throw error;
    failed(error);
    return null;
  }
}

/**
 * Systems on fresh data while they are used, and none of them after it, whatever came of it.
 * @template {Held} H
 * @template T
 * @param {H[]} held processes are started at the same time, containers one after another
 * @param {Pick<Campaign, 'plan' | 'project' | 'signal'>} campaign
 * @param {(one: H) => How & {transport: string}} howOf
 * @param {(instances: Instance[]) => Promise<T>} use
 * @returns {Promise<T>}
 * @throws {BenchError} one does not start, or the run is interrupted while it does
 */
async function withSystems(held, { plan, project, signal }, howOf, use) {
  const start = (/** @type {H} */ one) =>
    startSystem(one.stack, one.system, { options: plan.options, project, signal, ...howOf(one) });
  const native = held.every(({ system }) => system.engine === 'native');
  /** @type {Instance[]} */
  const up = [];
  try {
    for (const some of native ? [held] : held.map((one) => [one])) {
      const came = await Promise.allSettled(some.map(start));
      up.push(...came.flatMap((c) => (c.status === 'fulfilled' ? [c.value] : [])));
      for (const c of came) if (c.status === 'rejected') throw c.reason;
    }
    return await use(up);
  } finally {
    await Promise.all(up.map((instance) => instance.stop()));
  }
}

/**
 * Asks it of all systems that are processes of this machine, at the same time: nothing is loaded yet. Containers of one
 * project are asked one after another, when they are needed.
 * @param {Campaign} campaign
 */
export async function askConforming(campaign) {
  const { plan, heldOf } = campaign;
  const all = plan.trials.flatMap(({ systems, transport }) =>
    systems.map((id) => ({ held: heldOf(id), transport })),
  );
  const native = all.filter(({ held }) => held.system.engine === 'native');
  await Promise.all(native.map(({ held, transport }) => problemOnce(held, campaign, transport)));
}

/**
 * Is it right at all? Asked once for each system, before its first load, on an instance of its own.
 * @type {(held: Held, campaign: Campaign, transport: string) => Promise<string | null>}
 */
async function problemOnce(held, campaign, transport) {
  const { id } = held.system;
  const { nonconforming, signal } = campaign;
  if (!held.stack.manifest.conformance || signal.aborted) return null;
  const problem = nonconforming.get(id) ?? problemOf(held, campaign, transport);
  nonconforming.set(id, problem);
  return problem;
}

/**
 * @param {Held} held
 * @param {Campaign} campaign
 * @param {string} transport
 * @returns {Promise<string | null>} null: it passed, or does not start, which its loads say
 */
async function problemOf(held, campaign, transport) {
  try {
    const ours = held.system.engine !== 'external';
    const check = (/** @type {Instance[]} */ [instance]) => checkConformance(held.stack, instance, { ours });
    // Variants of one system are asked at the same time, and would meet at its --port.
    const options = { ...campaign.plan.options, ports: {} };
    const outcome = await withSystems([held], campaign, () => ({ transport, options }), check);
    writeConformance(campaign.runFolder, outcome);
    return conformanceProblem(outcome);
  } catch (error) {
    if (error instanceof BenchError) return null;
    throw error;
  }
}
