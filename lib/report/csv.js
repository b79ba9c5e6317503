import { CONTROLS } from '../controls.js';

/** A value of a field: missing is empty, never 0. @typedef {string | number | boolean | null | undefined} Value */

/**
 * RFC 4180: quoted where a value holds a comma, a quote or a line break.
 * @param {readonly string[]} heads
 * @param {Record<string, any>[]} rows by head; what has no head is not written
 * @returns {string}
 */
export function csvText(heads, rows) {
  const lines = rows.map((row) => heads.map((head) => field(row[head])).join(','));
  return [heads.join(','), ...lines, ''].join('\r\n');
}

/** @param {Value} value */
function field(value) {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const plain = value.replace(CONTROLS, (all) => (all.includes('\n') ? '\n' : ' ')).trim();
  // A spreadsheet takes what begins so for a formula, in wide signs too.
  const text = /^[=+@\uff1d\uff0b\uff20\uff0d-]/.test(plain) ? `'${plain}` : plain;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
