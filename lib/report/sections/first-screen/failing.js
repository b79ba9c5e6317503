import { errorRatio } from '../../../figures/rows.js';
import { groupBy } from '../../../group-by.js';
import { phrase } from '../../template.js';

/**
 * @import { Row } from '../../../figures/rows.js'
 * @import { Plan } from '../../../types.d.ts'
 */

/** Names of failures in a sentence. */
const NAMED = 2;

/**
 * A system that fails is a result, and stands before whatever it completed.
 * @param {Plan} plan
 * @param {Row[]} rows
 * @returns {string[]} Markdown: each system of which more failed than is tolerated, by its worst load; who has no figure at all
 */
export function failedAnswers(plan, rows) {
  const failing = rows.filter((r) => r.codes.includes('errors') && r.tried.failed > 0);
  const failed = groupBy(failing, (r) => r.system).map((own) => {
    const [worst] = own.sort((a, b) => errorRatio(b) - errorRatio(a));
    const kinds = worst.tried.kinds.slice(0, NAMED).map(([kind]) => kind.replaceAll('`', "'"));
    return phrase('failingAnswer', { of: 'failing', ...worst, share: errorRatio(worst), kinds }, plan);
  });
  const without = groupBy(rows, (r) => r.system).filter(
    (own) =>
      own.every((r) => r.status === 'FAILED') &&
      plan.systems.some((s) => s.id === own[0].system && s.role === 'system'),
  );
  return [...failed, ...without.map(([row]) => phrase('failingAnswer', { of: 'nothing', ...row }, plan))];
}
