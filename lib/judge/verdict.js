import { RULES } from './rules.js';

/** @import { CellRecord, Reason, ReasonCode, VerdictStatus } from '../types.d.ts' */

/** @param {ReasonCode} code @returns {string} for a cell of a table; the whole sentence where there is nothing shorter */
export function shortReason(code) {
  return RULES[code].short ?? RULES[code].text;
}

/** @type {Record<VerdictStatus, number>} */
const RANK = { VALID: 0, DEGRADED: 1, INVALID: 2 };

/**
 * @param {Reason[]} reasons
 * @returns {VerdictStatus} the gravest
 */
export function statusOf(reasons) {
  return reasons.reduce((/** @type {VerdictStatus} */ worst, { code }) => {
    const { status } = RULES[code];
    return RANK[status] > RANK[worst] ? status : worst;
  }, 'VALID');
}

/**
 * The verdict under which one operation of a cell may be shown: the cell's own reasons hold for all operations.
 * @param {CellRecord} record
 * @param {string} operation
 * @returns {VerdictStatus}
 */
export function verdictOf(record, operation) {
  if (record.status !== 'ok') return 'INVALID';
  const result = record.operations[operation];
  if (!result) return 'INVALID';
  return statusOf([...cellReasons(record), ...result.verdict.reasons]);
}

/**
 * @param {CellRecord} record
 * @returns {Reason[]} those that concern the whole cell
 */
export function cellReasons(record) {
  return record.verdict.reasons.filter((r) => r.operation === undefined);
}
