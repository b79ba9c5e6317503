import { EQUIVALENCE } from '../../judge/method.js';
import { phrase } from '../template.js';

/**
 * @import { Lead } from '../../figures/lead.js'
 * @import { Comparison, Plan } from '../../types.d.ts'
 */

/**
 * Who wins, or why nobody does. Who beats some does not beat all: systems under other promises are no rivals of it. One
 * comparison of all who have a figure needs no names; systems under unlike promises are several.
 * @param {Plan} plan
 * @param {readonly Lead[]} leads
 * @param {number} field systems that have a figure
 * @returns {string} Markdown
 */
export function leadsText(plan, leads, field) {
  const told = leads.map((lead) => {
    const { winner, outcome, ratio, beaten, systems, unranked = [] } = lead;
    // Who is no further ahead than a tie would be is not named.
    const isTrend = outcome !== 'too few' || ratio === null || ratio.estimate > 1 + EQUIVALENCE;
    const namesWinner = winner !== null && isTrend;
    const isOfAll = leads.length === 1 && systems.length >= field;
    return {
      ...{ best: [{ ...lead, system: winner }], ...lead, unranked, namesWinner },
      over: namesWinner && beaten.length < field - 1 ? beaten : [],
      about: isOfAll || namesWinner ? [] : systems,
    };
  });
  return phrase('leadsText', told, plan);
}

/**
 * @param {readonly Comparison[]} comparisons none of rivals
 * @returns {string} why nobody is compared
 */
export function unlikeText(comparisons) {
  const all = comparisons.flatMap(({ why }) => why);
  return phrase('unlikeText', all.find(({ key }) => key === 'durability') ?? all[0] ?? null);
}
