/**
 * @import { Row } from './figures.js'
 */

/** What users are promised where a profile says nothing: p99 within this, ms, and errors within that share. */
export const OBJECTIVE = Object.freeze({ p99Ms: 100, errorRatio: 0.001 });

/**
 * How far one system goes up a ladder of users before it breaks its promise. A dip of throughput is no end.
 * @typedef {object} Capacity
 * @property {Row | null} within the highest step up to which every one kept the objective
 * @property {Row | null} broken the first one that did not
 * @property {'failed' | 'errors' | 'p99' | null} why it broke
 * @property {Row | null} best the step with the most throughput
 * @property {Row | null} last the highest step with a figure, where throughput is less than at the best
 */

/**
 * @param {Row[]} steps of one system and operation, on one ladder
 * @param {{p99Ms?: number, errorRatio?: number}} [objective]
 * @returns {Capacity}
 */
export function capacityOf(steps, { p99Ms = OBJECTIVE.p99Ms, errorRatio = OBJECTIVE.errorRatio } = {}) {
  const sorted = [...steps].sort((a, b) => a.step.vus - b.step.vus);
  const whyOf = (/** @type {Row} */ { status, tried, serviceMs }) => {
    if (status === 'FAILED') return 'failed';
    if (tried.failed / Math.max(1, tried.failed + tried.done) > errorRatio) return 'errors';
    return (serviceMs.p99?.median ?? 0) > p99Ms ? 'p99' : null;
  };
  const at = sorted.findIndex((row) => whyOf(row) !== null);
  const broken = at < 0 ? null : sorted[at];
  const kept = at < 0 ? sorted : sorted.slice(0, at);
  const shown = sorted.filter((r) => r.ratePerSec !== null);
  const rate = (/** @type {Row} */ r) => r.ratePerSec?.median ?? 0;
  const best = shown.length > 0 ? shown.reduce((a, b) => (rate(b) > rate(a) ? b : a)) : null;
  return {
    within: kept.filter((r) => r.usable > 0).at(-1) ?? null,
    broken,
    why: broken && whyOf(broken),
    best,
    last: shown.at(-1) ?? null,
  };
}
