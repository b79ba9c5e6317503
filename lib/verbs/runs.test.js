import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { BenchError } from '../errors.js';
import { readOptions } from '../options.js';
import { seal } from '../record/seal.js';
import { layOut } from '../record/testing.js';
import { reportVerb } from './report.js';
import { claimRunFolder, findRun, reportsFolder } from './runs.js';

const NONE = readOptions([]).options;

/** @param {import('node:test').TestContext} t */
function workFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-runs-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Collects what is said. */
function listener() {
  /** @type {string[]} */
  const said = [];
  const output = /** @type {any} */ ({
    say: (/** @type {string} */ text) => said.push(text),
    result: () => {},
    paint: (/** @type {string} */ _, /** @type {string} */ text) => text,
  });
  return { said, output };
}

test('runs that begin in the same second get a folder each', (t) => {
  const reports = join(workFolder(t), 'below', 'reports');
  const names = [1, 2, 3].map(() => basename(claimRunFolder(reports, '2026-11-22T00-00-00Z-smoke')));
  assert.deepEqual(names, [
    '2026-11-22T00-00-00Z-smoke',
    '2026-11-22T00-00-00Z-smoke-2',
    '2026-11-22T00-00-00Z-smoke-3',
  ]);
});

test('a path names that run and no other of the same name', (t) => {
  const work = workFolder(t);
  const [here, there] = [join(work, 'reports', 'a-run'), join(work, 'elsewhere', 'a-run')];
  for (const folder of [here, there]) layOut('run-small', folder);
  const reports = join(work, 'reports');
  assert.equal(findRun('a-run', reports), here);
  assert.equal(findRun(there, reports), there);
  assert.equal(findRun('latest', reports), here);
  assert.throws(() => findRun(join(work, 'nowhere', 'a-run'), reports), /no run ".*": did you mean "a-run"/);
  for (const name of [undefined, ''])
    assert.throws(
      () => findRun(name, reports),
      (e) => e instanceof BenchError && /which run/.test(e.message),
    );
});

test('--reports must name a folder, or one line says so', (t) => {
  const file = join(workFolder(t), 'a-file');
  writeFileSync(file, '');
  for (const reports of [file, join(file, 'below'), join(file, 'far', 'below')])
    assert.throws(
      () => reportsFolder({ reports }),
      (/** @type {any} */ e) =>
        e.message === `--reports ${reports}: not a folder` && e.hint.startsWith(`${file} is none`),
    );
  assert.throws(() => reportsFolder({ reports: '' }), /--reports is empty/);
});

test('the report of a run elsewhere leaves its neighbours alone', async (t) => {
  const work = workFolder(t);
  layOut('run-small', join(work, 'a-run'));
  writeFileSync(join(work, 'README.md'), '# A project\n');
  const reports = join(work, 'reports');
  mkdirSync(reports);
  await reportVerb([join(work, 'a-run')], { ...NONE, reports }, listener().output);
  assert.equal(readFileSync(join(work, 'README.md'), 'utf8'), '# A project\n');
  assert.deepEqual(readdirSync(reports), []);
});

test('a README.md of someone else is never replaced by the list of runs; ours is', async (t) => {
  const reports = workFolder(t);
  seal(layOut('run-small', join(reports, 'a-run')));
  const index = join(reports, 'README.md');
  const { said, output } = listener();
  for (const foreign of ['# A project\n', '# Reports\n\nof ours\n', '']) {
    writeFileSync(index, foreign);
    await reportVerb(['a-run'], { ...NONE, reports }, output);
    assert.equal(readFileSync(index, 'utf8'), foreign);
    assert.match(String(said.pop()), /README\.md is not ours: the list of runs was not written/);
  }
  rmSync(index);
  for (const round of ['where there was none', 'over its own']) {
    await reportVerb(['a-run'], { ...NONE, reports }, output);
    assert.match(
      readFileSync(index, 'utf8'),
      /^<!-- Written by ladderbench.*\n\n# Reports\n.*\[a-run\]/s,
      round,
    );
    assert.equal(said.length, 0);
  }
});
