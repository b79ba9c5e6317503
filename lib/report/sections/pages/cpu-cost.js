import { figureText, MISSING, ratioWithInterval } from '../../../format.js';
import { between } from '../../../record/comparisons.js';
import { ratioOf } from '../../../record/ratio.js';
import { groupBy } from '../../group-by.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { pairText, titleOf } from '../../words.js';

/**
 * @import { Comparison } from '../../../record/comparisons.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Section } from '../../view.js'
 */

/**
 * What an operation costs each system, and operations per CPU second against one of them. Only a system's own CPU
 * stands in it, so it tells systems apart where the generator sets their throughput.
 * @param {Plan} plan
 * @param {Row[]} rows of one workload and transport
 * @param {Comparison[]} comparisons
 * @param {string} divisor
 * @returns {Section | null} null where no CPU is known
 */
export function cpuCostPart(plan, rows, comparisons, divisor) {
  if (rows.every((r) => r.systemCpuUsPerOp === null)) return null;
  const systems = [...new Set(rows.map((r) => r.system))];
  const rowOf = (/** @type {Row[]} */ same, /** @type {string} */ id) => same.find((r) => r.system === id);
  return {
    title: 'What an operation costs the system',
    intro: [
      `CPU of the system for each operation, µs; the ratios are operations per CPU second, to those of ${titleOf(plan, divisor)}. Only a system's own CPU is counted, under the same load, so they hold where the generator sets the throughput.`,
    ],
    tables: [
      table(
        groupBy(rows, (r) => `${r.step.id}\n${r.operation}`),
        [
          left('step', ([{ step }]) => stepText(plan, step.id)),
          left('operation', ([{ operation }]) => operation),
          ...systems.map((id) =>
            right(titleOf(plan, id), (/** @type {Row[]} */ same) =>
              figureText(rowOf(same, id)?.systemCpuUsPerOp),
            ),
          ),
          ...systems
            .filter((id) => id !== divisor)
            .map((id) =>
              left(pairText(plan, id, divisor), (/** @type {Row[]} */ same) =>
                ratioText(comparisons, rowOf(same, id), rowOf(same, divisor)),
              ),
            ),
        ],
      ),
    ],
  };
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
  if (!found.ratio && found.refusal !== 'bound') return `none: ${found.why}`;
  return ratioWithInterval(ratioOf(b.systemCpuUsPerOp, a.systemCpuUsPerOp));
}
