import { compareCells } from '../stats/compare.js';

/**
 * @import { Comparison } from '../types.d.ts'
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
