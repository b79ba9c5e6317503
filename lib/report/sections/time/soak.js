import { MISSING, mebibytes, percent, significant } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { sentenceBeside, templateBeside } from '../../template.js';

/**
 * @import { CellRecord, Interval, OperationResult, Plan, SoakCount, SoakResult } from '../../../types.d.ts'
 * @import { Soaked } from '../../../record/soaks.js'
 * @import { Table } from '../../table.js'
 */

const tables = templateBeside(import.meta.url, 'soak-table.hbs');
const answer = sentenceBeside(import.meta.url, 'soak-answer.hbs');
const NOBODY = /** @type {Plan} */ (/** @type {unknown} */ ({ systems: [], workloads: [] }));

export const MIB = 1_048_576;

/** What a table has of each soak, line by line. @type {Readonly<Record<string, (soaked: Soaked) => string>>} */
const LINES = Object.freeze({
  verdict: ({ soak }) => soak.verdict,
  rate: ({ cell }) => significant(operationOf(cell).ratePerSec),
  memoryEnd: ({ soak }) => mebibytes(soak.points?.at(-1)?.rssBytes),
  memory: ({ soak }) => interval(soak.rssBytesPerMin, memoryText),
  detectable: ({ soak }) => mebibytes(soak.detectableBytesPerMin),
  p99End: ({ soak }) => significant(soak.points?.at(-1)?.p99Ms),
  p99: ({ soak }) => interval(soak.p99Growth, growthText),
  files: ({ soak }) => countText(soak.openFiles),
  threads: ({ soak }) => countText(soak.threads),
  disk: ({ cell, soak }) => `${diskText(soak)}${perItemText(cell, soak)}`,
  foreign: ({ foreignCores }) => foreignCores?.toFixed(1) ?? MISSING,
});

/**
 * @param {Soaked[]} soaks
 * @returns {Table[]} one for each workload: what is asked down, systems across
 */
export function soakTables(soaks) {
  return groupBy(soaks, ({ cell }) => cell.workload).flatMap((own) => {
    const several = own.some(({ cell }) => cell.repeat > 1);
    const lines = Object.entries(LINES).flatMap(([kind, of]) => {
      const values = own.map((soaked) => ({
        text: kind === 'verdict' ? { verdict: of(soaked) } : of(soaked),
        title: soaked.cell.title,
        repeat: several ? soaked.cell.repeat : null,
      }));
      return values.every(({ text }) => text === MISSING) ? [] : [{ kind, values }];
    });
    const [{ cell }] = own;
    return tables(NOBODY, {
      ...{ lines, workload: cell.workload, operations: Object.keys(cell.operations) },
      seconds: secondsOf(own[0]),
    }).tables;
  });
}

/**
 * One sentence for each soak: whether the system is the same after a while, and by what that is told.
 * @param {Soaked[]} soaks
 * @returns {string[]} Markdown
 */
export function soakAnswers(soaks) {
  return soaks.map((soaked) => {
    const { cell, soak } = soaked;
    const { verdict, rssBytesPerMin, p99Growth } = soak;
    return answer(NOBODY, {
      ...{
        verdict,
        title: cell.title,
        seconds: secondsOf(soaked),
        operation: Object.keys(cell.operations)[0],
      },
      rate: operationOf(cell).ratePerSec,
      ...{ files: countText(soak.openFiles), threads: countText(soak.threads) },
      memory: rssBytesPerMin && memoryText(rssBytesPerMin.estimate),
      p99: p99Growth && growthText(p99Growth.estimate),
      disk: grew(soak) ? diskText(soak) : null,
    });
  });
}

/**
 * @param {Pick<SoakResult, 'disk'>} soak
 * @returns {boolean} whether there was so much more data at the end that it may be the reason
 */
function grew({ disk }) {
  return disk != null && disk.lastBytes > 2 * disk.firstBytes;
}

/** @param {Soaked} soaked @returns {number} how long it was loaded */
function secondsOf({ cell: { step }, soak }) {
  return step.durationSec ?? soak.sec;
}

/** @param {CellRecord} cell @returns {OperationResult} of the one operation of a soak */
function operationOf({ operations }) {
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
function diskText({ disk }) {
  return disk ? `${mebibytes(disk.firstBytes)} → ${mebibytes(disk.lastBytes)}` : MISSING;
}

/** @param {SoakCount | null | undefined} count @returns {string} `25 → 25`, and the most where there were more in between */
function countText(count) {
  if (!count) return MISSING;
  const { first, last, most } = count;
  return `${first} → ${last}${most > Math.max(first, last) ? ` (max ${most})` : ''}`;
}

/**
 * @param {Interval | null} value
 * @param {(v: number) => string} text
 */
function interval(value, text) {
  return value ? `${text(value.estimate)} (${text(value.low)} to ${text(value.high)})` : MISSING;
}

/** @param {number} bytes */
function memoryText(bytes) {
  return signed(bytes / MIB);
}

/** @param {number} share */
function growthText(share) {
  return share === 0 ? '0 %' : `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
}

/** @param {number} value */
function signed(value) {
  const rounded = Number(value.toFixed(3));
  return rounded > 0 ? `+${significant(rounded)}` : significant(rounded).replace('-', '−');
}
