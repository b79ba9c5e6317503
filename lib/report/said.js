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
  return /** @type {T} */ (said(value, (text) => shortened(inOneLine(text)).replaceAll('](', '] (')));
}

/**
 * @param {unknown} value
 * @param {(text: string) => string} say what becomes of a text
 * @returns {unknown}
 */
function said(value, say) {
  if (typeof value === 'string') return say(value);
  if (Array.isArray(value)) return value.map((part) => said(part, say));
  // Values of a figure, by repeat: numbers alone.
  if (typeof value !== 'object' || value === null || value instanceof Map) return value;
  const sayIn = (/** @type {string} */ name, /** @type {unknown} */ part) =>
    name === 'notes' && Array.isArray(part) ? plainNote : say;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, said(part, sayIn(name, part))]),
  );
}

/** No honest title or reason is longer, and of one of megabytes a page would take minutes. */
const MOST_SIGNS = 4000;

/** @param {string} text */
function shortened(text) {
  return text.length > MOST_SIGNS ? `${text.slice(0, MOST_SIGNS)}…` : text;
}

/** A link within notes leads to a page or a file, and starts nothing. */
const NO_PAGE = /\]\((?!https?:\/\/|[\w./#-]+\))/g;
/** A picture within notes would be loaded from elsewhere. */
const PICTURE = /!(?=\[)/g;

/**
 * @param {string} note Markdown
 * @returns {string} the same without pictures, and without links that lead to no page
 */
export function plainNote(note) {
  return shortened(note).replace(NO_PAGE, '] (').replace(PICTURE, '! ');
}
