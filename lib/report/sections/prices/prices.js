import { turned } from '../../../record/compare.js';
import { TOGETHER } from '../../../record/figures.js';
import { stepText } from '../../steps.js';

/** @import { Comparison, Plan } from '../../../types.d.ts' */

/** What the cost of a setting is told in. @type {Readonly<Record<string, string>>} */
export const METRIC = Object.freeze({ efficiency: 'CPU efficiency', throughput: 'throughput' });

/**
 * What settings cost: one product in two configurations, by the same rules as two products.
 * @param {Plan} plan
 * @param {Comparison[]} comparisons of a run
 * @returns {Comparison[]} the configuration that comes first in the plan first; where two were loaded at the same moment, by
 *   that alone
 */
export function pricesIn({ systems }, comparisons) {
  const place = (/** @type {string} */ id) => systems.findIndex((s) => s.id === id);
  const all = comparisons
    .filter(({ kind, metric, load }) => kind === 'price' && METRIC[metric] && load?.operation !== TOGETHER)
    .map((c) => (place(c.a) < place(c.b) ? c : turned(c)));
  const paired = all.filter((c) => c.paired);
  const isSame = (/** @type {Comparison} */ x, /** @type {Comparison} */ y) =>
    x.a === y.a &&
    x.b === y.b &&
    x.load?.workload === y.load?.workload &&
    x.load?.transport === y.load?.transport;
  return [...paired, ...all.filter((c) => !c.paired && !paired.some((p) => isSame(p, c)))];
}

/** @param {Plan} plan @param {Comparison} comparison @returns {string} `increment, 100 connections` */
export function placeText(plan, { load }) {
  return load ? `${load.operation}, ${stepText(plan, load.step)}` : '';
}
