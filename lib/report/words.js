import { MISSING, significant } from '../format.js';
import { degradedCodes } from './rows.js';

/**
 * @import { CellRecord, Comparison, Plan } from '../types.d.ts'
 * @import { Row } from './rows.js'
 */

/** How systems and rows are put into words, in every table alike. */

/** What a table says of a ratio that names no winner, by the comparison's verdict. */
export const NO_DIFFERENCE = Object.freeze({
  equivalent: 'no measurable difference (within ±5 %)',
  inconclusive: 'no measurable difference (inconclusive)',
});

/**
 * @param {Plan} plan
 * @param {string} id
 * @returns {string} the system's title
 */
export function titleOf(plan, id) {
  return plan.systems.find((s) => s.id === id)?.title ?? id;
}

/**
 * @param {Plan} plan
 * @param {string} a
 * @param {string} b
 * @returns {string} what is divided by what
 */
export function pairText(plan, a, b) {
  return `${titleOf(plan, a)} / ${titleOf(plan, b)}`;
}

/**
 * @param {Plan} plan
 * @param {Comparison} comparison
 * @returns {string} who is ahead, or why nobody is
 */
export function findingText(plan, { a, b, verdict, why }) {
  const words = {
    faster: `${titleOf(plan, a)} ahead`,
    slower: `${titleOf(plan, b)} ahead`,
    ...NO_DIFFERENCE,
    insufficient: `insufficient repeats (${why})`,
    refused: `not compared: ${why}`,
  };
  return words[verdict];
}

/**
 * @param {Row} row
 * @returns {string} a figure that may be quoted, a lower bound, or why there is none
 */
export function rateText(row) {
  if (!row.ratePerSec) return `n/a: ${row.failure}`;
  const bound = row.codes.includes('generator_bound') ? '≥ ' : '';
  return `${bound}${significant(row.ratePerSec.estimate)}`;
}

/**
 * @param {Row} row
 * @returns {string} `VALID`, `VALID 4/5`, `generator-bound`, `INVALID: …`
 */
export function verdictText(row) {
  const n = row.cells.length;
  const share = row.usable < n && row.usable > 0 ? ` (${row.usable} of ${n} repeats)` : '';
  if (row.status === 'VALID') return `valid${share}`;
  if (row.status === 'DEGRADED') {
    return `${degradedCodes(row)
      .map((c) => c.replaceAll('_', '-'))
      .join(', ')}${share}`;
  }
  return `${row.status.toLowerCase()}: ${row.failure}`;
}

/** @param {Row} row */
export function errorsText({ ratePerSec, errors }) {
  return ratePerSec ? String(errors) : MISSING;
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} cells of one system over one transport
 * @returns {string} where an acknowledged write was: of what ran, else as the plan says; '' when neither says
 */
export function policyOf(plan, cells) {
  const measured = cells.find((c) => c.parity?.durability)?.parity.durability;
  return String(measured ?? plan.systems.find((s) => s.id === cells[0].system)?.durability.policy ?? '');
}

/**
 * @param {import('../types.d.ts').WorkloadFacts} facts
 * @returns {string} what an operation carries several of
 */
export function itemOf({ shown }) {
  return shown?.item ?? 'operation';
}
