import { FAULTS } from '../config/faults.js';
import { manifestOf, restarts } from './declares.js';
import { writesAny } from './steps.js';

/**
 * Kills, faults and losses of power that a system cannot have, and why.
 * @import { Fault, Plan, PlannedSystem, Step, WorkloadFacts } from '../types.d.ts'
 * @import { PlanInput } from './plan.js'
 */

const NO_RESTART = 'it does not declare that it can be restarted on its data';

/**
 * @param {PlanInput} input
 * @param {Set<string>} used systems that have cells
 * @returns {Plan['absent']} systems that a profile of kills alone leaves out, and why
 */
export function neverKilled({ profile, systems, stacks, workloads }, used) {
  if (!profile.steps.every((s) => s.kill) || profile.steps.every((s) => s.powerLoss)) return [];
  const own = (/** @type {string} */ id) => workloads.filter((w) => manifestOf(stacks, id)?.workloads[w.id]);
  return systems
    .filter((s) => s.role === 'system' && !used.has(s.id))
    .map((s) => ({
      system: s.id,
      status: /** @type {const} */ ('unsupported'),
      reason: whyNotKilled(restarts(stacks, s.id), own(s.id)),
    }));
}

/**
 * @param {PlanInput} input
 * @returns {Plan['absent']} faults of the profile that a system cannot have, and why
 */
export function faultsNotHad(input) {
  const { profile, systems } = input;
  return systems
    .filter((s) => s.role === 'system')
    .flatMap((s) =>
      profile.steps.flatMap((step) => {
        const reason = step.fault ? cannotHave(step, s, input) : null;
        const status = /** @type {const} */ ('unsupported');
        return reason === null ? [] : [{ system: `${s.id}, ${step.id}`, status, reason }];
      }),
    );
}

/**
 * @param {PlanInput} input
 * @returns {Plan['absent']} systems that are killed, and cannot lose what was not synced with it, and why
 */
export function powerNotLost({ profile, systems, stacks, lacks }) {
  if (!profile.steps.some((s) => s.powerLoss)) return [];
  return systems
    .filter((s) => s.role === 'system' && restarts(stacks, s.id))
    .flatMap((s) => {
      const reason = cannotLosePower(s, lacks?.disk);
      const status = /** @type {const} */ ('unavailable');
      return reason === null ? [] : [{ system: `${s.id}, loss of power`, status, reason }];
    });
}

/**
 * @param {PlannedSystem} system
 * @param {string | null | undefined} missing on this machine
 * @returns {string | null} null where its data can lie on a disk that loses its power
 */
export function cannotLosePower({ engine }, missing) {
  if (engine === 'docker')
    return 'its data lies in a container’s volume, on a disk that cannot lose its power';
  if (engine !== 'native') return 'it was given by its address: its disk is not ours';
  return missing ?? null;
}

/**
 * @param {Step} step with a fault
 * @param {PlannedSystem} system
 * @param {Pick<PlanInput, 'stacks' | 'lacks'>} input
 * @returns {string | null} why the system cannot have it; null where it can
 */
export function cannotHave({ fault }, { id, engine }, { stacks, lacks }) {
  const entry = FAULTS[/** @type {Fault} */ (fault).kind];
  if (!entry.engines.includes(engine)) return `${entry.notOurs} with the engine ${engine}`;
  const lacked = entry.needs && lacks?.[entry.needs];
  if (lacked) return lacked;
  return entry.restarts && !restarts(stacks, id) ? NO_RESTART : null;
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
