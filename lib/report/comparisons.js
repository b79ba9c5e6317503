import { compareCells } from '../judge/compare.js';

/**
 * @import { Comparison, Interval } from '../types.d.ts'
 * @import { Row } from './rows.js'
 */

/**
 * Every pair of systems on every operation of every step.
 * @param {Row[]} rows
 * @param {number} seed
 * @returns {Comparison[]}
 */
export function comparisonsOf(rows, seed) {
  /** @type {Comparison[]} */
  const all = [];
  for (const [i, a] of rows.entries()) {
    for (const b of rows.slice(i + 1)) {
      if (sameCell(a, b)) all.push(compareRows(a, b, seed));
    }
  }
  return all;
}

/**
 * The comparison of two systems in the order asked for.
 * @param {Comparison[]} comparisons
 * @param {Pick<Comparison, 'workload' | 'transport' | 'operation'> & {step: {id: string}}} cell
 * @param {string} a
 * @param {string} b
 * @returns {Pick<Comparison, 'ratio' | 'pairs' | 'why'> | null} throughput of a / throughput of b; null when they never met
 */
export function between(comparisons, cell, a, b) {
  const same = comparisons.filter(
    (c) =>
      c.workload === cell.workload &&
      c.transport === cell.transport &&
      c.stepId === cell.step.id &&
      c.operation === cell.operation,
  );
  const straight = same.find((c) => c.a === a && c.b === b);
  if (straight) return straight;
  const turned = same.find((c) => c.a === b && c.b === a);
  return turned ? { ...turned, ratio: turned.ratio && inverse(turned.ratio) } : null;
}

/**
 * @param {Interval} ratio a / b
 * @returns {Interval} b / a
 */
export function inverse({ estimate, low, high }) {
  return { estimate: 1 / estimate, low: 1 / high, high: 1 / low };
}

/**
 * @param {Row} a
 * @param {Row} b
 * @returns {boolean} whether both are the same operation of the same step, whatever the system
 */
export function sameCell(a, b) {
  return (
    a.workload === b.workload &&
    a.transport === b.transport &&
    a.step.id === b.step.id &&
    a.operation === b.operation &&
    a.operation !== '' &&
    // How much is received is the others' doing.
    !a.cells.some((c) => c.operations[a.operation]?.received)
  );
}

/**
 * @param {Row} a
 * @param {Row} b
 * @param {number} seed
 * @returns {Comparison}
 */
function compareRows(a, b, seed) {
  const comparison = compareCells(a.cells, b.cells, a.operation, seed);
  const doubtful = [a, b].find((row) => row.status !== 'VALID');
  if (!doubtful || comparison.why?.startsWith('asymmetric')) return comparison;
  const why = doubtful.codes.includes('generator_bound')
    ? 'generator-bound'
    : `${doubtful.system} ${doubtful.codes.join(', ') || doubtful.failure}`;
  return { ...comparison, ratio: null, p99Ratio: null, verdict: 'refused', why };
}
