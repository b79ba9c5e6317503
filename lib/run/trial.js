import { startSystem } from '../engines/index.js';
import { BenchError, EXIT } from '../errors.js';
import { writeConformance } from '../record/run-folder.js';
import { checkConformance, conformanceProblem } from './conformance.js';

/**
 * What every trial begins with, whether it has one system or several: systems that were checked once and are started fresh.
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
  const byId = new Map(stacks.map((stack) => [stack.id, stack]));
  const held = new Map(
    plan.systems.map((system) => [system.id, { system, stack: /** @type {Stack} */ (byId.get(system.id)) }]),
  );
  return (id) => /** @type {Held} */ (held.get(id));
}

/**
 * Systems on fresh data while they are used, and none of them after it, whatever came of it.
 * @template {Held} H
 * @template T
 * @param {H[]} held processes are started at the same time, containers one after another
 * @param {Pick<Campaign, 'plan' | 'project' | 'signal'>} campaign
 * @param {(one: H) => Omit<Parameters<typeof startSystem>[2], 'options' | 'project' | 'signal'>
 *   & {options?: Parameters<typeof startSystem>[2]['options']}} howOf
 * @param {(instances: Instance[]) => Promise<T>} use
 * @returns {Promise<T>}
 * @throws {BenchError} one does not start, or the run is interrupted while it does
 */
export async function withSystems(held, { plan, project, signal }, howOf, use) {
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
 * @param {Held} held
 * @param {Campaign} campaign
 * @param {string} transport
 * @throws {BenchError} it is not: it gets no load
 */
export async function demandConforming(held, campaign, transport) {
  const problem = await problemOnce(held, campaign, transport);
  if (problem) throw new BenchError(`${held.system.id}: ${problem}`, { exitCode: EXIT.systemFailed });
}

/** @type {(held: Held, campaign: Campaign, transport: string) => Promise<string | null>} */
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
    const outcome = await withSystems([held], campaign, () => ({ transport }), check);
    writeConformance(campaign.runFolder, outcome);
    return conformanceProblem(outcome);
  } catch (error) {
    if (error instanceof BenchError) return null;
    throw error;
  }
}
