import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { schemaProblems } from '../config/validate.js';
import { layOut } from '../record/testing.js';
import { writeIndex } from './index.js';
import { siteHtml } from './site/site.js';

const work = mkdtempSync(join(tmpdir(), 'lb-index-'));
after(() => rmSync(work, { recursive: true, force: true }));

const NAMES = ['2026-11-01T10-00-00Z-suite', '2026-11-02T10-00-00Z-suite'];
for (const name of NAMES) layOut('run-suite', join(work, name));
const page = () => readFileSync(join(work, 'index.html'), 'utf8');

const index = () => JSON.parse(readFileSync(join(work, 'index.json'), 'utf8'));

test('the list, the data and the page have every run, newest first, and the page loads nothing', () => {
  assert.deepEqual(writeIndex(work), []);
  const list = readFileSync(join(work, 'README.md'), 'utf8');
  for (const name of NAMES) assert.ok(list.includes(`(${name}/README.md)`), name);
  assert.deepEqual(schemaProblems('index', index()), []);
  const runs = /** @type {import('../types.d.ts').IndexedRun[]} */ (index().runs);
  assert.deepEqual(
    runs.map((r) => r.run),
    [...NAMES].reverse(),
  );
  const [{ loads, comparisons, systems }] = runs;
  assert.ok(loads.length > 0 && comparisons.length > 0);
  for (const load of loads) assert.ok(systems.some((s) => s.id === load.system));
  for (const { winner, outcome, a, b } of comparisons)
    assert.equal(winner !== null, ['winner', 'at least'].includes(outcome), `${a} ${b}`);
  const html = page();
  assert.match(html, /default-src 'none'/);
  assert.doesNotMatch(html, /<(?:img|link|iframe)\b|\ssrc=/);
});

test('a page of a hundred runs has at most 200 kB', () => {
  writeIndex(work);
  const { runs, ...rest } = index();
  const hundred = Array.from({ length: 100 }, (_, i) => {
    const run = structuredClone(runs[i % runs.length]);
    // As in life, no two runs have the same figures.
    for (const { figures } of run.loads)
      for (const f of figures)
        for (const key of ['median', 'low', 'high'])
          f[key] = Number((f[key] * (1 + Math.random())).toPrecision(3));
    return { ...run, run: `${run.run}-${i}` };
  });
  assert.ok(siteHtml({ ...rest, runs: hundred }).length <= 200_000);
});

test('who is ahead is told before what a system alone does, however new that is', () => {
  const mixed = mkdtempSync(join(work, 'mixed-'));
  layOut('run-mix', join(mixed, '2026-11-03T10-00-00Z-mix'));
  layOut('run-documents', join(mixed, '2026-11-02T10-00-00Z-documents'));
  writeIndex(mixed);
  const [first, second] = [...readFileSync(join(mixed, 'README.md'), 'utf8').matchAll(/^## (.+)$/gm)];
  assert.match(first[1], /: which one wins\?$/);
  assert.match(second[1], /: how fast, for how many users\?$/);
});

test('an older answer stands beside the newest where it tells of a system that this does not have', () => {
  const folder = mkdtempSync(join(work, 'systems-'));
  const [old, newest] = NAMES.map((name) => join(folder, name));
  for (const run of [old, newest]) layOut('run-suite', run);
  const reportsTold = () => {
    writeIndex(folder);
    return [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^\[The report\].*$/gm)].map(
      ([line]) => line,
    );
  };
  assert.equal(reportsTold().length, 1);
  const plan = JSON.parse(readFileSync(join(old, 'plan.json'), 'utf8'));
  plan.systems.push({ ...plan.systems[0], id: 'gamma', title: 'Gamma' });
  writeFileSync(join(old, 'plan.json'), JSON.stringify(plan));
  const told = reportsTold();
  assert.equal(told.length, 2);
  assert.match(told[1], /of 2026-11-01: .*Gamma/);
});

test('names of folders are text in the list and in the page, and lead to their runs', () => {
  const folder = mkdtempSync(join(work, 'names-'));
  const names = [
    '2026 sp ace',
    '2026<img src=x onerror=alert(1)>',
    '2026](javascript:alert(1))\u001b[31m\u202e',
  ];
  for (const name of names) layOut('run-suite', join(folder, name));
  writeIndex(folder);
  const list = readFileSync(join(folder, 'README.md'), 'utf8');
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  for (const raw of ['<img src=x', '\u001b', '\u202e']) assert.ok(!(list + html).includes(raw), raw);
  assert.doesNotMatch(html, /href="javascript/);
  const links = [...list.matchAll(/^\| \[.*\]\(([^)]+)\/README\.md\)/gm)].map(([, to]) =>
    decodeURIComponent(to),
  );
  assert.deepEqual(links.sort(), [...names].sort());
});

test('a page of somebody else stays as it is, and is named; ours is written again', () => {
  writeFileSync(join(work, 'index.html'), '<h1>Mine</h1>');
  assert.deepEqual(writeIndex(work), [
    `${join(work, 'index.html')} is not ours: the list of runs was not written`,
  ]);
  assert.equal(page(), '<h1>Mine</h1>');
  assert.ok(existsSync(join(work, 'README.md')));
  rmSync(join(work, 'index.html'));
  writeIndex(work);
  const first = page();
  assert.deepEqual(writeIndex(work), []);
  assert.equal(page(), first);
});
