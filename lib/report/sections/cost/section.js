import { figureText, mebibytes, percent } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { placeText } from '../../steps.js';
import { left, right, table } from '../../table.js';

/**
 * @import { ResourceUse } from '../../../types.d.ts'
 * @import { Row } from '../../../record/figures.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What an operation costs system and generator, and what a step took of the host.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, rows, wholes }) {
  const steps = wholes.filter((r) => r.tried.ran > 0);
  if (steps.length === 0) return null;
  const costs = rows.filter((r) => r.step.model === 'closed' && r.usable > 0);
  return {
    title: 'Cost per operation',
    tables: [
      // What shares a window cannot be told apart by its CPU.
      table(
        groupBy(costs, (r) => [r.system, placeText(plan, r), ...costOf(r)].join('\n')),
        [
          left('operations', (own) => own.map((r) => r.operation).join(', ')),
          left('system', ([r]) => r.title),
          left('step', ([r]) => placeText(plan, r)),
          right('CPU of the system, µs/op', ([r]) => costOf(r)[0]),
          right('CPU of the load generator, µs/op', ([r]) => costOf(r)[1]),
        ],
      ),
    ],
    parts: [
      {
        intro: ['Resources over all windows of a step; memory is anonymous memory, without page cache.'],
        tables: [
          table(steps, [
            left('system', (r) => r.title),
            left('step', (r) => placeText(plan, r)),
            right('system, cores', used('system', 'cpuCores')),
            right('generator, cores', used('generator', 'cpuCores')),
            right('memory steady, MiB', used('system', 'rssSteadyBytes', mebibytes)),
            right('memory peak, MiB', used('system', 'rssPeakBytes', mebibytes)),
            right('generator peak, MiB', used('generator', 'rssPeakBytes', mebibytes)),
            right('read, MiB', used('system', 'ioReadBytes', mebibytes)),
            right('written, MiB', used('system', 'ioWriteBytes', mebibytes)),
            right('received, MiB', used('system', 'netRxBytes', mebibytes)),
            right('sent, MiB', used('system', 'netTxBytes', mebibytes)),
            right('processes', used('system', 'processes', String)),
            right('threads', used('system', 'threadsPeak', String)),
            right('host busy', (r) => figureText(r.hostBusyRatio, percent)),
          ]),
        ],
      },
    ],
  };
}

/**
 * @param {'system' | 'generator'} who
 * @param {keyof ResourceUse} key
 * @param {(value: number) => string} [text]
 * @returns {(row: Row) => string}
 */
function used(who, key, text) {
  return (row) => figureText(row.used[who][key], text);
}

/** @param {Row} row @returns {string[]} CPU of system and load generator for an operation */
function costOf({ systemCpuUsPerOp, generatorCpuUsPerOp }) {
  return [systemCpuUsPerOp, generatorCpuUsPerOp].map((figure) => figureText(figure));
}
