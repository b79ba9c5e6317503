import { duration, MISSING, mebibytes, percent, significant } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { left, right, table } from '../../table.js';

/**
 * @import { CellRecord, Interval, OperationResult, SoakCount, SoakResult } from '../../../types.d.ts'
 * @import { Soaked } from '../../../record/soaks.js'
 * @import { Table } from '../../table.js'
 */

export const MIB = 1_048_576;

/** What a table says of each soak, line by line. @type {readonly [string, (soaked: Soaked) => string][]} */
const LINES = [
  ['verdict', ({ soak }) => soak.verdict],
  ['op/s', ({ cell }) => significant(operationOf(cell).ratePerSec)],
  ['memory at the end, MiB', ({ soak }) => mebibytes(soak.points?.at(-1)?.rssBytes)],
  ['memory, MiB a minute', ({ soak }) => interval(soak.rssBytesPerMin, memoryText)],
  [
    'slowest leak that would have been seen, MiB a minute',
    ({ soak }) => mebibytes(soak.detectableBytesPerMin),
  ],
  ['p99 at the end, ms', ({ soak }) => significant(soak.points?.at(-1)?.p99Ms)],
  ['p99, growth in all', ({ soak }) => interval(soak.p99Growth, growthText)],
  ['open files', ({ soak }) => countText(soak.openFiles)],
  ['threads', ({ soak }) => countText(soak.threads)],
  [
    'data on disk, MiB (bytes for each item)',
    ({ cell, soak }) => `${diskText(soak)}${perItemText(cell, soak)}`,
  ],
  ['other work on the machine, cores', ({ foreignCores }) => foreignCores?.toFixed(1) ?? MISSING],
];

/**
 * @param {Soaked[]} soaks
 * @returns {Table[]} one for each workload: what is asked down, systems across
 */
export function soakTables(soaks) {
  return groupBy(soaks, ({ cell }) => cell.workload).map((own) => {
    const [{ cell }] = own;
    const time = duration(secondsOf(own[0]));
    return table(
      LINES.filter(([, of]) => own.some((soaked) => of(soaked) !== MISSING)),
      [
        left(`${cell.workload}: ${Object.keys(cell.operations).join(', ')}, ${time}`, ([text]) => text),
        ...own.map((soaked) => right(headOf(soaked, own), ([, of]) => of(soaked))),
      ],
    );
  });
}

/**
 * @param {Soaked} soaked
 * @param {Soaked[]} all of a table
 */
function headOf({ cell }, all) {
  return all.some((s) => s.cell.repeat > 1) ? `${cell.title}, repeat ${cell.repeat}` : cell.title;
}

/** @param {Soaked} soaked @returns {number} how long it was loaded */
export function secondsOf({ cell: { step }, soak }) {
  return step.durationSec ?? soak.sec;
}

/** @param {CellRecord} cell @returns {OperationResult} of the one operation of a soak */
export function operationOf({ operations }) {
  return Object.values(operations)[0];
}

/**
 * @param {CellRecord} cell
 * @param {Pick<SoakResult, 'disk'>} soak
 * @returns {string} ` (302)`: what each item that was acknowledged added; nothing where none did
 */
function perItemText(cell, { disk }) {
  const { count, itemsPerOp = 1 } = operationOf(cell);
  const more = disk ? disk.lastBytes - disk.firstBytes : 0;
  return more > 0 && count > 0 ? ` (${significant(more / (count * itemsPerOp))})` : '';
}

/** @param {Pick<SoakResult, 'disk'>} soak */
export function diskText({ disk }) {
  return disk ? `${mebibytes(disk.firstBytes)} → ${mebibytes(disk.lastBytes)}` : MISSING;
}

/** @param {SoakCount | null | undefined} count @returns {string} `25 → 25`, and the most where there were more in between */
export function countText(count) {
  if (!count) return MISSING;
  const { first, last, most } = count;
  return `${first} → ${last}${most > Math.max(first, last) ? ` (at most ${most})` : ''}`;
}

/**
 * @param {Interval | null} value
 * @param {(v: number) => string} text
 */
function interval(value, text) {
  return value ? `${text(value.estimate)} (${text(value.low)} to ${text(value.high)})` : MISSING;
}

/** @param {number} bytes */
export function memoryText(bytes) {
  return signed(bytes / MIB);
}

/** @param {number} share */
export function growthText(share) {
  return share === 0 ? '0 %' : `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
}

/** @param {number} value */
function signed(value) {
  const rounded = Number(value.toFixed(3));
  return rounded > 0 ? `+${significant(rounded)}` : significant(rounded).replace('-', '−');
}
