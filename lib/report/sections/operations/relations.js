import { isPlain, ownsData } from '../../../config/step-text.js';
import { at, stepsOf } from '../../matrix/families.js';

/**
 * @import { Figure } from '../../../figures/figure.js'
 * @import { Row } from '../../../figures/rows.js'
 * @import { Step, WorkloadFacts } from '../../../types.d.ts'
 */

/**
 * @param {WorkloadFacts} facts
 * @returns {{operation: string, depth: number, beside?: string}[]} the operations that follow relations
 */
export function depthsOf({ operations }) {
  return Object.entries(operations).flatMap(([operation, { shown }]) =>
    shown?.depth === undefined ? [] : [{ operation, depth: shown.depth, beside: shown.beside }],
  );
}

/**
 * @param {WorkloadFacts} facts
 * @returns {{shallow: string, deep: string, levels: number} | null} the shallowest and the deepest operation
 */
export function chainOf(facts) {
  const chain = depthsOf(facts).filter(({ beside }) => beside === undefined);
  const [shallow, ...others] = chain.sort((a, b) => a.depth - b.depth);
  const deep = others.at(-1);
  if (!deep) return null;
  return { shallow: shallow.operation, deep: deep.operation, levels: deep.depth - shallow.depth };
}

/**
 * @param {Row[]} measured
 * @param {string} workload
 * @returns {Step | null} of the fewest users, on the usual data: one without a pause where the profile asks for it,
 *   because it is not the depth that makes the query after a pause slow
 */
export function baseStepOf(measured, workload) {
  const all = stepsOf(measured.filter((c) => c.workload === workload));
  const steps = all.filter((s) => isPlain(s) && (!ownsData(s) || isUnpausedOnly(s)));
  const unpaused = steps.filter(isUnpausedOnly);
  const [fewest = null] = (unpaused.length > 0 ? unpaused : steps).sort((a, b) => a.vus - b.vus);
  return fewest;
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
  const own = rows.filter((r) => r.workload === workload && [operation, ''].includes(r.operation));
  return at(own, step.id, system)?.serviceMs.mean ?? null;
}
