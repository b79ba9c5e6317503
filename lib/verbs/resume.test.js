import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeConditions } from '../environment/environment.js';
import { BenchError } from '../errors.js';
import { measureLifecycle } from '../lifecycle/stage.js';
import { readOptions } from '../options.js';
import { otherConditions } from '../plan/resume.js';
import { packRun } from '../record/archive.js';
import { storeRecord } from '../record/records.js';
import { lifecycleId, readPlan, recordFiles } from '../record/run-folder.js';
import { runnerFile } from '../record/runner-result.js';
import { isSealed, seal, unseal } from '../record/seal.js';
import { SYSTEM, smallRun } from '../record/testing.js';
import { verifyRun } from '../record/verify.js';
import { readJson, writeJson } from '../store.js';
import { measureVerb } from './measure.js';
import { demandResumable, reopenRun } from './resume.js';

const NONE = readOptions([]).options;

const HERE = await describeConditions();

/**
 * @param {import('node:test').TestContext} t
 * @returns {{run: string, cells: string[]}} measured here and now
 */
function aRun(t) {
  const run = join(mkdtempSync(join(tmpdir(), 'lb-resume-')), 'a-run');
  t.after(() => rmSync(join(run, '..'), { recursive: true, force: true }));
  const { cells } = smallRun(run);
  setConditions(run, HERE);
  return { run, cells };
}

/**
 * @param {string} run
 * @param {typeof HERE} conditions
 */
function setConditions(run, { git, host }) {
  const path = join(run, 'environment.json');
  const environment = readJson(path);
  writeJson(path, { ...environment, git, host: { ...environment.host, ...host } });
  seal(run);
}

const NO = { force: false };

test('a run that follows from its files, measured here, may go on: packed, sealed or killed', async (t) => {
  const { run, cells } = aRun(t);
  assert.equal((await demandResumable(run, NO)).complete, true);
  packRun(run);
  const begun = await demandResumable(run, NO);
  assert.equal(begun.complete, true);
  assert.deepEqual(
    begun.records.map((r) => r.cell),
    cells,
  );
  reopenRun(run, begun);
  assert.ok(existsSync(join(run, 'plan.json')) && !isSealed(run), 'it changes from here on');
  rmSync(join(run, recordFiles(cells[1]).result));
  rmSync(join(run, recordFiles(cells[1]).meta));
  const killed = await demandResumable(run, NO);
  assert.deepEqual([killed.complete, killed.records.length], [false, 1]);
});

test('a run that was killed between two files goes on, and has both of them then', async (t) => {
  const { run, cells } = aRun(t);
  unseal(run);
  const started = join(run, recordFiles(lifecycleId(SYSTEM)).result);
  const kept = readFileSync(started, 'utf8');
  rmSync(started);
  const [first, second] = cells.map((id) => join(run, recordFiles(id).result));
  rmSync(second);
  writeJson(first, { ...readJson(first), status: 'failed' });
  rmSync(join(run, recordFiles(cells[0]).meta));
  const begun = await demandResumable(run, NO);
  assert.equal(begun.complete, false);
  // The second cell is measured again, and what follows from the raw files of the start-up is there before any load.
  const stage = {
    ...{ plan: begun.plan, runFolder: run, signal: new AbortController().signal },
    heldOf: () => assert.fail('nothing is measured again'),
    progress: { say: () => {}, draw: () => {} },
  };
  await measureLifecycle(stage, async () => {});
  assert.equal(readFileSync(started, 'utf8'), kept);
});

/**
 * @param {any} exported of a stored run, whose windows have no seconds and no day
 * @param {{startedAt: string}} meta
 * @returns {object} the same, as a runner exports it: within its cell, with its seconds
 */
function ofOneCell(exported, { startedAt }) {
  const startMs = Date.parse(startedAt) + 1000;
  const windows = exported.windows.map((/** @type {any} */ w) => ({
    ...w,
    ...{ startMs, endMs: startMs + w.endMs - w.startMs, sdMs: 0, late: 0, early: 0 },
    series: [
      { t: 0, count: w.count, errors: 0, p50Ms: w.meanMs, p95Ms: w.meanMs, p99Ms: w.meanMs, maxMs: w.maxMs },
    ],
  }));
  return { ...exported, windows };
}

test('a load of which a runner is missing is measured again, even when its files are half gone', async (t) => {
  const { run, cells } = aRun(t);
  const files = recordFiles(cells[1]);
  const histograms = JSON.stringify(
    ofOneCell(readJson(join(run, files.histograms)), readJson(join(run, files.meta))),
  );
  const { metrics, ...ofRun } = readJson(join(run, files.summary));
  const typed = Object.entries(metrics).map(([name, metric]) => [name, { type: 'counter', ...metric }]);
  const summary = JSON.stringify({ ...ofRun, metrics: Object.fromEntries(typed) });
  const sha256 = createHash('sha256').update(`${summary}\n${histograms}`).digest('hex');
  const result = JSON.stringify({ schemaVersion: 1, summary, histograms, sha256 });
  const generators = { on: 'local', count: 2, coresEach: 2, problems: [], restarted: [] };
  const measureAs = (/** @type {object} */ over) => {
    const meta = readJson(join(run, files.meta));
    writeJson(join(run, files.meta), { ...meta, generators: { ...generators, ...over } });
    for (const runner of [1, 2]) writeFileSync(join(run, runnerFile(cells[1], runner)), result);
    storeRecord(run, cells[1], readPlan(run));
    seal(run);
  };
  measureAs({});
  assert.deepEqual(verifyRun(run), []);
  assert.equal((await demandResumable(run, NO)).complete, true, 'both are there');
  measureAs({ restarted: [1] });
  assert.equal((await demandResumable(run, NO)).complete, false, 'one began twice');
  measureAs({ problems: [{ runner: 2, problem: 'k6 was ended by SIGKILL' }] });
  const begun = await demandResumable(run, NO);
  assert.equal(begun.complete, false);
  assert.deepEqual(begun.records[1].generators?.missing, [{ runner: 2, problem: 'k6 was ended by SIGKILL' }]);
  reopenRun(run, begun);
  // As the next try leaves it when it is killed, too.
  rmSync(join(run, runnerFile(cells[1], 1)));
  rmSync(join(run, files.meta));
  assert.equal((await demandResumable(run, NO)).complete, false);
  await assert.rejects(
    () => measureVerb(undefined, { ...NONE, resume: run, generators: 3 }, /** @type {any} */ ({})),
    /the run began with one generator, and it would go on with 3 generators/,
  );
});

test('a run with a changed figure, a lost file or another method goes on under no circumstances', async (t) => {
  const { run, cells } = aRun(t);
  const result = join(run, recordFiles(cells[0]).result);
  const kept = readFileSync(result, 'utf8');
  const forged = readJson(result);
  forged.operations.get.ratePerSec *= 10;
  writeJson(result, forged);
  const refused = (/** @type {RegExp} */ message) =>
    assert.rejects(
      () => demandResumable(run, { force: true }),
      (e) => e instanceof BenchError && e.exitCode === 4 && message.test(e.message),
    );
  await refused(/a file of a-run changed after the run: results\/.*: changed/);
  unseal(run);
  await refused(/the run a-run cannot go on: results\/.*: does not follow from raw/);
  writeJson(result, JSON.parse(kept));
  rmSync(join(run, recordFiles(cells[0]).histograms));
  await refused(/cannot go on: results\/.*: does not follow from raw/);
  const plan = readJson(join(run, 'plan.json'));
  writeJson(join(run, 'plan.json'), { ...plan, methodVersion: 99 });
  await refused(/cannot go on: plan\.json: measured by method 99/);
  const empty = { ...plan, methodVersion: 2, trials: [] };
  writeJson(join(run, 'plan.json'), empty);
  for (const folder of ['raw', 'results']) rmSync(join(run, folder), { recursive: true });
  await refused(/was measured by method 2, and the rest would be by method 3/);
});

test('a run of another machine or commit goes on only when told, and says so', async (t) => {
  const { run } = aRun(t);
  setConditions(run, {
    git: { sha: 'f'.repeat(40), dirty: false },
    host: { ...HERE.host, cpuModel: 'Another' },
  });
  await assert.rejects(
    () => demandResumable(run, NO),
    (e) =>
      e instanceof BenchError &&
      e.exitCode === 2 &&
      /the run a-run began elsewhere: commit: ffffffffffff then, .* now/.test(e.message) &&
      e.detail.some((line) => /^processor: Another then, .* now/.test(line)) &&
      /--force/.test(String(e.hint)),
  );
  reopenRun(run, await demandResumable(run, { force: true }));
  const { git, resumed } = readJson(join(run, 'environment.json'));
  assert.equal(git.sha, 'f'.repeat(40), 'where it began stays');
  assert.deepEqual(
    resumed.map((/** @type {any} */ r) => [r.git, r.host]),
    [[HERE.git, HERE.host]],
  );
});

test('what makes another machine, and what does not', () => {
  const host = { cpuModel: 'C', cores: 4, usableCpus: 2, memoryBytes: 8e9 };
  const then = { git: { sha: 'a'.repeat(40), dirty: false }, host };
  const now = (/** @type {object} */ over, git = then.git) => ({ git, host: { ...host, ...over } });
  assert.deepEqual(otherConditions(then, now({})), []);
  assert.deepEqual(
    otherConditions(then, now({ memoryBytes: 8.01e9 })),
    [],
    'the kernel keeps some for itself',
  );
  assert.match(otherConditions(then, now({ memoryBytes: 16e9 }))[0], /^memory/);
  assert.deepEqual(otherConditions(then, now({ cores: 8, usableCpus: 1 })), [
    'cores: 4 then, 8 now',
    'usable CPUs: 2 then, 1 now',
  ]);
  assert.match(
    otherConditions(then, now({}, { sha: 'a'.repeat(40), dirty: true }))[0],
    /^commit: a{12} then, a{12} with changes now/,
  );
});

test('--resume of a complete run measures nothing, changes nothing and gives its exit code', async (t) => {
  const { run } = aRun(t);
  packRun(run);
  const before = readdirSync(run).map((f) => [f, readFileSync(join(run, f), 'latin1')]);
  /** @type {string[]} */
  const said = [];
  /** @type {string[]} */
  const results = [];
  const output = /** @type {any} */ ({
    say: (/** @type {string} */ text) => said.push(text),
    result: (/** @type {string} */ text) => results.push(text),
  });
  const code = await measureVerb(undefined, { ...NONE, resume: run }, output);
  assert.ok(code === 0 || code === 4, String(code));
  assert.deepEqual(said, ['a-run is complete: there is nothing to measure']);
  assert.deepEqual(results, [`${join(run, 'README.md')}\n`]);
  assert.deepEqual(
    readdirSync(run)
      .filter((f) => !f.startsWith('run.lock'))
      .map((f) => [f, readFileSync(join(run, f), 'latin1')]),
    before,
  );
  await assert.rejects(() => measureVerb(undefined, { ...NONE, resume: '' }, output), /which run\?/);
});
