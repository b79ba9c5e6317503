import { groupBy } from '../../../group-by.js';
import { comparisonParts } from './comparisons.js';
import { drivesPart } from './drives.js';
import { ladder, openLadder } from './ladder.js';
import { mixPart } from './mix.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * Every figure of a workload over a transport.
 * @param {Run} run
 * @returns {Section[]} one for each workload and transport
 */
export function section({ plan, rows, comparisons }) {
  const titles = new Map(plan.workloads.map((w) => [w.id, w.title]));
  const keyOf = (/** @type {{workload: string, transport: string}} */ r) => `${r.workload}\n${r.transport}`;
  const compared = new Map(groupBy(comparisons, keyOf).map((own) => [keyOf(own[0]), own]));
  return groupBy(
    rows.filter((r) => r.operation !== ''),
    keyOf,
  ).map((own) => {
    const [{ workload, transport }] = own;
    const mine = compared.get(keyOf(own[0])) ?? [];
    const closed = own.filter((r) => r.step.model === 'closed');
    return {
      title: `${titles.get(workload) ?? workload} over ${transport}: every figure`,
      parts: [
        ladder(plan, closed),
        mixPart(plan, own),
        drivesPart(plan, own),
        openLadder(plan, own),
        ...comparisonParts(plan, mine),
      ],
    };
  });
}
