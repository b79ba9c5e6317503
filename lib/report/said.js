import { inOneLine } from './table.js';

/**
 * What systems, manifests and machines said of themselves stands in many sentences of a report. Before any is made of it,
 * each text becomes one line without control characters, in which no link or picture begins; notes, which are Markdown on
 * purpose, stay.
 * @template T
 * @param {T} value of a file of a run
 * @returns {T} the same with such texts in it
 */
export function plainlySaid(value) {
  return /** @type {T} */ (said(value));
}

/**
 * @param {unknown} value
 * @returns {unknown}
 */
function said(value) {
  if (typeof value === 'string') return inOneLine(value).replaceAll('](', '] (');
  if (Array.isArray(value)) return value.map(said);
  // Values of a figure, by repeat: numbers alone.
  if (typeof value !== 'object' || value === null || value instanceof Map) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, name === 'notes' ? part : said(part)]),
  );
}
