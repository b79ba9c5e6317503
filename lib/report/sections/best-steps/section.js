import { figureText, MISSING, percent } from '../../../format.js';
import { groupBy } from '../../group-by.js';
import { isLadderStep, stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { policyOf, rateText, verdictText } from '../../words.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

const BOUND = '"≥" is a lower bound: the generator, not the system, set the figure, or may have.';

/**
 * The best step of each system on each operation.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, rows }) {
  const closed = rows.filter((r) => isLadderStep(r.step) || r.operation === '').filter((r) => !r.received);
  if (closed.length === 0) return null;
  const transports = new Map(
    groupBy(closed, (r) => r.workload).map((own) => [
      own[0].workload,
      new Set(own.map((r) => r.transport)).size,
    ]),
  );
  const best = groupBy(closed, (r) => [r.workload, r.transport, r.operation, r.system].join('\n')).map(
    bestOf,
  );
  return {
    tables: [
      table(best, [
        left('workload', (r) =>
          Number(transports.get(r.workload)) > 1 ? `${r.workload} over ${r.transport}` : r.workload,
        ),
        left('operation', (r) => r.operation || MISSING),
        left('system', (r) => r.title),
        left('best step', (r) => stepText(plan, r.step.id)),
        right('throughput, op/s', rateText),
        right('p99, ms', (r) => figureText(r.serviceMs.p99)),
        right('errors', (r) =>
          r.ratePerSec ? percent(r.counts.failed / Math.max(1, r.counts.failed + r.counts.done)) : MISSING,
        ),
        right('CPU of the system, µs/op', (r) => figureText(r.systemCpuUsPerOp)),
        left('durability', (r) => policyOf(plan, r) || MISSING),
        left('verdict', verdictText),
      ]),
    ],
    parts: best.some((r) => r.ratePerSec?.bound === 'lower') ? [{ intro: [BOUND] }] : [],
  };
}

/**
 * @param {Row[]} own steps of one system on one operation
 * @returns {Row} the best that may be quoted, a lower bound too: what a system does at least is more than what it does
 *   on a lower step; else the best that may not
 */
function bestOf(own) {
  const rate = (/** @type {Row} */ r) => r.ratePerSec?.median ?? 0;
  const quotable = own.filter((r) => r.quotable);
  return [...(quotable.length > 0 ? quotable : own)].sort((a, b) => rate(b) - rate(a))[0];
}
