import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** What a reader meets: held on every page that is stored. */
const DATA = fileURLToPath(new URL('./testdata', import.meta.url));
const GOLDENS = readdirSync(DATA).map((name) => {
  const folder = join(DATA, name);
  const charts = join(folder, 'charts');
  return {
    name,
    page: readFileSync(join(folder, 'README.md'), 'utf8'),
    charts: existsSync(charts)
      ? readdirSync(charts).map((f) => ({ file: f, svg: readFileSync(join(charts, f), 'utf8') }))
      : [],
  };
});

for (const { name, page, charts } of GOLDENS) {
  test(`the first screen has at most eight rows, whatever is measured; the rest is folded into eight chapters: ${name}`, () => {
    const [first, ...folded] = page.split('\n<details>\n');
    const tables = [...first.matchAll(/(?:^\|.*\n)+/gm)].map(([rows]) => rows.trim().split('\n').length - 2);
    const isOfTime = /slowest leak|memory, MiB a minute/.test(first);
    assert.ok(isOfTime || tables.reduce((a, b) => a + b, 0) <= 8, `${tables} rows`);
    assert.doesNotMatch(first, /^## /m);
    for (const part of folded)
      assert.match(part, /^<summary><b>[^<]+<\/b><\/summary>\n\n[\s\S]+\n<\/details>\n/);
    const titles = folded.map((part) => /<b>([^<]+)<\/b>/.exec(part)?.[1]);
    assert.ok(titles.length <= 9, `${titles}`);
    assert.deepEqual(titles.slice(-2), ['Not shown, and why', 'Conditions']);
    for (const heading of ['### Conditions', '### Method', '### Files', '### What this run does not show'])
      assert.ok(page.includes(`\n${heading}\n`), heading);
  });

  test(`who, how much, trust, machine and the command stand before what is folded: ${name}`, () => {
    const first = page.split('\n<details>')[0];
    assert.match(first, /^# .+: .+\?$/m);
    assert.match(first, /\n\*\*[^*]+\*\*/);
    assert.match(first, /^\|.*\|$/m);
    assert.match(first, /^# .+\n\n\d{4}-\d\d-\d\d · \d+ cores /, 'when and where');
    assert.match(first, /\n\*\*Confidence: (high|medium|low)\.\*\* /);
    assert.ok(first.includes('\n**Reproduce:** `./run-all.sh '));
    assert.match(first, /\(report\.html\)/);
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
      assert.ok(page.includes(`charts/${file}`), file);
      assert.doesNotMatch(svg, /ceiling/);
      assert.match(svg, /(?:log|linear) scale|>ms</);
      if (file === 'first-screen.svg') assert.match(svg, / = 1×<.*right is better/s);
      if (/-(throughput|p99)\.svg$/.test(file)) assert.match(svg, />users[;<]/);
    }
    for (const [, words] of page.matchAll(/<img src="charts\/[^"]+" alt="([^"]+)">/g))
      assert.match(words, /: .* [≥\d]/, 'it tells its values');
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
    .filter((file) => /README\.md$/.test(file))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') })),
);

for (const { file, text } of texts)
  test(`nothing stops a reader: ${file}`, () => {
    for (const words of STOPPERS) assert.doesNotMatch(text, words);
    if (file.endsWith('README.md')) assert.doesNotMatch(text, /The ladder: /);
  });
