import { figureText } from '../../../format.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { rateText } from '../../words.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, beside }) {
  const rows = beside.filter((r) => r.role === 'calibration' && r.operation !== '');
  if (rows.length === 0) return null;
  return {
    title: 'The null responder',
    intro: [
      'The same load against a responder that does nothing: what stands beside the figures, and limits none of them.',
    ],
    tables: [
      table(rows, [
        left('transport', (r) => r.transport),
        left('operation', (r) => r.operation),
        left('step', (r) => stepText(plan, r.step.id)),
        right('op/s', rateText),
        right('p99, ms', (r) => figureText(r.responseP99Ms ?? r.serviceMs.p99)),
        right('generator CPU, µs/op', (r) => figureText(r.generatorCpuUsPerOp)),
      ]),
    ],
  };
}
