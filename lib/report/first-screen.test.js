/** What a reader has after thirty seconds: held on every golden report and on every committed run, as it is rendered today. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isRun, withRun } from '../record/archive.js';
import { layOut, STORED } from '../record/testing.js';
import { readJson } from '../store.js';
import { besideOf } from './beside.js';
import { faultsIn } from './plain-testing.js';
import { renderedOf } from './render.js';
import { isOurs } from './systems.js';

const work = mkdtempSync(join(tmpdir(), 'lb-thirty-'));
after(() => rmSync(work, { recursive: true, force: true }));
const PUBLISHED = fileURLToPath(new URL('../../reports', import.meta.url));
/** @type {Record<string, {question: string, answer: string[]}>} what each committed run must answer */
const ASKED = readJson(
  fileURLToPath(new URL('./sections/first-screen/testdata/published.json', import.meta.url)),
);

const goldens = readdirSync(STORED).filter((name) => name.startsWith('run-'));
const pages = [
  ...goldens.map((name) => ({
    name,
    asked: /** @type {typeof ASKED[string]} */ (readJson(join(STORED, name, 'answer.json'))),
    of: () => renderedOf(layOut(name, join(work, name)), { ended: false }),
  })),
  ...readdirSync(PUBLISHED)
    .filter((name) => isRun(join(PUBLISHED, name)))
    .map((name) => ({
      name,
      asked: ASKED[name] ?? null,
      of: () => {
        const folder = join(PUBLISHED, name);
        return withRun(folder, (data) => renderedOf(data, { ended: false, ...besideOf(folder) }));
      },
    })),
];

/** Private words and codes: none of them stands before what is folded. */
const PRIVATE = [
  /\b(?:ahead|knee|null responder|observer)\b/i,
  /fsync-interval|fsync-per-commit|page-cache|\bc\d+(?:-p\d+)?\b|\bconnections?\b/,
];

/** What a manifest of that day said of a build, as it stands in the files of a run. */
const SAID_THEN = /about 10 minutes on 8 cores, 20 on two/;

/** @param {string} page @returns {string} what stands before the folded chapters */
const firstOf = (page) => page.split('\n<details>')[0];
/** @param {string} text Markdown @returns {string} */
const plain = (text) => text.replaceAll('**', '').replaceAll('`', '');

for (const { name, asked, of } of pages)
  test(`its first screen answers what is asked of it, in words that need no second reading: ${name}`, () => {
    const { page, run } = of();
    const first = firstOf(page);
    for (const part of asked?.answer ?? [])
      assert.ok(plain(first).includes(part), `"${asked?.question}" is not answered by "${part}":\n${first}`);
    const prose = first.replace(/^<img.*$/gm, '').replace(/`[^`]*`/g, '');
    for (const words of PRIVATE) assert.doesNotMatch(prose, words);
    assert.deepEqual(
      faultsIn(page).filter((fault) => !SAID_THEN.test(fault)),
      [],
    );
    // Of products one wins, whatever a server of ours does.
    const systems = run.plan.systems.filter((s) => s.role === 'system');
    const ours = systems.filter((s) => isOurs(run.plan, s.id));
    if (ours.length < systems.length && run.plan.workloads.length === 1)
      for (const { title } of ours) assert.ok(!page.includes(`✅ **${title}**`), `${title} wins`);
    // A long ladder is the picture of a run, and no picture stands twice.
    const pictures = [...page.matchAll(/<img src="([^"]+)"/g)].map(([, file]) => file);
    assert.equal(new Set(pictures).size, pictures.length);
    if (['ladder', 'realtime'].includes(run.plan.profileId) && run.plan.profile.steps.length >= 4)
      assert.match(first, /-throughput\.svg".*\n<img src="[^"]+-p99\.svg"/);
    assert.ok(!(page.includes('otherwise idle') && page.includes('the machine was busy')), 'idle and busy');
  });

test('each golden has a question and its answer, and so has each kind of committed run', () => {
  for (const { asked, name } of pages.filter(({ name }) => name.startsWith('run-')))
    assert.ok(asked?.question.endsWith('?') && asked.answer.length >= 2, name);
  assert.deepEqual(
    Object.keys(ASKED).filter((name) => !isRun(join(PUBLISHED, name))),
    [],
  );
  assert.ok(Object.keys(ASKED).length >= 5);
});

/** Text in code outside of templates: lines with a string of two words or more. It falls, and never grows. */
const MOST_TEXT = 121;

test('sentences stand in templates: little text is left in code', () => {
  const root = fileURLToPath(new URL('.', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.js') && !/\.test\.js$|testing|testdata|site\/client/.test(file),
  );
  const lines = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .split('\n')
      .filter((line) => !/^\s*(?:\/\/|import|throw new)/.test(line))
      .filter((line) =>
        [...line.matchAll(/'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"((?:[^"\\]|\\.)*)"/g)].some((m) =>
          /[A-Za-z]{2,}[,;:]?\s+[A-Za-z]{2,}/.test(
            String(m[1] ?? m[2] ?? m[3]).replace(/\$\{[^}]*\}|<[^>]*>/g, ' '),
          ),
        ),
      ),
  );
  assert.ok(lines.length <= MOST_TEXT, `${lines.length} lines`);
});
