import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readRun } from '../../../figures/run.js';
import { readEnvironment, readPlan } from '../../../record/run-folder.js';
import { layOut } from '../../../record/testing.js';
import { runOf } from '../../run.js';
import { plainText } from '../../table.js';
import { titleOfRun } from '../../title.js';
import { sectionsOf } from '../index.js';

/** @import { CellRecord, Plan, SoakResult } from '../../../types.d.ts' */

const work = mkdtempSync(join(tmpdir(), 'lb-soak-'));
after(() => rmSync(work, { recursive: true, force: true }));
const GOLDEN = layOut('run-events', join(work, 'run'));
const golden = readPlan(GOLDEN);
const steps = golden.profile.steps.filter((s) => s.soak).map((s) => ({ ...s, writes: true }));
/** Of a run that asks nothing else. @type {Plan} */
const plan = { ...golden, profile: { ...golden.profile, steps } };
const cells = readRun(GOLDEN).records.filter((r) => r.soak);

/** @param {Partial<SoakResult>} [more] @returns {CellRecord[]} */
const soaked = (more = {}) =>
  cells.map((cell) => ({ ...cell, soak: { .../** @type {SoakResult} */ (cell.soak), ...more } }));

/** @param {CellRecord[]} records */
const runWith = (records) => runOf({ plan, environment: readEnvironment(GOLDEN), records });

test('a run of a soak is about what happens over time: its title, its answer, its table and its charts', () => {
  const run = runWith(soaked());
  assert.match(titleOfRun(plan), /stable over time\?$/);
  assert.equal(run.matrices.length, 0, 'nobody is ahead in it');
  assert.match(
    run.answers[0],
    /^\*\*Alpha leaks memory\*\* over (?:\d+ s|\d+ min.*) of batch at 40\.0 op\/s\. /,
  );
  assert.match(
    run.answers[0],
    / Memory \+24\.8 MiB\/min, p99 \+80\.7 % over the whole time\. Data on disk: 1\.00 → 40\.0 MiB\.$/,
  );
  const [first, chapter] = sectionsOf(run);
  assert.equal(chapter.title, 'Over time');
  const over = chapter;
  const [table] = first.tables ?? [];
  const rows = table.rows.map((cellsOfRow) => cellsOfRow.map(plainText));
  assert.deepEqual(rows[0], ['verdict', 'leaking memory', 'leaking memory']);
  assert.deepEqual(rows.at(-1), [
    'data on disk, MiB (bytes for each item)',
    ...['1.00 → 40.0 (341)', '1.00 → 120 (1040)'],
  ]);
  assert.equal(over.charts?.length, 2);
  const others = over.tables[0].rows.map((cellsOfRow) => cellsOfRow.map(plainText));
  assert.match(others.at(-1)?.join() ?? '', /^other work on the machine, cores,\d/);
  const names = rows.map(([name]) => name);
  assert.ok(!others.some(([name]) => names.includes(name)), 'each figure stands once');
});

test('each verdict has its sentence', () => {
  const said = /** @type {const} */ ({
    steady: /^\*\*Alpha is stable\*\* over/,
    drifting: /^\*\*Alpha slows down\*\* over/,
    clinging: /^\*\*Alpha leaks handles\*\* over .*\. Open files .* → .*, threads .* → .*\.$/,
    unclear: /^\*\*Alpha is undecided: growth could not be seen\*\*/,
  });
  for (const [verdict, words] of Object.entries(said))
    assert.match(runWith(soaked({ verdict: /** @type {any} */ (verdict) })).answers[0], words);
});

test('what was not seen has no line', () => {
  const blind = soaked({ openFiles: null, threads: null, disk: null, points: [] });
  const run = runWith(blind);
  const [first, chapter] = sectionsOf(run);
  const over = chapter;
  const rows = /** @type {any} */ (first.tables)[0].rows.map((/** @type {any} */ [head]) => plainText(head));
  assert.ok(!rows.some((/** @type {string} */ r) => /files|threads|disk/.test(r)), rows.join());
  assert.equal(over.charts?.length, 0);
});
