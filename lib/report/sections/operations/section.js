import { groupBy } from '../../../group-by.js';
import { isOnLadder } from '../../matrix/families.js';
import { openLadder, otherSteps, restOf } from './distribution.js';
import { drivesPart } from './drives.js';
import { mixPart } from './mix.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What the ladders do not have of a workload over a transport.
 * @param {Run} run
 * @returns {Section[]} one for each workload and transport
 */
export function section({ plan, rows }) {
  const titles = new Map(plan.workloads.map((w) => [w.id, w.title]));
  return groupBy(
    rows.filter((r) => r.operation !== ''),
    (r) => `${r.workload}\n${r.transport}`,
  ).map((own) => {
    const [{ workload, transport }] = own;
    const closed = own.filter((r) => r.step.model === 'closed');
    const others = closed.filter((r) => !isOnLadder(plan, r));
    return {
      title: `${titles.get(workload) ?? workload} over ${transport}: every operation`,
      parts: [
        otherSteps(plan, others),
        restOf(plan, closed),
        mixPart(plan, own),
        drivesPart(plan, own),
        openLadder(plan, own),
      ],
    };
  });
}
