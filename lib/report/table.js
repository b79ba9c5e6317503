import { CONTROLS } from '../controls.js';
import { wholeNumber } from '../format.js';

/** Every table is written here: cells become the text of a format. */

/**
 * What a cell holds: text or a whole number, whose thousands are grouped as everywhere; in bold; as code; or a sentence that is Markdown already.
 * @typedef {string | number | {strong: string} | {code: string} | {markdown: string}} Piece
 */

/** @typedef {Piece | Piece[]} Cell */

/** `align`: words to the left, figures to the right. @typedef {{head: string, align: 'left' | 'right'}} Column */

/**
 * `caption`: a line of Markdown above it.
 * @typedef {{columns: Column[], rows: Cell[][], caption?: string}} Table
 */

/**
 * @param {string[]} heads
 * @param {Cell[][]} rows
 * @returns {Table} of words
 */
export function table(heads, rows) {
  return { columns: heads.map((head) => ({ head, align: 'left' })), rows };
}

/**
 * @param {Cell} cell
 * @returns {string} the words alone
 */
export function plainText(cell) {
  if (Array.isArray(cell)) return cell.map(plainText).join('');
  if (typeof cell === 'number') return Number.isInteger(cell) ? wholeNumber(cell) : String(cell);
  if (typeof cell !== 'object') return cell;
  return 'markdown' in cell ? cell.markdown.replaceAll('**', '') : Object.values(cell)[0];
}

/**
 * @param {Table} table
 * @returns {string[]} lines for a terminal, columns beside each other
 */
export function terminalTable({ columns, rows, caption }) {
  const lines = [columns.map(({ head }) => head), ...rows].map((cells) => cells.map(plainText));
  const widths = columns.map((_, i) => Math.max(...lines.map((cells) => cells[i].length)));
  const told = lines.map((cells) =>
    cells
      .map((text, i) => (columns[i].align === 'right' ? text.padStart(widths[i]) : text.padEnd(widths[i])))
      .join('  ')
      .trimEnd(),
  );
  return caption ? [plainText({ markdown: caption }), ...told] : told;
}

/**
 * @param {Table} table
 * @returns {string} a table of GitHub's Markdown
 */
export function markdownTable({ columns, rows }) {
  const lines = [columns.map(({ head }) => head), ...rows].map((cells) => lineOf(cells.map(inCell)));
  const rule = `|${columns.map(({ align }) => (align === 'right' ? '---:|' : '---|')).join('')}`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** @param {string[]} cells */
function lineOf(cells) {
  return `|${cells.map((text) => (text === '' ? ' |' : ` ${text} |`)).join('')}`;
}

/**
 * @param {Cell} cell
 * @returns {string} Markdown that stays within its cell and shows what was meant
 */
function inCell(cell) {
  if (Array.isArray(cell)) return cell.map(inCell).join('');
  if (typeof cell !== 'object') return escaped(plainText(cell));
  if ('strong' in cell) return `**${escaped(cell.strong)}**`;
  if ('code' in cell) return inOneLine(codeSpan(cell.code)).replaceAll('|', '\\|');
  return markdownLine(cell.markdown).replace(/(\\*)\|/g, (whole, { length }) =>
    length % 2 === 1 ? whole : `${whole.slice(0, -1)}\\|`,
  );
}

/**
 * @param {string} text plain
 * @returns {string} Markdown that shows it as it is: no HTML, no code, no link or picture, no end of the cell
 */
function escaped(text) {
  return inOneLine(text)
    .replace(/[\\`|]|\[(?=[^\]]*\]\()/g, '\\$&')
    .replace(/&(?=#?\w+;)/g, '&amp;')
    .replaceAll('<', '&lt;');
}

/**
 * @param {string} text plain
 * @param {string} path relative
 * @returns {string} Markdown: a link, whatever is in the name of a folder
 */
export function linkTo(text, path) {
  const parts = path.split('/').map(encodeURIComponent);
  const label = escaped(text).replace(/(?<!\\)[[\]]/g, '\\$&');
  return `[${label}](${parts.join('/').replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

/** Code in Markdown ends with as many backticks as it began with, and after a backslash none begins it; or what begins a tag. */
const CODE_OR_TAG = /(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)|</g;

/** @param {string} text */
function codeSpan(text) {
  const fence = text.includes('`') ? '``' : '`';
  return `${fence}${text}${fence}`;
}

/**
 * @param {string} text Markdown
 * @returns {string} the same in one line and without HTML; what stands in code stays as it is
 */
export function markdownLine(text) {
  return inOneLine(text).replace(CODE_OR_TAG, (found) => (found === '<' ? '&lt;' : found));
}

/**
 * @param {string} text
 * @returns {string} without line breaks and control characters, those of a terminal's colours and those that turn the
 *   direction of text among them
 */
export function inOneLine(text) {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
      .replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
      .replace(/\s*[\n\u2028\u2029]\s*/g, ' ')
      .replaceAll('\t', ' ')
      .replace(CONTROLS, '')
  );
}
