import { groupBy } from '../group-by.js';
import { MIN_REPEATS } from '../judge/method.js';
import { scalabilityFrom } from '../stats/usl.js';
import { isBound } from './figure.js';
import { errorRatio } from './rows.js';

/**
 * @import { Row } from './rows.js'
 * @import { Scalability } from '../stats/usl.js'
 */

/**
 * What users are promised where a profile says nothing: p99 within this, ms, and errors within that share.
 * @type {Readonly<{p99Ms: number, errorRatio: number}>}
 */
const OBJECTIVE = Object.freeze({ p99Ms: 100, errorRatio: 0.001 });

/**
 * How far one system goes up a ladder of users before it breaks its promise. A dip of throughput is no end.
 * @typedef {object} Capacity
 * @property {Row | null} within the highest step up to which every one kept the objective
 * @property {Row | null} broken the first one that did not
 * @property {'failed' | 'errors' | 'p99' | null} why it broke
 * @property {Row | null} best the step with the most throughput
 * @property {Row | null} last the highest step with a figure, where throughput is less than at the best
 * @property {typeof OBJECTIVE} objective that it was held against
 */

/**
 * @param {Row[]} steps of one system and operation, on one ladder
 * @param {Partial<typeof OBJECTIVE>} [thresholds] of the profile
 * @returns {Capacity}
 */
export function capacityOf(steps, thresholds) {
  const objective = { ...OBJECTIVE, ...thresholds };
  const sorted = [...steps].sort((a, b) => a.step.vus - b.step.vus);
  const whyOf = (/** @type {Row} */ { status, tried, serviceMs }) => {
    if (status === 'FAILED') return 'failed';
    if (errorRatio({ tried }) > objective.errorRatio) return 'errors';
    // Where too few were measured for a p99, it is no less than p95.
    const tail = serviceMs.p99 ?? serviceMs.p95;
    return (tail?.median ?? 0) > objective.p99Ms ? 'p99' : null;
  };
  const at = sorted.findIndex((row) => whyOf(row) !== null);
  const broken = at < 0 ? null : sorted[at];
  const kept = at < 0 ? sorted : sorted.slice(0, at);
  const shown = sorted.filter((r) => r.ratePerSec !== null);
  const rate = (/** @type {Row} */ r) => r.ratePerSec?.median ?? 0;
  const best = shown.length > 0 ? shown.reduce((a, b) => (rate(b) > rate(a) ? b : a)) : null;
  return {
    within: kept.filter(({ usable, serviceMs }) => usable > 0 && serviceMs.p99).at(-1) ?? null,
    broken,
    why: broken && whyOf(broken),
    best,
    last: shown.at(-1) ?? null,
    objective,
  };
}

/**
 * @param {import('../types.d.ts').Plan} plan
 * @param {Row[]} ladder rows of one operation
 * @param {number} fewest numbers of users: fewer are no ladder
 * @returns {(Capacity & {system: string, title: string, steps: Row[]})[]} how far each system with a figure goes up it
 */
export function capacitiesOf({ profile }, ladder, fewest) {
  if (new Set(ladder.map((r) => r.step.vus)).size < fewest) return [];
  return groupBy(ladder, (r) => r.system).flatMap((steps) => {
    const [{ system, title }] = steps;
    const capacity = capacityOf(steps, profile.thresholds);
    return capacity.best ? [{ ...capacity, system, title, steps }] : [];
  });
}

/** Fewer numbers of users than this tell no law of three numbers from chance. */
const FEWEST_STEPS = 6;

/**
 * @typedef {Scalability & {mostUsers: number, trend: boolean, clientSteps: number}} ScalabilityLaw
 *   `mostUsers` measured; `trend`: too few repeats for its intervals; `clientSteps` whose throughput the client set, or
 *   may have: the law is then that of both together
 */

/**
 * How throughput grows with users, by the Universal Scalability Law.
 * @param {Row[]} steps closed ones of one system and operation, on one ladder
 * @returns {ScalabilityLaw | null} null under six numbers of users with a figure
 */
export function scalabilityOf(steps) {
  const shown = steps.flatMap(({ step, ratePerSec, why }) =>
    ratePerSec ? [{ users: step.vus, figure: ratePerSec, isClients: why.some(isBound) }] : [],
  );
  if (new Set(shown.map((s) => s.users)).size < FEWEST_STEPS) return null;
  const found = scalabilityFrom(shown.map(({ users, figure }) => ({ users, byRepeat: figure.byRepeat })));
  return (
    found && {
      ...found,
      mostUsers: Math.max(...shown.map((s) => s.users)),
      trend: found.repeats < MIN_REPEATS,
      clientSteps: shown.filter((s) => s.isClients).length,
    }
  );
}
