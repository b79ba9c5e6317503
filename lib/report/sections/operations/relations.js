import { isPlain, ownsData } from '../../../config/step-text.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Step, WorkloadFacts } from '../../../types.d.ts'
 */

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
 * @returns {Figure | null} mean service time, ms
 */
export function meanOf(rows, workload, system, step, operation) {
  const row = rows.find(
    (r) =>
      r.workload === workload &&
      r.system === system &&
      r.step.id === step.id &&
      [operation, ''].includes(r.operation),
  );
  return row?.serviceMs.mean ?? null;
}
