import { significant } from '../../../format.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, records }) {
  const rows = records
    .filter((r) => r.role === 'calibration')
    .flatMap((record) =>
      Object.entries(record.operations).map(([operation, result]) => ({ record, operation, result })),
    );
  if (rows.length === 0) return null;
  return {
    title: "The generator's ceiling",
    intro: ['The same script against a responder that does nothing.'],
    tables: [
      table(rows, [
        left('transport', ({ record }) => record.transport),
        left('operation', ({ operation }) => operation),
        left('rung', ({ record }) => stepText(plan, record.step.id)),
        right('ceiling, op/s', ({ record, result }) =>
          record.status === 'ok' ? significant(result.ratePerSec) : `n/a: ${record.reason}`,
        ),
        right('generator CPU, µs/op', ({ result }) => significant(result.generatorCpuUsPerOp)),
      ]),
    ],
  };
}
