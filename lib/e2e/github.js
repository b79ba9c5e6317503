import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Marked } from 'marked';

/** @import { Page } from './browser.js' */

/** A README as GitHub shows it, and what a reader of it meets: its height, its screens, its tables. */

const STYLE = readFileSync(
  createRequire(import.meta.url).resolve('github-markdown-css/github-markdown.css'),
  'utf8',
);
/** Of GitHub: the column that a README's text has, and what stands around it, px. */
export const COLUMN = 948;
const PADDING = 32;

/**
 * @typedef {object} Seen
 * @property {number} firstPx from the top to the end of what stands before the first chart, or what is folded
 * @property {number} heightPx of all of it, as it is folded
 * @property {string[]} wide first line of each table that is wider than the column; of those that are not folded
 * @property {string[][][]} tables text of the cells, row by row, without heads
 */

/**
 * @param {Page} page of a browser
 * @param {string} folder with a README.md and its charts
 * @returns {Promise<Seen>}
 */
export async function seenOnGitHub({ open, ask }, folder) {
  const markdown = readFileSync(join(folder, 'README.md'), 'utf8');
  const work = mkdtempSync(join(tmpdir(), 'lb-github-'));
  const file = join(work, 'page.html');
  writeFileSync(
    file,
    `<!DOCTYPE html><meta charset="utf-8"><base href="${pathToFileURL(folder).href}/"><style>${STYLE}
body { margin: 0 } .markdown-body { box-sizing: content-box; width: ${COLUMN}px; margin: 0 auto; padding: ${PADDING}px }
</style><article class="markdown-body">${new Marked({ gfm: true }).parse(markdown)}</article>`,
  );
  try {
    await open(pathToFileURL(file).href);
    return await ask(`(() => {
      const article = document.querySelector('article');
      const parts = [...article.children];
      const next = parts.findIndex((e) => ['H2', 'DETAILS', 'IMG'].includes(e.tagName));
      const first = parts.slice(0, next < 0 ? parts.length : next);
      const firstPx = Math.ceil(Math.max(...first.map((e) => e.getBoundingClientRect().bottom)) + scrollY);
      const heightPx = Math.ceil(article.getBoundingClientRect().height);
      const text = (row) => [...row.cells].map((c) => c.textContent.trim());
      const tables = [...document.querySelectorAll('table')];
      return {
        firstPx,
        heightPx,
        wide: tables.filter((t) => !t.closest('details') && t.scrollWidth > t.clientWidth).map((t) => text(t.rows[0]).join(' | ')),
        tables: tables.map((t) => [...(t.tBodies[0]?.rows ?? [])].map(text)),
      };
    })()`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A figure with three digits that count: two rows have it by chance hardly ever. */
const TELLING = /\d[\d.\u202f]*\d/g;
const LEAST_DIGITS = 3;

/**
 * @param {string[][][]} tables as `Seen` has them
 * @returns {{rows: number, again: string[]}} rows with two figures and more, and those of which every one
 *   stands in one earlier row: a single one is there twice by chance
 */
export function restatedRows(tables) {
  const rows = tables.flat().flatMap((cells) => {
    const figures = (cells.slice(1).join(' ').match(TELLING) ?? []).filter(
      (f) => f.replace(/\D/g, '').replace(/^0+/, '').length >= LEAST_DIGITS,
    );
    return figures.length > 1 ? [{ text: cells.join(' | '), figures: new Set(figures) }] : [];
  });
  const again = rows.filter(({ figures }, i) =>
    rows.slice(0, i).some((earlier) => [...figures].every((f) => earlier.figures.has(f))),
  );
  return { rows: rows.length, again: again.map(({ text }) => text) };
}
