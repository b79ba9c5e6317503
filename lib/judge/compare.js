import { pairedRatio } from '../stats/summary.js';
import { EQUIVALENCE, MIN_REPEATS } from './method.js';
import { parityDifferences } from './parity.js';
import { verdictOf } from './verdict.js';

export { EQUIVALENCE, MIN_REPEATS };

/** @import { CellRecord, Comparison, ComparisonVerdict, Interval } from '../types.d.ts' */

/**
 * @param {Interval} ratio a / b, bigger is better for a
 * @returns {ComparisonVerdict} `faster` or `slower` only when the whole interval lies outside ±5 %,
 *   `equivalent` only when it lies inside
 */
export function judgeRatio({ low, high }) {
  if (low > 1 + EQUIVALENCE) return 'faster';
  if (high < 1 / (1 + EQUIVALENCE)) return 'slower';
  if (low >= 1 - EQUIVALENCE && high <= 1 + EQUIVALENCE) return 'equivalent';
  return 'inconclusive';
}

/**
 * Compares two systems on one operation of one step, from the repeats in which both are valid.
 * @param {CellRecord[]} aCells one record for each repeat
 * @param {CellRecord[]} bCells
 * @param {string} operation
 * @param {number} seed of the bootstrap
 * @returns {Comparison}
 */
export function compareCells(aCells, bCells, operation, seed) {
  const [a] = aCells;
  const [b] = bCells;
  const shell = {
    workload: a.workload,
    transport: a.transport,
    stepId: a.step.id,
    operation,
    a: a.system,
    b: b.system,
  };
  const differing = parityDifferences(a.parity, b.parity);
  if (differing.length > 0) return refused(shell, `asymmetric: ${differing.join(', ')}`);
  const pairs = validPairs(aCells, bCells, operation);
  if (pairs.length === 0) return refused(shell, 'no repeat in which both are valid');
  const ratio = pairedRatio(
    pairs.map(({ a, b }) => ({ a: a.ratePerSec, b: b.ratePerSec })),
    seed,
  );
  const p99Ratio = pairedRatio(
    pairs.map(({ a, b }) => ({ a: p99(a), b: p99(b) })),
    seed,
  );
  const verdict = pairs.length < MIN_REPEATS ? 'insufficient' : judgeRatio(ratio);
  const why = pairs.length < MIN_REPEATS ? `${pairs.length} of ${MIN_REPEATS} repeats` : null;
  return { ...shell, pairs: pairs.length, ratio, p99Ratio, verdict, why };
}

/**
 * @param {Pick<Comparison, 'workload' | 'transport' | 'stepId' | 'operation' | 'a' | 'b'>} shell
 * @param {string} why
 * @returns {Comparison}
 */
function refused(shell, why) {
  return { ...shell, pairs: 0, ratio: null, p99Ratio: null, verdict: 'refused', why };
}

/**
 * @param {CellRecord[]} aCells
 * @param {CellRecord[]} bCells
 * @param {string} operation
 */
function validPairs(aCells, bCells, operation) {
  return aCells.flatMap((a) => {
    const b = bCells.find((cell) => cell.repeat === a.repeat);
    if (!b || verdictOf(a, operation) !== 'VALID' || verdictOf(b, operation) !== 'VALID') return [];
    return [{ a: a.operations[operation], b: b.operations[operation] }];
  });
}

/** @param {import('../types.d.ts').OperationResult} result */
function p99(result) {
  return result.serviceMs?.p99 ?? Number.NaN;
}
