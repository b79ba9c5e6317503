import { MISSING, mebibytes, percent, significant } from '../../../format.js';
import { groupBy } from '../../group-by.js';
import { placeText } from '../../steps.js';
import { left, right, table } from '../../table.js';

/**
 * @import { CellRecord } from '../../../types.d.ts'
 * @import { Row } from '../../rows.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What an operation costs system and generator, and what a step took of the host.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, rows, measured }) {
  const steps = groupBy(
    measured.filter((r) => r.status === 'ok'),
    (r) => [r.workload, r.transport, r.system, r.step.id].join('\n'),
  );
  if (steps.length === 0) return null;
  const costs = rows.filter((r) => r.step.model === 'closed' && r.usable > 0);
  return {
    title: 'Cost per operation',
    tables: [
      table(costs, [
        left('operation', (r) => r.operation),
        left('system', (r) => r.title),
        left('rung', (r) => placeText(plan, r)),
        right('CPU of the system, µs/op', (r) => significant(r.systemCpuUsPerOp)),
        right('CPU of the generator, µs/op', (r) => significant(generatorCpu(r))),
      ]),
    ],
    parts: [
      {
        intro: ['Resources over all windows of a step; memory is anonymous memory, without page cache.'],
        tables: [
          table(steps, [
            left('system', ([c]) => c.title),
            left('rung', ([c]) => placeText(plan, c)),
            right(
              'system, cores',
              of((c) => c.resources.system?.cpuCores, significant),
            ),
            right(
              'generator, cores',
              of((c) => c.resources.generator?.cpuCores, significant),
            ),
            right(
              'memory steady, MiB',
              of((c) => c.resources.system?.rssSteadyBytes, mebibytes),
            ),
            right(
              'memory peak, MiB',
              of((c) => c.resources.system?.rssPeakBytes, mebibytes),
            ),
            right(
              'generator peak, MiB',
              of((c) => c.resources.generator?.rssPeakBytes, mebibytes),
            ),
            right(
              'read, MiB',
              of((c) => c.resources.system?.ioReadBytes, mebibytes),
            ),
            right(
              'written, MiB',
              of((c) => c.resources.system?.ioWriteBytes, mebibytes),
            ),
            right(
              'received, MiB',
              of((c) => c.resources.system?.netRxBytes, mebibytes),
            ),
            right(
              'sent, MiB',
              of((c) => c.resources.system?.netTxBytes, mebibytes),
            ),
            right(
              'processes',
              of(
                (c) => c.resources.system?.processes,
                (n) => n ?? MISSING,
              ),
            ),
            right(
              'threads',
              of(
                (c) => c.resources.system?.threadsPeak,
                (n) => n ?? MISSING,
              ),
            ),
            right(
              'host busy',
              of((c) => c.resources.host?.busyRatio, percent),
            ),
          ]),
        ],
      },
    ],
  };
}

/**
 * @param {Row} row
 * @returns {number | undefined} µs
 */
function generatorCpu({ cells, operation }) {
  return middleOf(cells.map((c) => c.operations[operation]?.generatorCpuUsPerOp));
}

/**
 * @param {(cell: CellRecord) => number | null | undefined} read
 * @param {(value: number | undefined) => string | number} text
 * @returns {(cells: CellRecord[]) => string | number} of the repeats of a step
 */
function of(read, text) {
  return (cells) => text(middleOf(cells.map(read)));
}

/**
 * @param {(number | null | undefined)[]} values
 * @returns {number | undefined}
 */
function middleOf(values) {
  const known = values.filter((v) => v !== null && v !== undefined).sort((a, b) => a - b);
  return known[known.length >> 1];
}
