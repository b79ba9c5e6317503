import { MISSING, mebibytes, percent, significant } from '../../../format.js';
import { SOAK } from '../../../judge/method.js';
import { left, right, table } from '../../table.js';

/**
 * @import { CellRecord, Interval, Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

const MIB = 1_048_576;

/**
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, measured }) {
  const soaks = measured.flatMap((cell) => (cell.soak ? [{ cell, soak: cell.soak }] : []));
  if (soaks.length === 0) return null;
  return {
    title: 'Soak: memory and latency over time',
    intro: [
      `Theil–Sen slopes with their 95 % intervals, the first sixth of the time left out. Leaking: the whole interval above ${significant(SOAK.rssBytesPerMin / MIB)} MiB a minute, and the second half still growing. Drifting: the p99 grew by more than ${percent(SOAK.p99Growth)}. A slower leak than the detectable one would not have been seen.`,
    ],
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
    ],
  };
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
