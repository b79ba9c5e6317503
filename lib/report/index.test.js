import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { schemaProblems } from '../config/validate.js';
import { ROOT } from '../paths.js';
import { ARCHIVE, isPacked, packRun } from '../record/archive.js';
import { layOut, smallRun } from '../record/testing.js';
import { besideOf } from './beside.js';
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
  const [{ loads, systems }] = runs;
  const all = loads.flatMap(({ metrics }) => Object.values(metrics));
  assert.ok(all.length > 0);
  for (const { figures, outcome, winners, factors, others } of all) {
    for (const id of Object.keys(figures)) assert.ok(systems.some((s) => s.id === id));
    for (const id of [...winners, ...others]) assert.ok(id in figures, id);
    assert.equal(winners.length > 0, ['winner', 'at least'].includes(outcome), outcome);
    assert.equal(winners.length > 0, factors.length > 0, outcome);
  }
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
    for (const { metrics } of run.loads)
      for (const { figures } of /** @type {any[]} */ (Object.values(metrics)))
        for (const f of /** @type {any[]} */ (Object.values(figures)))
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

/** @param {string} name @returns {{folder: string, archive: string, read: (file: string) => string}} a folder of one run that has ended */
function ended(name) {
  const folder = mkdtempSync(join(work, `${name}-`));
  const run = join(folder, NAMES[0]);
  smallRun(run);
  packRun(run);
  return {
    folder,
    archive: join(run, ARCHIVE),
    read: (file) => readFileSync(join(folder, file), 'utf8'),
  };
}

const UNREADABLE = [/^in the list of runs, 2026-11-01T10-00-00Z-suite has no figures: /];

/** @param {string[]} said @param {RegExp[]} patterns */
function demandSaid(said, patterns) {
  assert.equal(said.length, patterns.length, said.join('\n'));
  for (const [i, pattern] of patterns.entries()) assert.match(said[i], pattern);
}

test('a run whose archive is the same is not read again, one whose archive changed is, and any that is asked for', () => {
  const { folder, archive, read } = ended('kept');
  writeIndex(folder);
  const whole = read('index.json');
  const [{ archive: sum }] = JSON.parse(whole).runs;
  assert.equal(sum, createHash('sha256').update(readFileSync(archive)).digest('hex'));
  // What cannot be read, and is called the same: its entry stays, as nobody looks.
  writeFileSync(archive, 'garbage');
  const garbage = createHash('sha256').update('garbage').digest('hex');
  const forged = whole.replace(sum, garbage);
  writeFileSync(join(folder, 'index.json'), forged);
  const list = read('README.md');
  demandSaid(writeIndex(folder), []);
  assert.deepEqual([read('index.json'), read('README.md')], [forged, list]);
  demandSaid(
    writeIndex(folder, (run) => run === 'another'),
    [],
  );
  demandSaid(
    writeIndex(folder, (run) => run === NAMES[0]),
    UNREADABLE,
  );
  assert.deepEqual(JSON.parse(read('index.json')).runs, []);
  // It is called otherwise: it is read.
  writeFileSync(join(folder, 'index.json'), whole);
  demandSaid(writeIndex(folder), UNREADABLE);
});

test('an index that is damaged, of another form or of elsewhere is made anew, and nobody hears of it', () => {
  const { folder, read } = ended('damaged');
  writeIndex(folder);
  const whole = read('index.json');
  const { runs, ...rest } = JSON.parse(whole);
  const of = (/** @type {object} */ more) => JSON.stringify({ ...rest, runs, ...more });
  for (const text of [
    ...['', '{', 'null', '5', '[]', '{"runs": 5}', whole.slice(0, -20), of({ schemaVersion: 1 })],
    of({ runs: [{ ...runs[0], valid: undefined }] }),
    of({ runs: [{ ...runs[0], answer: { markdown: 'x' } }] }),
    of({ runs: [{ ...runs[0], more: 1 }] }),
    of({ runs: [...runs, { ...runs[0], run: 'gone' }] }),
  ]) {
    writeFileSync(join(folder, 'index.json'), text);
    assert.ok(Array.isArray(besideOf(join(folder, NAMES[0])).knownLosses), text.slice(0, 80));
    demandSaid(writeIndex(folder), []);
    assert.ok(read('index.json') === whole, text.slice(0, 80));
  }
});

test('a run whose files lie open has no mark, and is read each time', () => {
  const folder = mkdtempSync(join(work, 'open-'));
  const run = layOut('run-suite', join(folder, NAMES[0]));
  writeIndex(folder);
  const [indexed] = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')).runs;
  assert.equal(indexed.archive, null);
  writeFileSync(join(run, 'plan.json'), '{');
  demandSaid(writeIndex(folder), UNREADABLE);
});

test('the committed list and its data are what today’s code makes of the committed runs', () => {
  const committed = join(ROOT, 'reports');
  const folder = mkdtempSync(join(work, 'committed-'));
  const names = readdirSync(committed).filter((name) => isPacked(join(committed, name)));
  for (const name of names) {
    mkdirSync(join(folder, name));
    symlinkSync(join(committed, name, ARCHIVE), join(folder, name, ARCHIVE));
  }
  demandSaid(writeIndex(folder), []);
  const [made, there] = [folder, committed].map((at) =>
    ['README.md', 'index.json'].map((file) => readFileSync(join(at, file), 'utf8')),
  );
  assert.ok(names.length > 0);
  for (const [i, text] of made.entries())
    assert.ok(text === there[i], 'reports/ is of other code; type: node scripts/results.mjs');
});
