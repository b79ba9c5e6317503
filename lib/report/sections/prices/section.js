import { significant } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { MIN_REPEATS } from '../../../judge/method.js';
import { pricesOf } from '../../../record/prices.js';
import { loadText } from '../../matrix/side-by-side.js';
import { times } from '../../matrix/times.js';
import { stepText } from '../../steps.js';
import { left, table } from '../../table.js';
import { apartText, counted, titleOf } from '../../words.js';

/**
 * @import { Plan } from '../../../types.d.ts'
 * @import { Price } from '../../../record/prices.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * One product in two configurations: what the second one costs, by the same rules as two products.
 * @param {Run} run
 * @returns {Section | null} null where no product ran in two
 */
export function section({ plan, rows, sideBySide, measured }) {
  const prices = pricesOf(plan, rows, sideBySide);
  if (prices.length === 0) return null;
  const keyOf = (/** @type {Price} */ p) => [p.workload, p.transport, p.cell !== null].join('\n');
  const several = new Set(prices.map((p) => `${p.workload}\n${p.transport}`)).size > 1;
  const known = groupBy(prices, keyOf).filter((own) => own.some(isPriced));
  const refused = groupBy(prices, keyOf).filter((own) => !own.some(isPriced));
  return {
    title: 'What a setting costs',
    intro: [
      'Two configurations of one product, by the rules by which two products are compared; they promise different things, so neither is a winner. *Costs*: the whole interval lies beyond ±5 %; *nothing*: inside; *open*: neither.',
      ...changesIn(plan, measured, prices),
    ],
    tables: known.map((own) => priceTable(plan, own, several)),
    notes: refused.map((own) => refusedText(own, several)),
  };
}

/** @param {Price} price */
function isPriced({ pair: { outcome, ratio } }) {
  return ratio !== null && outcome !== 'not comparable';
}

/**
 * @param {Plan} plan
 * @param {Run['measured']} measured
 * @param {Price[]} prices
 * @returns {string[]} Markdown: what each configuration changes, once for all that change the same
 */
function changesIn(plan, measured, prices) {
  const pairs = groupBy(prices, pairOf).map(([price]) => price);
  const changed = (/** @type {Price} */ { from, to }) =>
    changedText(configurationOf(plan, measured, from), configurationOf(plan, measured, to));
  return groupBy(pairs, changed).map(
    (own) =>
      `${own.map(({ from, to }) => `**${titleOf(plan, to)}** against ${titleOf(plan, from)}`).join(', ')}: ${changed(own[0])}.`,
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

/** @param {Price} price */
function pairOf({ from, to }) {
  return `${from}\n${to}`;
}

/** @param {Price} price */
function loadOf({ cell, row }) {
  return cell ? loadText(cell) : `${row?.operation}, ${row?.step.id}`;
}

/** @param {Price[]} prices of one workload and way to measure */
function measureText([{ workload, transport, cell }], /** @type {boolean} */ several) {
  const where = several ? `${workload} over ${transport}, ` : '';
  return `${where}${cell ? 'in operations per CPU-second, side by side' : 'in throughput, one after another'}`;
}

/**
 * What each system does in both is in the tables of its loads: here is the price alone.
 * @param {Plan} plan
 * @param {Price[]} prices
 * @param {boolean} several whether the workload must be said
 */
function priceTable(plan, prices, several) {
  const pairs = groupBy(prices, pairOf);
  return table(groupBy(prices, loadOf), [
    left(`price ${measureText(prices, several)}`, ([{ cell, row }]) =>
      cell ? loadText(cell) : `${row?.operation}, ${stepText(plan, row?.step.id ?? '')}`,
    ),
    ...pairs.map(([{ from, to }]) =>
      left(titleOf(plan, to), (/** @type {Price[]} */ own) => {
        const price = own.find((p) => p.from === from && p.to === to);
        return { markdown: price ? priceText(price) : '–' };
      }),
    ),
  ]);
}

/** @param {Price[]} prices none of which could be compared @param {boolean} several */
function refusedText(prices, several) {
  const why = [...new Set(prices.map((p) => p.pair.why))].join('; ');
  return `Not compared ${measureText(prices, several)}, on ${counted(groupBy(prices, loadOf).length, 'load')}: ${why}.`;
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

/** @param {Price} price @returns {string} Markdown */
function priceText({ pair: { outcome, ratio, winner, why }, to, trusted }) {
  if (!ratio || outcome === 'not comparable') return `not comparable: ${why}`;
  if (outcome === 'tie') return 'nothing (tie within ±5 %)';
  if (outcome === 'inconclusive') return `inconclusive (${apartText(ratio)})`;
  const { estimate, low, high, pairs } = ratio;
  // Of n operations so many are left: a ratio of 1.25 is a price of a fifth.
  const gains = winner === to;
  const share = (/** @type {number} */ r) => significant((gains ? r - 1 : 1 - 1 / r) * 100);
  const most = low === null || high === null ? '' : ` (${share(low)} – ${share(high)})`;
  const word = gains ? 'gains' : 'costs';
  if (outcome === 'too few')
    return `too few repeats: ${word} ${share(estimate)} % (${pairs} of ${MIN_REPEATS} repeats)`;
  if (outcome === 'at least')
    return `**${word} at least ${share(low ?? estimate)} %** (${times(low ?? estimate)})`;
  const text = `${word} ${share(estimate)} %${most}`;
  return trusted ? `**${text}**` : `${text}, not ranked: this run cannot be trusted`;
}
