import { cellReasons, REASONS, statusOf } from '../../../judge/verdict.js';
import { medianInterval } from '../../../stats/summary.js';
import { groupBy } from '../../group-by.js';
import { ownsData } from '../../steps.js';

/**
 * @import { CellRecord, Interval, Reason, Step, VerdictStatus } from '../../../types.d.ts'
 */

/**
 * All operations of a workload together, of one system on one step: what a page of a server calls "the suite".
 * @typedef {object} Whole
 * @property {string} workload
 * @property {string} transport
 * @property {string} system
 * @property {string} title
 * @property {Step} step
 * @property {CellRecord[]} cells repeats
 * @property {CellRecord[]} usable those that have figures and are not INVALID
 * @property {VerdictStatus | 'FAILED'} status
 * @property {string[]} codes of the reasons
 * @property {string[]} doubts codes why the usable ones are not to be compared
 * @property {string | null} failure why there is no figure
 */

/**
 * @param {CellRecord[]} measured of workloads whose operations take turns
 * @returns {Whole[]} in the order of the records
 */
export function wholesOf(measured) {
  const keyOf = (/** @type {CellRecord} */ r) => [r.workload, r.transport, r.step.id, r.system].join('\n');
  return groupBy(measured, keyOf).map((cells) => {
    const [{ workload, transport, system, title, step }] = cells;
    const usable = cells.filter((c) => c.status === 'ok' && c.wholeMs && c.verdict.status !== 'INVALID');
    return { workload, transport, system, title, step, cells, usable, ...standing(cells, usable) };
  });
}

/**
 * @param {CellRecord[]} cells
 * @param {CellRecord[]} usable
 * @returns {Pick<Whole, 'status' | 'codes' | 'doubts' | 'failure'>}
 */
function standing(cells, usable) {
  const codes = [...new Set(cells.flatMap((c) => c.verdict.reasons.map((r) => r.code)))].sort();
  const doubts = [...new Set(usable.flatMap((c) => c.verdict.reasons.map((r) => r.code)))].sort();
  if (usable.length > 0) {
    return { status: doubts.length > 0 ? 'DEGRADED' : 'VALID', codes, doubts, failure: null };
  }
  const failed = cells.find((c) => c.status !== 'ok');
  if (failed) return { status: 'FAILED', codes, doubts, failure: `${failed.status}: ${failed.reason}` };
  const grave = codes.filter((code) => REASONS[code].status === 'INVALID');
  return { status: 'INVALID', codes, doubts, failure: grave.join(', ') || 'no figure' };
}

/**
 * @param {CellRecord[]} cells repeats
 * @param {(cell: CellRecord) => number | null | undefined} read
 * @returns {Interval | null} median of the repeats with its interval; null without any value
 */
export function intervalOf(cells, read) {
  const values = cells.map(read).filter((v) => v !== null && v !== undefined && Number.isFinite(v));
  return values.length === 0 ? null : medianInterval(/** @type {number[]} */ (values));
}

/**
 * One operation of a cell, where it may be shown.
 * @param {CellRecord} cell
 * @param {string} operation
 */
export function shown(cell, operation) {
  const result = cell.operations[operation];
  if (!result || cell.status !== 'ok') return null;
  return statusOf(reasonsOf(cell, operation)) === 'INVALID' ? null : result;
}

/**
 * @param {CellRecord} cell
 * @param {string} operation
 * @returns {Reason[]}
 */
export function reasonsOf(cell, operation) {
  return [...cellReasons(cell), ...(cell.operations[operation]?.verdict.reasons ?? [])];
}

/** @param {CellRecord} cell @returns {number} operations per second, all kinds */
export function rateOf(cell) {
  return Object.values(cell.operations).reduce((sum, o) => sum + o.ratePerSec, 0);
}

/** @param {CellRecord} cell @returns {{failed: number, all: number}} operations that failed, of all */
export function failuresOf(cell) {
  const results = Object.values(cell.operations);
  const failed = results.reduce((n, o) => n + Object.values(o.errors).reduce((s, e) => s + e, 0), 0);
  return { failed, all: failed + results.reduce((n, o) => n + o.count, 0) };
}

/**
 * @param {{step: Step}} of
 * @returns {boolean} whether its step is a rung of the ladder of users
 */
export function isUserRung({ step }) {
  return isPlain(step) && !ownsData(step);
}

/**
 * @param {Step} step
 * @returns {boolean} whether its users do nothing but the workload, one operation at a time
 */
export function isPlain(step) {
  return step.model === 'closed' && (step.depth ?? 1) === 1 && !step.soak && !isBusy(step);
}

/**
 * @template {{step: Step}} T
 * @param {T[]} items
 * @returns {T[]} those with the fewest users
 */
export function ofFewestUsers(items) {
  const rungs = items.filter(isUserRung);
  const fewest = Math.min(...rungs.map((w) => w.step.vus));
  return rungs.filter((w) => w.step.vus === fewest);
}

/**
 * Pairs of one system's cells of two steps, by repeat: one bring-up, the same store.
 * @param {CellRecord[]} a
 * @param {CellRecord[]} b
 * @returns {{a: CellRecord, b: CellRecord}[]}
 */
export function pairsByRepeat(a, b) {
  return a.flatMap((one) => {
    const other = b.find((c) => c.repeat === one.repeat);
    return other ? [{ a: one, b: other }] : [];
  });
}

/**
 * @param {Step} step
 * @returns {boolean} whether something else goes on beside its load
 */
export function isBusy(step) {
  return step.background !== undefined;
}
