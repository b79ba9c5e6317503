import { MISSING } from '../../format.js';
import { EQUIVALENCE, gravestText, whyText } from '../../judge/method.js';
import { listed, titleOf, undecidedText } from '../words.js';
import { times, timesText } from './times.js';

/**
 * @import { Lead } from '../../record/lead.js'
 * @import { Comparison, Interval, Plan } from '../../types.d.ts'
 */

/**
 * Who is ahead of some is not ahead of all: systems under other promises are no rivals of it.
 * @param {Plan} plan
 * @param {readonly string[]} beaten
 * @param {number} field systems that have a figure
 * @returns {string | null} whom the winner leads, joined by "and"; null where that is everybody else
 */
function beatenText(plan, beaten, field) {
  if (beaten.length === 0 || beaten.length >= field - 1) return null;
  return listed(beaten.map((id) => titleOf(plan, id)));
}

/**
 * @param {readonly Comparison[]} comparisons none of rivals
 * @returns {string} why nobody is compared
 */
export function unlikeText(comparisons) {
  const all = comparisons.flatMap(({ why }) => why);
  const found = all.find(({ key }) => key === 'durability') ?? all[0];
  return found ? `not comparable: ${whyText(found)}` : MISSING;
}

/**
 * @param {Plan} plan
 * @param {Lead} lead
 * @param {number} [field] systems that have a figure
 * @param {string} [names] whom it is about, where it is not about all
 * @returns {string} Markdown: who leads, or why nobody does
 */
export function leadText(plan, lead, field = lead.systems.length, names = '') {
  const { outcome, ratio, winner, beaten } = lead;
  const name = winner === null ? '' : titleOf(plan, winner);
  const whom = namesWinner(lead) ? beatenText(plan, beaten, field) : null;
  const over = whom ? ` over ${whom}` : '';
  const of = names ? `${names}: ` : '';
  switch (outcome) {
    case 'winner':
      return `✅ **${name}** ${ratio ? timesText(ratio) : ''}${over}`;
    case 'at least':
      return `✅ **${name}** at least ${times(ratio?.low ?? 1)}${over}`;
    case 'tie':
      return names ? `➖ ${names}: tie` : `➖ ${undecidedText(lead)}`;
    case 'inconclusive':
      return `❔ ${of}${undecidedText(lead)}`;
    case 'too few':
      return `❔ ${of}${undecidedText(lead)}: ${trendText(name, ratio)}${over}`;
    default:
      return `${of}${undecidedText(lead)}`;
  }
}

/**
 * @param {string} name
 * @param {Interval | null} ratio
 * @returns {string} `Alpha 1.84×`; who is no further ahead than a tie would be is not named
 */
function trendText(name, ratio) {
  if (!ratio) return name;
  return ratio.estimate > 1 + EQUIVALENCE
    ? `${name} ${times(ratio.estimate)}`
    : `within ±${EQUIVALENCE * 100} %`;
}

/**
 * @param {Plan} plan
 * @param {readonly Lead[]} leads
 * @param {number} [field] systems that have a figure
 * @returns {string} Markdown for the last column
 */
export function leadsText(plan, leads, field = leads.reduce((n, lead) => n + lead.systems.length, 0)) {
  if (leads.length === 0) return '–';
  // Where nobody is ranked the reasons are enough.
  if (leads.every(({ outcome }) => outcome === 'not comparable'))
    return `not comparable: ${[...new Set(leads.map(({ why }) => gravestText(why)))].join('; ')}`;
  return leads
    .flatMap((lead) => {
      // One comparison of all who have a figure needs no names; systems under unlike promises are several.
      const isOfAll = leads.length === 1 && lead.systems.length >= field;
      const unranked = (lead.unranked ?? []).map(
        ({ system, why }) => `${titleOf(plan, system)} not comparable: ${gravestText(why)}`,
      );
      return [
        leadText(plan, lead, field, isOfAll || namesWinner(lead) ? '' : groupText(plan, lead)),
        ...unranked,
      ];
    })
    .join('; ');
}

/** @param {Lead} lead @returns {boolean} whether its text names who leads */
function namesWinner({ winner, outcome, ratio }) {
  return winner !== null && !(outcome === 'too few' && ratio !== null && ratio.estimate <= 1 + EQUIVALENCE);
}

/** @param {Plan} plan @param {Lead} lead */
function groupText(plan, { systems }) {
  return listed(systems.map((id) => titleOf(plan, id)));
}
