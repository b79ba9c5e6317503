import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './paths.js';
import { runTool } from './process/tool.js';

/** Of Markdown, and of the HTML inside it. */
const LINK = /\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g;

/** @returns {Promise<string[]>} paths of the pages of the checkout */
async function pagesHere() {
  const { stdout } = await runTool(['git', '-C', ROOT, 'ls-files', '--', '*.md']);
  return stdout.split('\n').filter((f) => f !== '' && existsSync(join(ROOT, f)) && !f.includes('/testdata/'));
}

/** @param {string} page @returns {string} its text, without blocks of code */
const proseOf = (page) => readFileSync(join(ROOT, page), 'utf8').replace(/```[\s\S]*?```/g, '');

/** @param {string} page @returns {{to: string, anchor: string}[]} links that lead into the checkout */
function linksOf(page) {
  // What stands in code is no link.
  return [
    ...proseOf(page)
      .replace(/`[^`\n]*`/g, '')
      .matchAll(LINK),
  ]
    .map(([, markdown, html]) => markdown ?? html)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => ({ to: link.split('#')[0], anchor: link.split('#')[1] ?? '' }));
}

/** @param {string} page @returns {Set<string>} what a link may name in it: headings, as GitHub makes names of them, and ids */
function anchorsOf(page) {
  const text = proseOf(page);
  const names = [...text.matchAll(/^#+ +(.+?) *$/gm)].map(([, heading]) =>
    heading
      .replace(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...names, ...[...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id)]);
}

test('every page and picture of the checkout that a page links to is there, and so is the heading', async () => {
  const pages = await pagesHere();
  assert.ok(pages.length > 40, String(pages.length));
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter(({ to, anchor }) => {
        const file = to === '' ? page : join(dirname(page), decodeURIComponent(to));
        if (!existsSync(join(ROOT, file))) return true;
        return anchor !== '' && file.endsWith('.md') && !anchorsOf(file).has(anchor);
      })
      .map(({ to, anchor }) => `${page}: ${to}${anchor && `#${anchor}`}`),
  );
  assert.deepEqual(broken, []);
});

test('each word of the glossary is one that another page uses', async () => {
  const glossary = 'docs/glossary.md';
  const others = (await pagesHere()).filter((page) => page !== glossary && !page.startsWith('reports/'));
  const text = others.map(proseOf).join('\n').toLowerCase();
  const words = [...proseOf(glossary).matchAll(/^\| \*\*(.+?)\*\* \|/gm)].flatMap(([, cell]) =>
    cell.split(', ').map((word) => word.replace(/[^\p{L}\p{N} -]/gu, '').trim()),
  );
  assert.ok(words.length > 30, String(words.length));
  assert.deepEqual(
    // A plural is the same word.
    words.filter((word) => !text.includes(word.toLowerCase().replace(/s$/, ''))),
    [],
  );
});
