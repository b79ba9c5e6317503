import { faultText } from '../../../config/faults.js';
import { groupBy } from '../../../group-by.js';
import { leadsText } from '../../matrix/lead-words.js';
import { templateBeside } from '../../template.js';
import { isLate, largest, titlesOf } from '../losses/answer.js';

/**
 * @import { Lead } from '../../../figures/lead.js'
 * @import { FaultFigures } from '../../../figures/recoveries.js'
 * @import { Run } from '../../run.js'
 */

const write = templateBeside(import.meta.url, 'faults.hbs');

/**
 * What each fault cost at worst, and whom: what it cost each system has its chapter.
 * @param {Pick<Run, 'plan' | 'faults' | 'matrices'>} run
 * @returns {import('../../template.js').Written}
 */
export function faultTable({ plan, faults, matrices }) {
  const usable = faults.filter((f) => f.failure === null);
  const questions = matrices.flatMap((m) => m.questions);
  return write(plan, {
    rows: groupBy(usable, (f) => String(f.kind)).map((own) => {
      const lostOf = (/** @type {FaultFigures} */ f) => f.lost / Math.max(1, f.acked);
      const lost = largest(own, lostOf);
      const slowest = largest(own, (f) => f.restoredMs?.median ?? 0);
      const leads = questions
        .filter(({ load }) => load?.title === faultText(own[0].step))
        .flatMap((question) => question.leads);
      const isWon = (/** @type {Lead} */ lead) => lead.outcome === 'winner';
      return {
        won: leads.filter(isWon).map((lead) => leadsText(plan, [lead], lead.systems.length)),
        // Each once, whatever the workload.
        others: [...new Set(leads.flatMap((lead) => (isWon(lead) ? [] : lead.outcome)))],
        fault: faultText(own[0].step),
        lost: lost && { share: lostOf(lost), names: titlesOf(own.filter((f) => lostOf(f) === lostOf(lost))) },
        slowest,
        late: titlesOf(own.filter(isLate)),
      };
    }),
  });
}
