import { groupBy } from '../../group-by.js';
import { compareSides } from '../../record/comparisons.js';
import { leadsOf } from '../../record/lead.js';
import { workloadTitleOf } from '../words.js';
import { contenders } from './contenders.js';

/**
 * @import { FaultFigures } from '../../record/recoveries.js'
 * @import { Plan } from '../../types.d.ts'
 * @import { Matrix } from './index.js'
 * @import { Question } from './questions.js'
 */

/**
 * What each fault cost each system: how long until everything was as before, and what was lost.
 * @param {Plan} plan
 * @param {FaultFigures[]} faults
 * @returns {Matrix[]} one for each workload
 */
export function faultMatrices(plan, faults) {
  return groupBy(faults, (f) => f.workload).map((own) => {
    const ids = new Set(own.map((f) => f.system));
    const systems = plan.systems.flatMap(({ id }) => (ids.has(id) ? [id] : []));
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
  const entries = systems.map((system) => {
    const fault = own.find((f) => f.system === system);
    const figure = fault && fault.failure === null && fault.notRestored === 0 ? fault.restoredMs : null;
    return { system, figure };
  });
  const able = contenders(plan, systems);
  const policyOf = (/** @type {string} */ id) => plan.systems.find((s) => s.id === id)?.durability?.policy;
  // Only the same promise is compared; who was never away is no multiple of anything.
  const known = entries.filter((e) => e.figure && e.figure.median !== 0 && able.includes(e.system));
  const comparisons = known.flatMap((a, i) =>
    known
      .slice(i + 1)
      .filter((b) => policyOf(a.system) === policyOf(b.system))
      .map((b) => compareSides(a, b, 'recovery')),
  );
  return {
    ...{ dimension: 'recovery', metric: 'recovery', weight: 10 - place / 10, comparisons },
    ...{ measure: 'p99 back after', unit: 'ms' },
    load: { title: faultText(own[0]), operation: '', users: 0, depth: 1, notes: [] },
    answers: new Map(entries.map(({ system, figure }) => [system, { figure }])),
    leads: leadsOf(able, comparisons),
  };
}

/**
 * @param {Pick<FaultFigures, 'kind' | 'step'>} fault
 * @returns {string} `kill`, `pause, 5 s`
 */
export function faultText({ kind, step }) {
  return step.fault?.forSec === undefined ? `${kind}` : `${kind}, ${step.fault.forSec} s`;
}
