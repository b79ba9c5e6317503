import { peersOf } from '../config/peers.js';
import { METHOD_VERSION } from '../judge/method.js';
import { asks } from './declares.js';
import { estimateOf } from './estimate.js';
import { sideBySideOf } from './paired-trials.js';
import { observerTrials, singleTrialsOf, transportsIn } from './single-trials.js';
import { leftOut } from './steps.js';
import { notHad } from './why-not.js';

/**
 * @import { Plan, PlannedSystem, Profile, RunOptions, Stack, WorkloadFacts } from '../types.d.ts'
 */

/**
 * What a plan is made of.
 * @typedef {object} PlanInput
 * @property {string} runId
 * @property {string} profileId
 * @property {string} [profileFile] name of the file, of a profile of the user's own
 * @property {Profile} profile
 * @property {number} repeats
 * @property {PlannedSystem[]} systems systems and calibration targets that can run
 * @property {Plan['absent']} absent
 * @property {WorkloadFacts[]} workloads the chosen ones
 * @property {Stack[]} stacks
 * @property {RunOptions} options
 * @property {number} hostCores CPUs that the run may use
 * @property {ReturnType<typeof import('../engines/fault-needs.js').lackedHere>} [lacks] what faults need, and why this
 *   machine does not have it
 * @property {import('../process/placement.js').Placement | {problem: string}} [placement] of this machine
 * @property {import('./estimate.js').Seen} [seen] how long loads took before
 */

/**
 * Everything that will be done, in order, before anything is done.
 * @param {PlanInput} input
 * @returns {Plan}
 */
export function createPlan(input) {
  const { profile, repeats, workloads } = input;
  const { plan: sideBySide, trials: paired, why: notSideBySide } = sideBySideOf(input);
  const family = workloads.flatMap((w) => singleTrialsOf(w, input, paired));
  const trials = [...paired, ...observerTrials(family, input), ...family];
  const measured = trials.filter(({ role }) => ['system', 'durability', 'chaos'].includes(role));
  const engines = new Set(input.systems.filter((s) => s.role === 'system').map((s) => s.engine));
  const used = new Set(trials.flatMap((t) => t.systems));
  const lifecycle = lifecycleOf(input).filter((l) => used.has(l.system));
  const systems = input.systems.filter((s) => used.has(s.id));
  const peers = peersOf({ systems, absent: input.absent, workloads }, input.stacks);
  return {
    schemaVersion: 1,
    methodVersion: METHOD_VERSION,
    runId: input.runId,
    profileId: input.profileId,
    ...(input.profileFile ? { profileFile: input.profileFile } : {}),
    profile,
    repeats,
    orderSeed: profile.seed,
    engine: engines.size === 1 ? [...engines][0] : 'native',
    hostCores: input.hostCores,
    systems,
    ...(peers.length > 0 ? { peers } : {}),
    absent: [
      ...input.absent,
      ...notHad(input, used),
      ...workloads.flatMap((w) => leftOut(w, profile, transportsIn(w, input.systems, input.stacks))),
    ],
    workloads: workloads.filter((w) => measured.some((t) => t.workload === w.id)),
    trials,
    ...(lifecycle.length > 0 ? { lifecycle } : {}),
    ...estimateOf({ trials, sideBySide, lifecycle }, input),
    ...(sideBySide ? { sideBySide } : {}),
    ...(notSideBySide ? { notSideBySide } : {}),
    options: input.options,
  };
}

/**
 * @param {PlanInput} input
 * @returns {{system: string, unavailable: string | null}[]} systems whose manifest asks for lifecycle figures
 */
function lifecycleOf({ systems, stacks }) {
  return systems
    .filter((s) => s.role === 'system' && asks(stacks, s.id))
    .map(({ id, engine }) => ({
      system: id,
      unavailable:
        engine === 'native'
          ? null
          : `start-up, idle memory and size are measured with the engine native, not ${engine}`,
    }));
}
