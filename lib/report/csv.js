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
  // A spreadsheet takes what begins so for a formula.
  const text = /^[=+@\t\r-]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
