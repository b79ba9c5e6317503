import { percent } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { placeText } from '../../steps.js';
import { errorRatio, titleOf } from '../../words.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan } from '../../../types.d.ts'
 */

/** Names of failures in a sentence. */
const NAMED = 2;

/**
 * A system that fails is a result, and stands before whatever it completed.
 * @param {Plan} plan
 * @param {Row[]} rows
 * @returns {string[]} Markdown, a sentence for each system of which more failed than is tolerated: its worst load
 */
export function failedAnswers(plan, rows) {
  const failing = rows.filter((r) => r.codes.includes('errors') && r.tried.failed > 0);
  return groupBy(failing, (r) => r.system).map((own) => {
    const [worst] = own.sort((a, b) => errorRatio(b) - errorRatio(a));
    const { kinds } = worst.tried;
    const named = kinds.slice(0, NAMED).map(([kind, n]) => `\`${kind.replaceAll('`', "'")}\` ${n}`);
    return `**${titleOf(plan, worst.system)} fails**: ${percent(errorRatio(worst))} of ${worst.operation} (${[placeText(plan, worst), ...named].join('; ')}). What it completed is not ranked.`;
  });
}
