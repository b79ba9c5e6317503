import { cellsOf, plainText } from './table.js';

/**
 * @import { Table } from './table.js'
 * @import { Section } from './view.js'
 */

/**
 * @param {Table} table
 * @returns {Record<string, string>[]} each row by the heads of its columns
 */
export function recordsOf(table) {
  const heads = table.columns.map((c) => c.head);
  return cellsOf(table).map((cells) =>
    Object.fromEntries(cells.map((cell, i) => [heads[i], plainText(cell)])),
  );
}

/**
 * @param {Section | Section[] | null} section
 * @param {RegExp} title
 * @returns {Section | undefined} the first of that title, however deep
 */
export function partOf(section, title) {
  const all = [section].flat().flatMap((s) => (s ? [s] : []));
  for (const one of all) {
    const found = title.test(one.title ?? '') ? one : partOf(/** @type {any} */ (one.parts ?? []), title);
    if (found) return found;
  }
  return undefined;
}

/**
 * @param {Section | Section[] | null} section
 * @param {RegExp} title
 * @param {number} [index] of its tables, those of its untitled parts after its own
 * @returns {Record<string, string>[]}
 */
export function rowsUnder(section, title, index = 0) {
  const part = partOf(section, title);
  const tables = [part, ...(part?.parts ?? [])].flatMap((p) => p?.tables ?? []);
  if (!tables[index]) throw new Error(`no table ${index} under ${title}`);
  return recordsOf(tables[index]);
}
