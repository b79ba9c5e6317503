import { MISSING, mebibytes, percent, significant } from '../../../format.js';
import { SOAK } from '../../../judge/method.js';
import { groupBy } from '../../group-by.js';
import { left, right, table } from '../../table.js';
import { soakCharts } from './charts.js';

/**
 * @import { CellRecord, Interval, OperationResult, Plan, SoakCount, SoakResult } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

const MIB = 1_048_576;

/** @typedef {{cell: CellRecord, soak: SoakResult}} Soaked */

/**
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, measured }) {
  /** @type {Soaked[]} */
  const soaks = measured.flatMap((cell) => (cell.soak ? [{ cell, soak: cell.soak }] : []));
  if (soaks.length === 0) return null;
  const first = soaks.filter(({ cell }) => cell.repeat === 1);
  return {
    title: 'Soak: memory and latency over time',
    intro: [
      `Theil–Sen slopes with their 95 % intervals, the first sixth of the time left out. Leaking: the whole interval above ${significant(SOAK.rssBytesPerMin / MIB)} MiB a minute, and the second half still growing. Clinging: ${SOAK.counted} open files or threads more than at the beginning, and more all the time. Drifting: the p99 grew by more than ${percent(SOAK.p99Growth)}. A slower leak than the detectable one would not have been seen.`,
    ],
    charts: groupBy(first, ({ cell }) => cell.workload).flatMap((own) => soakCharts(plan, own)),
    tables: [
      table(soaks, [
        left('system', ({ cell }) => cell.title),
        left('operation', ({ cell }) => operationText(plan, cell)),
        right('minutes', ({ soak }) => significant(soak.sec / 60)),
        right('memory, MiB a minute', ({ soak }) => interval(soak.rssBytesPerMin, (v) => signed(v / MIB))),
        right('detectable, MiB a minute', ({ soak }) => mebibytes(soak.detectableBytesPerMin)),
        right('p99, growth in all', ({ soak }) => interval(soak.p99Growth, (v) => `${signed(v * 100)} %`)),
        left('verdict', ({ soak }) => soak.verdict),
      ]),
      ...(soaks.some(({ soak }) => soak.openFiles || soak.threads || soak.disk) ? [heldTable(soaks)] : []),
    ],
  };
}

/**
 * @param {Soaked[]} soaks
 */
function heldTable(soaks) {
  return table(
    soaks,
    [
      left('system', ({ cell }) => cell.title),
      right('op/s', ({ cell }) => significant(operationOf(cell).ratePerSec)),
      right('acknowledged', ({ cell }) => significant(itemsOf(cell))),
      right('open files', ({ soak }) => countText(soak.openFiles)),
      right('threads', ({ soak }) => countText(soak.threads)),
      right('on disk, MiB', ({ soak: { disk } }) =>
        disk ? `${mebibytes(disk.firstBytes)} → ${mebibytes(disk.lastBytes)}` : MISSING,
      ),
      right('disk per item, bytes', ({ cell, soak: { disk } }) =>
        disk ? significant((disk.lastBytes - disk.firstBytes) / itemsOf(cell)) : MISSING,
      ),
    ],
    'Open files and threads at the beginning → at the end (the most in between), and the data on disk against what was acknowledged.',
  );
}

/** @param {CellRecord} cell @returns {OperationResult} of the one operation of a soak */
function operationOf({ operations }) {
  return Object.values(operations)[0];
}

/** @param {CellRecord} cell @returns {number} items that were acknowledged */
function itemsOf(cell) {
  const { count, itemsPerOp = 1 } = operationOf(cell);
  return count * itemsPerOp;
}

/** @param {SoakCount | null | undefined} count */
function countText(count) {
  return count ? `${count.first} → ${count.last} (${count.most})` : MISSING;
}

/**
 * @param {Plan} plan
 * @param {CellRecord} cell
 */
function operationText({ repeats }, { workload, operations, repeat }) {
  return `${workload}: ${Object.keys(operations).join(', ')}${repeats > 1 ? `, repeat ${repeat}` : ''}`;
}

/**
 * @param {Interval | null} value
 * @param {(v: number) => string} text
 */
function interval(value, text) {
  return value ? `${text(value.estimate)} (${text(value.low)} to ${text(value.high)})` : MISSING;
}

/** @param {number} value */
function signed(value) {
  const rounded = Number(value.toFixed(3));
  return rounded > 0 ? `+${significant(rounded)}` : significant(rounded).replace('-', '−');
}
