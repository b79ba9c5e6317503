import { groupBy } from '../../../group-by.js';
import { sentenceBeside } from '../../template.js';
import { errorRatio } from '../../words.js';

/**
 * @import { Row } from '../../../figures/rows.js'
 * @import { Plan } from '../../../types.d.ts'
 */

const sentence = sentenceBeside(import.meta.url, 'failing.hbs');

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
    return sentence(plan, { of: 'failing', ...worst, share: errorRatio(worst), kinds });
  });
  const without = groupBy(rows, (r) => r.system).filter(
    (own) =>
      own.every((r) => r.status === 'FAILED') &&
      plan.systems.some((s) => s.id === own[0].system && s.role === 'system'),
  );
  return [...failed, ...without.map(([row]) => sentence(plan, { of: 'nothing', ...row }))];
}
