import { turned, upright, winnerOf } from '../../../figures/compare.js';
import { keyOf } from '../../../figures/comparisons.js';
import { TOGETHER } from '../../../figures/rows.js';
import { groupBy } from '../../../group-by.js';
import { phrase } from '../../template.js';

/**
 * @import { Comparison, Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 */

/** What the cost of a setting is told in. @type {readonly string[]} */
const METRICS = ['efficiency', 'throughput'];

/** @param {Comparison} comparison @returns {string} by which the same two configurations are known */
const pairOf = ({ a, b }) => `${a}\n${b}`;

/**
 * What settings cost: one product in two configurations, by the same rules as two products.
 * @param {Plan} plan
 * @param {Comparison[]} comparisons of a run
 * @returns {Comparison[]} the configuration that comes first in the plan first; where two were loaded at the same moment, by
 *   that alone
 */
function pricesIn({ systems }, comparisons) {
  const place = (/** @type {string} */ id) => systems.findIndex((s) => s.id === id);
  const all = comparisons
    .filter((c) => c.kind === 'price' && METRICS.includes(c.metric) && c.load?.operation !== TOGETHER)
    .map((c) => (place(c.a) < place(c.b) ? c : turned(c)));
  const workOf = (/** @type {Comparison} */ c) => [pairOf(c), c.load?.workload, c.load?.transport].join('\n');
  const paired = new Set(all.filter((c) => c.paired).map(workOf));
  return all.filter((c) => c.paired || !paired.has(workOf(c)));
}

/** @param {Comparison} price @returns what the second configuration costs or gains, in % of the first */
function priceFields(price) {
  const { outcome, why } = price;
  const gains = price.better === 'b';
  // Of n operations so many are left: a ratio of 1.25 is a price of a fifth.
  const share = (/** @type {number} */ r) => (gains ? r - 1 : 1 - 1 / r) * 100;
  const { ratio } = upright(price);
  return {
    ...{ ...price, ratio, gains, refused: !ratio || outcome === 'not comparable' },
    shares: ratio && [ratio.estimate, ratio.low, ratio.high].map(share),
    // The two are asked to differ in their promise.
    why: why.length > 1 ? why.filter(({ key }) => key !== 'durability') : why,
  };
}

/**
 * @param {Pick<Run, 'plan' | 'comparisons' | 'measured'>} run
 * @returns {object | null} fields of what each setting costs; null where no product ran in two configurations
 */
export function pricesOf({ plan, comparisons, measured }) {
  const prices = pricesIn(plan, comparisons).map(priceFields);
  if (prices.length === 0) return null;
  const pairs = groupBy(prices, pairOf).map(([{ a, b }]) => ({ a, b, ...changeOf(plan, measured, a, b) }));
  const ofMetrics = groupBy(prices, (p) => [p.load?.workload, p.load?.transport, p.metric].join('\n'));
  return {
    several: new Set(prices.map(({ load }) => `${load?.workload}\n${load?.transport}`)).size > 1,
    changes: groupBy(pairs, ({ settings, meaning }) => JSON.stringify([settings, meaning])),
    tables: ofMetrics.map((all) => {
      const lines = groupBy(all, (p) => keyOf(p.load)).map((of) => ({
        load: of[0].load,
        cells: groupBy(all, pairOf).map(([{ a, b }]) => ({
          ...{ b, price: of.find((p) => p.a === a && p.b === b) ?? null },
        })),
      }));
      return { ...all[0], lines, all, refused: all.every(({ refused }) => refused) };
    }),
  };
}

/**
 * @param {Plan} plan
 * @param {Run['measured']} measured
 * @param {string} a
 * @param {string} b
 * @returns {{settings: [string, string][], meaning: string | null}} what b has set otherwise, and what that promises; of
 *   servers that somebody else set up, as they say themselves
 */
function changeOf({ systems }, measured, a, b) {
  const [x, y] = [a, b].map((id) => {
    const said = measured.find((r) => r.system === id && r.stated);
    const planned = systems.find((s) => s.id === id);
    return {
      settings: said?.stated ?? planned?.settings ?? {},
      meaning: said?.durability ?? planned?.durability.meaning,
    };
  });
  return {
    settings: Object.entries(y.settings).filter(([name, value]) => x.settings[name] !== value),
    meaning: x.meaning === y.meaning ? null : String(y.meaning),
  };
}

/**
 * What each setting costs at most, in a sentence; nothing of those whose cost is not decided anywhere.
 * @param {Plan} plan
 * @param {Comparison[]} comparisons
 * @returns {string[]} Markdown
 */
export function priceAnswers(plan, comparisons) {
  const all = pricesIn(plan, comparisons);
  const decided = all.filter(({ outcome }) => outcome !== 'too few' && outcome !== 'not comparable');
  const told = groupBy(decided, pairOf).flatMap((own) => {
    const [{ a, b }] = own;
    const free = own.filter(({ outcome }) => outcome === 'tie').length;
    const paid = own.filter((p) => winnerOf(p) === a);
    if (paid.length + free === 0) return [];
    const estimateOf = (/** @type {Comparison} */ p) => upright(p).ratio?.estimate ?? 1;
    const [most = null] = [...paid].sort((x, y) => estimateOf(y) - estimateOf(x));
    return [{ a, b, free, loads: own.length, most: most && { ...most, share: 1 - 1 / estimateOf(most) } }];
  });
  return told.length > 0 ? [phrase('priceAnswer', { told }, plan)] : [];
}
