import { figureText, MISSING, ratioWithInterval, significant } from '../../../format.js';
import { between } from '../../../record/comparisons.js';
import { poolOf } from '../../../record/figure.js';
import { groupBy } from '../../group-by.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { pairText, rateText, titleOf } from '../../words.js';
import { cpuCostPart } from './cpu-cost.js';

/**
 * @import { Comparison } from '../../../record/comparisons.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan, Step } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * The tables of a benchmark page: one for each step that the profile gives a title, systems across, each divided
 * by the same one.
 * @param {Pick<Run, 'plan' | 'rows' | 'comparisons'>} run
 * @returns {Section[]} one for each workload and transport; none where no step has a title
 */
export function section({ plan, rows, comparisons }) {
  const titled = rows.filter((r) => pageTitleOf(plan, r.step) !== undefined && r.operation !== '');
  return groupBy(titled, (r) => `${r.workload}\n${r.transport}`).map((own) => {
    const [{ workload, transport }] = own;
    const divisor = divisorOf(plan, own);
    const bound = boundText(own);
    return {
      title: `${plan.workloads.find((w) => w.id === workload)?.title ?? workload} over ${transport}, side by side`,
      intro: [
        `Throughput in operations/s; the ratios are to ${titleOf(plan, divisor)}, with their 95 % intervals.`,
        ...(bound ? [bound] : []),
      ],
      parts: [
        ...groupBy(own, (r) => r.step.id).map((same) => stepPart(plan, same, comparisons, divisor)),
        cpuCostPart(plan, own, comparisons, divisor),
      ],
    };
  });
}

/**
 * @param {Plan} plan
 * @param {Step} step as recorded
 * @returns {string | undefined}
 */
function pageTitleOf(plan, step) {
  return plan.profile.steps.find((s) => s.id === step.id)?.title;
}

/**
 * @param {Plan} plan
 * @param {Row[]} own
 * @returns {string} the system that targets name, where it was measured; else the first
 */
function divisorOf(plan, own) {
  const named = plan.systems.flatMap((s) => s.targets ?? []).filter((t) => t.workload === own[0].workload);
  return named.find((t) => own.some((r) => r.system === t.against))?.against ?? own[0].system;
}

/**
 * @param {Plan} plan
 * @param {Row[]} rows of one step
 * @param {Comparison[]} comparisons
 * @param {string} divisor
 * @returns {Section}
 */
function stepPart(plan, rows, comparisons, divisor) {
  const systems = [...new Set(rows.map((r) => r.system))];
  return {
    title: pageTitleOf(plan, rows[0].step),
    intro: [
      `${stepText(plan, rows[0].step.id)}, ${requestsText(rows)} requests of each operation and repeat.`,
    ],
    tables: [
      table(
        groupBy(rows, (r) => r.operation),
        [
          left('operation', ([{ operation }]) => operation),
          ...systems.map((id) =>
            right(titleOf(plan, id), (/** @type {Row[]} */ same) =>
              cellText(same.find((r) => r.system === id)),
            ),
          ),
          ...systems
            .filter((id) => id !== divisor)
            .map((id) =>
              left(pairText(plan, id, divisor), (/** @type {Row[]} */ [row]) =>
                ratioText(comparisons, row, id, divisor),
              ),
            ),
        ],
      ),
    ],
  };
}

/** @param {Row | undefined} row */
function cellText(row) {
  return row ? rateText(row) : MISSING;
}

/**
 * @param {Comparison[]} comparisons
 * @param {Row} row of the cell
 * @param {string} system
 * @param {string} divisor
 */
function ratioText(comparisons, row, system, divisor) {
  const found = between(comparisons, row, system, divisor);
  if (!found) return MISSING;
  return found.ratio ? ratioWithInterval(found.ratio) : `none: ${found.why}`;
}

/**
 * How many operations stand behind a figure, as the heads of such pages say it.
 * @param {Row[]} rows of one step
 */
function requestsText(rows) {
  const completed = poolOf(rows.map((r) => r.completed));
  return completed ? `about ${figureText(completed, (n) => significant(n, 2))}` : MISSING;
}

/**
 * @param {Row[]} own
 * @returns {string | null} a plain sentence where the generator is the limit
 */
function boundText(own) {
  const bound = own.filter((r) => r.ratePerSec?.bound === 'lower').length;
  if (bound === 0) return null;
  return `${bound} of ${own.length} figures are marked "≥": there the generator on these cores, not the system, set the figure, or may have, so no ratio is formed from them. More cores, or the generator on a machine of its own, would tell the systems apart.`;
}
