import { CONTROLS } from '../controls.js';

/**
 * RFC 4180: quoted where a value holds a comma, a quote or a line break; missing is empty, never 0.
 * @param {string[]} heads
 * @param {(string | number | boolean | null | undefined)[][]} rows
 * @returns {string}
 */
export function csvText(heads, rows) {
  return `${[heads, ...rows].map((cells) => cells.map(field).join(',')).join('\r\n')}\r\n`;
}

/** @param {string | number | boolean | null | undefined} value */
function field(value) {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const plain = value.replace(CONTROLS, (all) => (all.includes('\n') ? '\n' : ' ')).trim();
  // A spreadsheet takes what begins so for a formula, in wide signs too.
  const text = /^[=+@\uff1d\uff0b\uff20\uff0d-]/.test(plain) ? `'${plain}` : plain;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
