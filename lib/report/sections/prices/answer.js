import { significant } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { upright, winnerOf } from '../../../record/compare.js';
import { counted, titleOf } from '../../words.js';
import { METRIC, placeText, pricesIn } from './prices.js';

/** @import { Comparison, Plan } from '../../../types.d.ts' */

/**
 * What each setting costs at most, in a sentence; nothing of those whose cost is not decided anywhere.
 * @param {Plan} plan
 * @param {Comparison[]} comparisons
 * @returns {string[]} Markdown
 */
export function priceAnswers(plan, comparisons) {
  const decided = pricesIn(plan, comparisons).filter(
    ({ outcome }) => outcome !== 'too few' && outcome !== 'not comparable',
  );
  const own = groupBy(decided, ({ a, b }) => `${a}\n${b}`).flatMap((of) => priceAnswer(plan, of));
  return own.length > 0 ? [`${own.join('; ')}.`] : [];
}

/**
 * @param {Plan} plan
 * @param {Comparison[]} prices of one pair of configurations
 * @returns {string[]} one or none
 */
function priceAnswer(plan, prices) {
  const [{ a, b }] = prices;
  const paid = prices.filter((p) => winnerOf(p) === a);
  const free = prices.filter(({ outcome }) => outcome === 'tie').length;
  if (paid.length === 0) {
    const all =
      free === prices.length ? `${counted(free, 'load')}` : `${free} of ${counted(prices.length, 'load')}`;
    return free > 0 ? [`**${titleOf(plan, b)}** costs nothing on ${all} (within ±5 %)`] : [];
  }
  const most = paid.reduce((x, y) => (estimateOf(y) > estimateOf(x) ? y : x));
  const percent = (1 - 1 / estimateOf(most)) * 100;
  const share = percent >= 10 ? Math.round(percent) : significant(percent);
  const rest = free > 0 ? `, and nothing on ${counted(free, 'load')}` : '';
  return [
    `**${titleOf(plan, b)}** costs up to ${share} % of the ${METRIC[most.metric]} of ${titleOf(plan, a)} (${placeText(plan, most)})${rest}`,
  ];
}

/** @param {Comparison} price */
function estimateOf(price) {
  return upright(price).ratio?.estimate ?? 1;
}
