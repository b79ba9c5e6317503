import { faultText } from '../../config/faults.js';
import { groupBy } from '../../group-by.js';
import { workloadTitleOf } from '../words.js';
import { inOrder } from './families.js';
import { sidesQuestion } from './questions.js';

/**
 * @import { FaultFigures } from '../../figures/recoveries.js'
 * @import { Plan } from '../../types.d.ts'
 * @import { Matrix } from './index.js'
 * @import { Question } from './questions.js'
 */

const systemOf = (/** @type {FaultFigures} */ { system }) => system;

/**
 * What each fault cost each system: how long until everything was as before, and what was lost.
 * @param {Plan} plan
 * @param {FaultFigures[]} faults
 * @returns {Matrix[]} one for each workload
 */
export function faultMatrices(plan, faults) {
  return groupBy(faults, (f) => f.workload).map((own) => {
    const systems = inOrder(plan, own.map(systemOf));
    return {
      title: workloadTitleOf(plan, own[0].workload),
      systems,
      questions: groupBy(own, (f) => f.step.id).map((same, i) => faultQuestion(plan, same, systems, i)),
    };
  });
}

/**
 * @param {Plan} plan
 * @param {FaultFigures[]} own of one fault
 * @param {string[]} systems
 * @param {number} place among the faults: the first ones are left out last
 * @returns {Question}
 */
function faultQuestion(plan, own, systems, place) {
  const restored = own.filter((f) => f.failure === null && f.notRestored === 0);
  const read = (/** @type {string} */ id) => restored.find((f) => f.system === id)?.restoredMs ?? null;
  const policyOf = (/** @type {string} */ id) => plan.systems.find((s) => s.id === id)?.durability?.policy;
  const load = { title: faultText(own[0].step), operation: '', users: 0, depth: 1, notes: [] };
  const what = { ...{ measure: 'p99 back after', unit: 'ms' }, weight: 10 - place / 10, load };
  // Only the same promise is compared.
  const mayMeet = (/** @type {string} */ a, /** @type {string} */ b) => policyOf(a) === policyOf(b);
  return sidesQuestion(plan, { ...what, metric: 'recovery' }, systems, read, { mayMeet });
}
