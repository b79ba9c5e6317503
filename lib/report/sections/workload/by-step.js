import { MISSING, ratioWithInterval } from '../../../format.js';
import { groupBy } from '../../group-by.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { pairText, rateText, titleOf } from '../../words.js';

/**
 * @import { Comparison } from '../../../record/comparisons.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Row } from '../../../record/figures.js'
 * @import { Section } from '../../view.js'
 * @import { Column } from '../../table.js'
 */

/**
 * Operations down and systems across, step by step, as benchmark pages of servers print it.
 * @param {Plan} plan
 * @param {Row[]} closed rows of one workload and transport
 * @param {Comparison[]} comparisons
 * @returns {Section}
 */
export function byStep(plan, closed, comparisons) {
  return {
    title: 'By step: throughput, operations/s',
    tables: groupBy(closed, (r) => r.step.id).map((rows) => stepTable(plan, rows, comparisons)),
  };
}

/**
 * @param {Plan} plan
 * @param {Row[]} rows of one step
 * @param {Comparison[]} comparisons
 */
function stepTable(plan, rows, comparisons) {
  const stepId = rows[0].step.id;
  const systems = [...new Set(rows.map((r) => r.system))];
  /** @type {Column<Row[]>[]} */
  const rates = systems.map((id) =>
    right(titleOf(plan, id), (same) => {
      const row = same.find((r) => r.system === id);
      return row ? rateText(row) : MISSING;
    }),
  );
  /** @type {Column<Row[]>} */
  const ratio = left(`${pairText(plan, systems[0], systems[1])} (95 % CI)`, ([{ operation }]) => {
    const found = comparisons.find((c) => c.stepId === stepId && c.operation === operation);
    return found?.ratio ? ratioWithInterval(found.ratio) : (found?.why ?? MISSING);
  });
  return table(
    groupBy(rows, (r) => r.operation),
    [left('operation', ([{ operation }]) => operation), ...rates, ...(systems.length === 2 ? [ratio] : [])],
    `**${stepText(plan, stepId)}**`,
  );
}
