import { durabilityOf } from '../../../config/durability.js';
import { comparedOf } from '../../../figures/side-by-side.js';
import { versionOf } from '../../systems.js';
import { phrase } from '../../template.js';

/**
 * @import { CellRecord, Comparison, Plan } from '../../../types.d.ts'
 * @import { SideBySideSummary } from '../../../figures/side-by-side.js'
 */

/**
 * @param {Plan} plan
 * @param {SideBySideSummary[]} summaries
 * @param {Comparison[]} comparisons of the run
 * @returns {string[]} Markdown: why systems that were to be compared are not
 */
export function refusedAnswers(plan, summaries, comparisons) {
  return summaries.flatMap(({ group: { workload, transport }, starts, failures, trust }) => {
    const named = comparisons
      .filter(({ load }) => load?.workload === workload && load.transport === transport)
      .some(({ why }) => why.some(({ code }) => code.startsWith('noise_')));
    const of = starts === 0 ? 'nothing' : trust === 'untested' && !named ? 'held' : trust;
    return of === 'held' ? [] : [phrase('refusedAnswer', { of, workload, failures }, plan)];
  });
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary[]} summaries
 * @param {CellRecord[]} records
 * @returns {string[]} Markdown: systems that have no rival, because each promises something else of an acknowledged write
 */
export function rivallessAnswers(plan, summaries, records) {
  const own = summaries.flatMap(({ group, starts }) => {
    const compared = comparedOf(group);
    const systems = group.systems.filter((id) => !compared.includes(id));
    if (starts === 0 || systems.length === 0) return [];
    const { transport } = group;
    const promises = systems.map((id) => {
      const system = plan.systems.find((s) => s.id === id);
      const facts = { version: versionOf({ records }, id), transport };
      return { system: id, policy: system?.durability ? durabilityOf(system, facts).policy : '' };
    });
    const of = compared.length === 0 ? 'all' : 'some';
    return [phrase('refusedAnswer', { of, transport, promises, systems }, plan)];
  });
  return [...new Set(own)];
}
