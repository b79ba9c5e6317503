import { compareFigures } from '../../../record/compare.js';
import { combine, differenceOf, scaled, withoutBounds } from '../../../record/figure.js';
import { isPlain, ownsData } from '../../steps.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Comparison, Step, WorkloadFacts } from '../../../types.d.ts'
 */

/** Service times. */
const OF_TIMES = Object.freeze({ metric: /** @type {const} */ ('p50') });

/**
 * A chain of relations at two depths, one right below the other.
 * @typedef {{workload: string, shallow: string, deep: string, levels: number}} Chain
 */

/**
 * @param {WorkloadFacts} facts
 * @returns {[string, {depth: number, label: string, beside?: string}][]} the operations that follow relations
 */
export function depthsOf({ operations }) {
  return Object.entries(operations).flatMap(([op, { shown }]) =>
    shown?.depth === undefined ? [] : [[op, { ...shown, depth: shown.depth, label: shown.label ?? '' }]],
  );
}

/**
 * @param {WorkloadFacts} facts
 * @returns {Chain | null} the shallowest and the deepest operation
 */
export function chainOf(facts) {
  const depths = depthsOf(facts);
  const chain = depths.filter(([, d]) => d.beside === undefined).sort(([, a], [, b]) => a.depth - b.depth);
  if (chain.length < 2) return null;
  const [shallow, shallowest] = chain[0];
  const [deep, deepest] = chain[chain.length - 1];
  return {
    workload: facts.id,
    shallow,
    deep,
    levels: deepest.depth - shallowest.depth,
  };
}

/**
 * @param {Row[]} measured
 * @param {string} workload
 * @returns {Step | null} of the fewest users, on the usual data: one without a pause where the profile asks for it,
 *   because it is not the depth that makes the query after a pause slow
 */
export function baseStepOf(measured, workload) {
  const steps = measured
    .filter((c) => c.workload === workload)
    .map((c) => c.step)
    .filter((s) => isPlain(s) && (!ownsData(s) || isUnpausedOnly(s)));
  const unpaused = steps.filter(isUnpausedOnly);
  return (unpaused.length > 0 ? unpaused : steps).reduce(
    (/** @type {Step | null} */ a, b) => (a && a.vus <= b.vus ? a : b),
    null,
  );
}

/**
 * @param {Step} step
 * @returns {boolean} whether its dataset differs from the profile's by having no pauses, and by nothing else
 */
export function isUnpausedOnly({ dataset }) {
  return dataset?.thinkMs === 0 && Object.keys(dataset).length === 1;
}

/**
 * @param {Row[]} rows
 * @param {string} workload
 * @param {string} system
 * @param {Step} step
 * @param {string} operation
 */
function rowOf(rows, workload, system, step, operation) {
  return rows.find(
    (r) =>
      r.workload === workload &&
      r.system === system &&
      r.step.id === step.id &&
      [operation, ''].includes(r.operation),
  );
}

/**
 * @param {Row[]} rows
 * @param {string} workload
 * @param {string} system
 * @param {Step} step
 * @param {string} operation
 * @returns {Figure | null} mean service time, ms
 */
export function meanOf(rows, workload, system, step, operation) {
  return rowOf(rows, workload, system, step, operation)?.serviceMs.mean ?? null;
}

/** @typedef {(operation: string) => Figure | null} Means service time of one system on one step, ms */

/**
 * @param {Row[]} rows
 * @param {string} workload
 * @param {string} system
 * @param {Step} step
 * @returns {Means}
 */
export function meansAt(rows, workload, system, step) {
  return (operation) => meanOf(rows, workload, system, step, operation);
}

/**
 * What one further level costs: the mean of the deep query less that of the shallow one, in the same window.
 * @param {Means} means
 * @param {Chain} chain
 * @returns {Figure | null} ms for each level
 */
function levelCostOf(means, { shallow, deep, levels }) {
  return scaled(differenceOf(means(deep), means(shallow)), 1 / levels);
}

/**
 * Mean of the deep query against the shallow one. Where only the generator is in doubt, `floors` decide: what the same
 * requests take against a responder that does nothing is taken off both, which makes the ratio larger.
 * @param {Means} means
 * @param {Chain} chain
 * @param {Means} [floors]
 * @returns {{ratio: Comparison | null, net: boolean}} `net`: of the generator's part
 */
export function depthRatioOf(means, { shallow, deep }, floors = () => null) {
  const whole = compareFigures(means(deep), means(shallow), OF_TIMES);
  const net = (/** @type {string} */ operation) => {
    const floor = floors(operation)?.median;
    return floor === undefined ? null : combine([means(operation)], (ms) => ms - floor, withoutBounds);
  };
  const isDoubted = whole !== null && whole.why.length > 0;
  const ratio = isDoubted ? compareFigures(net(deep), net(shallow), OF_TIMES) : null;
  return ratio?.why.length === 0 ? { ratio, net: true } : { ratio: whole, net: false };
}

/**
 * The cost of a level on more data against the cost on the usual data, by repeat.
 * @param {Means} grown
 * @param {Means} usual
 * @param {Chain} chain
 * @returns {Comparison | null}
 */
export function levelGrowthOf(grown, usual, chain) {
  return compareFigures(levelCostOf(grown, chain), levelCostOf(usual, chain), OF_TIMES);
}

/**
 * @param {Row[]} measured
 * @param {string} workload
 * @param {Step} base
 * @returns {Step | null} the same as `base` on a dataset of another scale
 */
export function grownStepOf(measured, workload, base) {
  const isGrown = (/** @type {Step} */ { vus, dataset }) =>
    dataset?.scale !== undefined && vus === base.vus && dataset.thinkMs === base.dataset?.thinkMs;
  return measured.find((c) => c.workload === workload && isGrown(c.step))?.step ?? null;
}
