import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fitted, heightOf, SCREEN, SCREENS } from './pages.js';
import { left, table } from './table.js';

/** What a reader meets: held on every page that is stored. */
const DATA = fileURLToPath(new URL('./testdata', import.meta.url));
const GOLDENS = readdirSync(DATA).map((name) => {
  const folder = join(DATA, name);
  const charts = join(folder, 'charts');
  return {
    name,
    page: readFileSync(join(folder, 'README.md'), 'utf8'),
    details: readFileSync(join(folder, 'details.md'), 'utf8'),
    charts: existsSync(charts)
      ? readdirSync(charts).map((f) => ({ file: f, svg: readFileSync(join(charts, f), 'utf8') }))
      : [],
  };
});

/** Column of GitHub and height of its lines, px, as its style sheet has them. */
const COLUMN = 948;
const CHARACTER = 7.6;

/**
 * @param {string} markdown
 * @returns {number} px, by a measure of its own: line by line, tables by the width of what stands in them
 */
function renderedHeight(markdown) {
  const lines = markdown.split('\n');
  let height = 64;
  /** @type {string[][]} */
  let rows = [];
  const closeTable = () => {
    if (rows.length === 0) return;
    const widths = rows[0].map((_, i) => Math.max(...rows.map((r) => r[i].length * CHARACTER + 27)));
    const squeeze = Math.min(1, COLUMN / widths.reduce((a, b) => a + b, 0));
    for (const row of rows)
      height +=
        13 +
        24 *
          Math.max(
            1,
            ...row.map((c, i) =>
              Math.ceil((c.length * CHARACTER) / Math.max(30, widths[i] * squeeze - 27) - 0.001),
            ),
          );
    height += 16;
    rows = [];
  };
  let halves = 0;
  for (const line of lines) {
    if (line.startsWith('|')) {
      if (!/^\|[-:|]+$/.test(line))
        rows.push(
          line
            .slice(1, -1)
            .split('|')
            .map((c) => c.replaceAll('*', '').trim()),
        );
      continue;
    }
    closeTable();
    if (line.startsWith('#')) height += 70;
    else if (line.startsWith('<img')) {
      if (line.includes('width=')) height += halves++ % 2 === 0 ? 310 : 0;
      else height += 360;
    } else if (line !== '')
      height += 16 + 24 * Math.ceil((line.replace(/\]\([^)]*\)/g, '').length * CHARACTER) / COLUMN);
  }
  closeTable();
  return height;
}

for (const { name, page, details, charts } of GOLDENS) {
  test(`the page is read in six screens, the rest is beside it: ${name}`, () => {
    const screens = renderedHeight(page) / SCREEN;
    assert.ok(screens <= SCREENS + 0.2, `${screens.toFixed(1)} screens`);
    for (const heading of ['## Conditions', '## Method', '## Files', '## What this run does not show'])
      assert.ok(details.includes(`\n${heading}\n`), heading);
  });

  test(`who, how much, trust, machine and the command stand before the second heading: ${name}`, () => {
    const first = page.split('\n## ')[0];
    assert.match(first, /^# .+: .+\?$/m);
    assert.match(first, /\n\*\*[^*]+\*\*/);
    assert.match(first, /^\|.*\|$/m);
    for (const line of ['**Trust** ', '**Machine** ', '**Again** `./run-all.sh '])
      assert.ok(first.includes(`\n${line}`), line);
    assert.match(first, /\(details\.md\)/);
  });

  test(`a figure is told once: ${name}`, () => {
    const rows = page.split('\n').filter((l) => l.startsWith('| ') && /\d/.test(l));
    const figures = rows.map(
      (r) =>
        new Set(
          (
            r
              .split('|')
              .slice(2)
              .join('|')
              .match(/\d[\d\u202f.]*/gu) ?? []
          ).filter((n) => n.replace(/\D/g, '').length >= 3),
        ),
    );
    const restated = rows.filter(
      (_, i) =>
        figures[i].size > 1 &&
        figures.some((other, j) => j < i && [...figures[i]].every((n) => other.has(n))),
    );
    assert.ok(restated.length <= rows.length / 10, restated.join('\n'));
  });

  test(`at most twelve charts, none twice, each named, on axes that say what they are: ${name}`, () => {
    assert.ok(charts.length <= 12);
    assert.equal(new Set(charts.map((c) => c.svg)).size, charts.length);
    for (const { file, svg } of charts) {
      assert.ok((page + details).includes(`charts/${file}`), file);
      assert.doesNotMatch(svg, /ceiling/);
      if (file === 'first-screen.svg') assert.match(svg, /, log; right is better/);
      if (file.endsWith('-p99.svg')) assert.match(svg, />ms, log</);
      if (/-(throughput|p99)\.svg$/.test(file)) assert.match(svg, /users \(steps, not to scale\)/);
    }
  });
}

/** Words that stopped readers once. */
const STOPPERS = [
  /no rung|no ranking/,
  /of the bound/,
  /generator-bound|storage_stand_in|generator_bound/,
  /insufficient repeats/,
  /no measurable difference/,
  /Little's law holds for all of them|slices that shrink|equal keys/,
  /whole interval lies (above|below) 0/,
  /apart at most|, tie at most|open: open/,
  /\b1 (comparisons|cells|repeats|starts|questions|connections)\b/,
  /9223372036854771712/,
  /undefined|NaN|\[object/,
];
const PUBLISHED = fileURLToPath(new URL('../../reports', import.meta.url));
const texts = [DATA, PUBLISHED].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(README|details)\.md$/.test(file))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') })),
);

for (const { file, text } of texts)
  test(`nothing stops a reader: ${file}`, () => {
    for (const words of STOPPERS) assert.doesNotMatch(text, words);
    if (file.endsWith('README.md')) assert.doesNotMatch(text, /The ladder: /);
  });

test('what does not fit moves into the details, part by part, under its heading', () => {
  const rows = Array.from({ length: 60 }, (_, i) => i);
  const part = (/** @type {string} */ title) => ({ title, tables: [table(rows, [left('n', (n) => n)])] });
  const long = { title: 'Long', parts: [part('one'), part('two'), part('three')] };
  const { page, details } = fitted([{ intro: ['answer'] }, long], [{ title: 'Method' }]);
  assert.deepEqual(
    page.map((s) => [s.title, s.parts?.map((p) => p?.title)]),
    [
      [undefined, []],
      ['Long', ['one', 'two']],
    ],
  );
  assert.deepEqual(
    details.map((s) => [s.title, s.parts?.map((p) => p?.title)]),
    [
      ['Long', ['three']],
      ['Method', undefined],
    ],
  );
  assert.ok(page.reduce((sum, s) => sum + heightOf(s), 0) <= SCREENS * SCREEN);
});
