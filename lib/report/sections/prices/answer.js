import { significant } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { loadText } from '../../matrix/side-by-side.js';
import { stepText } from '../../steps.js';
import { counted, titleOf } from '../../words.js';

/**
 * @import { Plan } from '../../../types.d.ts'
 * @import { Price } from '../../../record/prices.js'
 */

/**
 * What each setting costs at most, in a sentence; nothing of those whose price is not decided anywhere.
 * @param {Plan} plan
 * @param {Price[]} prices
 * @returns {string[]} Markdown
 */
export function priceAnswers(plan, prices) {
  const decided = prices.filter(({ pair, trusted }) => trusted && pair.outcome !== 'too few');
  const own = groupBy(decided, ({ from, to }) => `${from}\n${to}`).flatMap((of) => priceAnswer(plan, of));
  return own.length > 0 ? [`${own.join('; ')}.`] : [];
}

/**
 * @param {Plan} plan
 * @param {Price[]} prices of one pair of configurations
 * @returns {string[]} one or none
 */
function priceAnswer(plan, prices) {
  const [{ from, to }] = prices;
  const paid = prices.filter(({ pair }) => pair.winner === from);
  const free = prices.filter(({ pair }) => pair.outcome === 'tie').length;
  if (paid.length === 0) {
    const all =
      free === prices.length ? `${counted(free, 'load')}` : `${free} of ${counted(prices.length, 'load')}`;
    return free > 0 ? [`**${titleOf(plan, to)}** costs nothing on ${all} (within ±5 %)`] : [];
  }
  const most = paid.reduce((a, b) => (estimateOf(b) > estimateOf(a) ? b : a));
  const of = most.cell ? 'operations per CPU-second' : 'throughput';
  const where = most.cell
    ? loadText(most.cell)
    : `${most.row?.operation}, ${stepText(plan, most.row?.step.id ?? '')}`;
  const percent = (1 - 1 / estimateOf(most)) * 100;
  const share = percent >= 10 ? Math.round(percent) : significant(percent);
  const rest = free > 0 ? `, and nothing on ${counted(free, 'load')}` : '';
  return [
    `**${titleOf(plan, to)}** costs up to ${share} % of the ${of} of ${titleOf(plan, from)} (${where})${rest}`,
  ];
}

/** @param {Price} price */
function estimateOf({ pair }) {
  return pair.ratio?.estimate ?? 1;
}
