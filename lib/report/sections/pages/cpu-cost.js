import { MISSING, ratioWithInterval, significant } from '../../../format.js';
import { verdictOf } from '../../../judge/verdict.js';
import { pairedRatio } from '../../../stats/summary.js';
import { between } from '../../comparisons.js';
import { groupBy } from '../../group-by.js';
import { stepText } from '../../steps.js';
import { pairsByRepeat } from '../suite/figures.js';

/**
 * @import { CellRecord, Comparison, Plan } from '../../../types.d.ts'
 * @import { Row } from '../../rows.js'
 */

/**
 * What an operation costs each system, and operations per CPU second against one of them. Only a system's own CPU
 * stands in it, so it tells systems apart where the generator sets their throughput.
 * @param {Plan} plan
 * @param {Row[]} rows of one workload and transport
 * @param {Comparison[]} comparisons
 * @param {{systems: string[], others: string[], divisor: string}} columns
 * @returns {{step: string, operation: string, costs: string[], ratios: string[]}[]} none where no CPU is known
 */
export function cpuCostRows(plan, rows, comparisons, { systems, others, divisor }) {
  if (rows.every((r) => r.systemCpuUsPerOp === null)) return [];
  return groupBy(rows, (r) => `${r.step.id}\n${r.operation}`).map((same) => {
    const rowOf = (/** @type {string} */ id) => same.find((r) => r.system === id);
    return {
      step: stepText(plan, same[0].step.id),
      operation: same[0].operation,
      costs: systems.map((id) => significant(rowOf(id)?.systemCpuUsPerOp ?? null)),
      ratios: others.map((id) => ratioText(comparisons, rowOf(id), rowOf(divisor))),
    };
  });
}

/**
 * @param {Comparison[]} comparisons
 * @param {Row | undefined} a
 * @param {Row | undefined} b
 * @returns {string} operations per CPU second of a / those of b; none under unequal conditions
 */
function ratioText(comparisons, a, b) {
  if (!a || !b) return MISSING;
  const found = between(comparisons, a, a.system, b.system);
  if (!found) return MISSING;
  if (!found.ratio && found.why !== 'generator-bound') return `none: ${found.why}`;
  const pairs = pairsByRepeat(usableOf(a), usableOf(b)).flatMap((cells) => {
    const [own, other] = [cpuOf(cells.a, a.operation), cpuOf(cells.b, b.operation)];
    return own && other ? [{ a: 1 / own, b: 1 / other }] : [];
  });
  return pairs.length > 0 ? ratioWithInterval(pairedRatio(pairs), pairs.length) : MISSING;
}

/** @param {Row} row */
function usableOf({ cells, operation }) {
  return cells.filter((c) => verdictOf(c, operation) !== 'INVALID');
}

/**
 * @param {CellRecord} cell
 * @param {string} operation
 */
function cpuOf(cell, operation) {
  return cell.operations[operation]?.systemCpuUsPerOp;
}
