import { FAULTS } from '../config/faults.js';
import { manifestOf, restarts } from './declares.js';
import { writesAny } from './steps.js';

/**
 * Kills, faults and losses of power that a system cannot have, and why.
 * @import { Plan, PlannedSystem, Step, WorkloadFacts } from '../types.d.ts'
 * @import { PlanInput } from './plan.js'
 */

const NO_RESTART = 'it does not declare that it can be restarted on its data';

/**
 * @param {PlanInput} input
 * @param {Set<string>} used systems that have cells
 * @returns {Plan['absent']} kills, faults and losses of power of the profile that a system cannot have, and why
 */
export function notHad(input, used) {
  const { profile, systems, stacks, workloads } = input;
  const { steps } = profile;
  const own = systems.filter((s) => s.role === 'system');
  const killsAlone = steps.every((s) => s.kill) && !steps.every((s) => s.powerLoss);
  const notKilled = killsAlone ? own.filter((s) => !used.has(s.id)) : [];
  const taken = (/** @type {string} */ id) =>
    workloads.filter((w) => manifestOf(stacks, id)?.workloads[w.id]);
  const [losing] = steps.filter((s) => s.powerLoss);
  const restartable = losing ? own.filter((s) => restarts(stacks, s.id)) : [];
  return [
    ...notKilled.flatMap(({ id }) =>
      absent(id, 'unsupported', whyNotKilled(restarts(stacks, id), taken(id))),
    ),
    ...own.flatMap((s) =>
      steps
        .filter((step) => step.fault)
        .flatMap((step) => absent(`${s.id}, ${step.id}`, 'unsupported', cannotHave(step, s, input))),
    ),
    ...restartable.flatMap((s) =>
      absent(`${s.id}, loss of power`, 'unavailable', cannotHave(losing, s, input)),
    ),
  ];
}

/**
 * @param {string} system
 * @param {'unsupported' | 'unavailable'} status
 * @param {string | null} reason
 * @returns {Plan['absent']} none without a reason
 */
function absent(system, status, reason) {
  return reason === null ? [] : [{ system, status, reason }];
}

/**
 * @param {Step} step with a kill or a fault
 * @param {PlannedSystem} system
 * @param {Pick<PlanInput, 'stacks' | 'lacks'>} input
 * @returns {string | null} why the system cannot have it; null where it can
 */
export function cannotHave({ fault, powerLoss }, { id, engine }, { stacks, lacks }) {
  if (!fault && !restarts(stacks, id)) return NO_RESTART;
  if (!fault) return powerLoss ? cannotLosePower(engine, lacks?.disk) : null;
  const entry = FAULTS[fault.kind];
  if (!entry.engines.includes(engine)) return `${entry.notOurs} with the engine ${engine}`;
  const lacked = entry.needs && lacks?.[entry.needs];
  if (lacked) return lacked;
  return entry.restarts && !restarts(stacks, id) ? NO_RESTART : null;
}

/**
 * @param {PlannedSystem['engine']} engine
 * @param {string | null | undefined} missing on this machine
 * @returns {string | null} null where its data can lie on a disk that loses its power
 */
function cannotLosePower(engine, missing) {
  if (engine === 'docker')
    return 'its data lies in a container’s volume, on a disk that cannot lose its power';
  if (engine !== 'native') return 'it was given by its address: its disk is not ours';
  return missing ?? null;
}

/**
 * @param {boolean} restartable
 * @param {WorkloadFacts[]} workloads that the system takes
 * @returns {string}
 */
function whyNotKilled(restartable, workloads) {
  if (!restartable) return NO_RESTART;
  if (workloads.every((w) => !writesAny(w))) return 'its workloads write nothing that a kill could lose';
  return 'its workloads end with a count of operations, which may be over before the kill';
}
