import { significant } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { gravestText, MIN_REPEATS } from '../../../judge/method.js';
import { upright } from '../../../record/compare.js';
import { keyOf } from '../../../record/comparisons.js';
import { times } from '../../matrix/times.js';
import { left, table } from '../../table.js';
import { apartText, counted, titleOf } from '../../words.js';
import { METRIC, placeText, pricesIn } from './prices.js';

/**
 * @import { Comparison, Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * One product in two configurations: what the second one costs, by the same rules as two products.
 * @param {Run} run
 * @returns {Section | null} null where no product ran in two
 */
export function section({ plan, comparisons, measured }) {
  const prices = pricesIn(plan, comparisons);
  if (prices.length === 0) return null;
  const several = new Set(prices.map(({ load }) => `${load?.workload}\n${load?.transport}`)).size > 1;
  const tables = groupBy(prices, ({ load, metric }) => [load?.workload, load?.transport, metric].join('\n'));
  const isPriced = (/** @type {Comparison} */ c) => c.ratio !== null && c.outcome !== 'not comparable';
  return {
    title: 'What a setting costs',
    intro: [
      'Two configurations of one product, by the rules by which two products are compared; they promise different things, so neither is a winner. *Costs*: the whole interval lies beyond ±5 %; *nothing*: inside; *inconclusive*: neither.',
      ...changesIn(plan, measured, prices),
    ],
    tables: tables.filter((own) => own.some(isPriced)).map((own) => priceTable(plan, own, several)),
    notes: tables.filter((own) => !own.some(isPriced)).map((own) => refusedText(own, several)),
  };
}

/**
 * @param {Plan} plan
 * @param {Run['measured']} measured
 * @param {Comparison[]} prices
 * @returns {string[]} Markdown: what each configuration changes, once for all that change the same
 */
function changesIn(plan, measured, prices) {
  const pairs = groupBy(prices, pairOf).map(([price]) => price);
  const changed = (/** @type {Comparison} */ { a, b }) =>
    changedText(configurationOf(plan, measured, a), configurationOf(plan, measured, b));
  return groupBy(pairs, changed).map(
    (own) =>
      `${own.map(({ a, b }) => `**${titleOf(plan, b)}** against ${titleOf(plan, a)}`).join(', ')}: ${changed(own[0])}.`,
  );
}

/** @typedef {{settings: Record<string, string>, meaning: string | undefined}} Configuration */

/**
 * @param {Plan} plan
 * @param {Run['measured']} measured
 * @param {string} id
 * @returns {Configuration} as it was given; of a server that somebody else set up, as it says itself
 */
function configurationOf({ systems }, measured, id) {
  const said = measured.find((r) => r.system === id && r.stated);
  const planned = systems.find((s) => s.id === id);
  return {
    settings: said?.stated ?? planned?.settings ?? {},
    meaning: said?.durability ?? planned?.durability.meaning,
  };
}

/** @param {Comparison} price */
function pairOf({ a, b }) {
  return `${a}\n${b}`;
}

/** @param {Comparison[]} prices of one workload and metric */
function measureText([{ load, metric, paired }], /** @type {boolean} */ several) {
  const where = several ? `${load?.workload} over ${load?.transport}, ` : '';
  return `${where}in ${METRIC[metric]}, ${paired ? 'both loaded at once' : 'across trials'}`;
}

/**
 * What each system does in both is in the tables of its loads: here is the cost alone.
 * @param {Plan} plan
 * @param {Comparison[]} prices
 * @param {boolean} several whether the workload must be said
 */
function priceTable(plan, prices, several) {
  return table(
    groupBy(prices, ({ load }) => keyOf(load)),
    [
      left(`cost ${measureText(prices, several)}`, ([price]) => placeText(plan, price)),
      ...groupBy(prices, pairOf).map(([{ a, b }]) =>
        left(titleOf(plan, b), (/** @type {Comparison[]} */ own) => {
          const price = own.find((p) => p.a === a && p.b === b);
          return { markdown: price ? priceText(price) : '–' };
        }),
      ),
    ],
  );
}

/** @param {Comparison[]} prices none of which could be compared @param {boolean} several */
function refusedText(prices, several) {
  const why = [...new Set(prices.map((p) => gravestText(othersIn(p))))].join('; ');
  const loads = groupBy(prices, ({ load }) => keyOf(load)).length;
  return `Not compared ${measureText(prices, several)}, on ${counted(loads, 'load')}: ${why}.`;
}

/** @param {Comparison} price @returns {Comparison['why']} without the promise that the two are asked to differ in */
function othersIn({ why }) {
  return why.length > 1 ? why.filter(({ key }) => key !== 'durability') : why;
}

/**
 * @param {Configuration} a
 * @param {Configuration} b
 * @returns {string} what was set otherwise, and what that promises
 */
function changedText(a, b) {
  const settings = Object.entries(b.settings)
    .filter(([name, value]) => a.settings[name] !== value)
    .map(([name, value]) => `\`${name} ${value}\``);
  const promise = a.meaning === b.meaning ? [] : [String(b.meaning)];
  return [...settings, ...promise].join(', ') || 'the same settings';
}

/** @param {Comparison} price @returns {string} Markdown */
function priceText(price) {
  const { outcome, better, n } = price;
  const { ratio } = upright(price);
  if (!ratio || outcome === 'not comparable') return `not comparable: ${gravestText(othersIn(price))}`;
  if (outcome === 'tie') return 'nothing (tie within ±5 %)';
  if (outcome === 'inconclusive') return `inconclusive (${apartText(ratio)})`;
  const { estimate, low, high } = ratio;
  // Of n operations so many are left: a ratio of 1.25 is a price of a fifth.
  const gains = better === 'b';
  const share = (/** @type {number} */ r) => significant((gains ? r - 1 : 1 - 1 / r) * 100);
  const word = gains ? 'gains' : 'costs';
  if (outcome === 'too few')
    return `too few repeats: ${word} ${share(estimate)} % (${n} of ${MIN_REPEATS} repeats)`;
  if (outcome === 'at least') return `**${word} at least ${share(low)} %** (${times(low)})`;
  return `**${word} ${share(estimate)} % (${share(low)} – ${share(high)})**`;
}
