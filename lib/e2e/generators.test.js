import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { schemaProblems } from '../config/validate.js';
import { unpackRun } from '../record/archive.js';
import { readRaw } from '../record/run-folder.js';
import { runnerFile } from '../record/runner-result.js';
import { latencyOf } from '../stats/histogram.js';
import {
  addSystem,
  eventually,
  newestRun,
  processesWith,
  runCommand,
  shortProfile,
  startCommand,
  temporaryFolder,
} from './harness.js';

/** Several generators against one counting responder: who counts what, and whether all of it is there. */
const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
addSystem(stacks, 'honest', { title: 'Honest' });

/** @param {string} name @param {string[]} args */
function measure(name, args) {
  return [
    ...args,
    '--systems',
    'honest',
    '--stacks',
    stacks,
    '--reports',
    join(folder, name),
    '--engine',
    'native',
  ];
}

/** @param {any[]} reasons */
const codes = (reasons) => reasons.map((r) => r.code);
/** What has nothing to do with how busy the machine is. */
const OF_OURS = ['runner_missing', 'runner_restarted', 'missing_metric', 'oracle', 'errors', 'restarted'];

test('four generators are one: users, rates and counts are split, and every acknowledged write is there', async () => {
  const profile = shortProfile(folder, {
    workloads: ['counters', 'documents'],
    dataset: { keys: 500, documents: 900 },
    steps: [
      { id: 'c10', model: 'closed', vus: 10, durationSec: 3 },
      { id: 'open', model: 'open', vus: 10, durationSec: 3, ratePerSec: 2000 },
    ],
  });
  const args = measure('four', [profile, '--workloads', 'counters', '--generators', '4', '--on', 'local']);
  const { code, stderr } = await runCommand(args);
  assert.ok(code === 0 || code === 4, stderr);
  const { folder: run, records, report } = newestRun(join(folder, 'four'));
  for (const record of records) {
    assert.deepEqual(schemaProblems('result', record), []);
    assert.equal(record.status, 'ok', String(record.reason));
    assert.equal(record.generators?.count, 4);
    assert.deepEqual(record.generators?.missing, []);
    assert.deepEqual(
      codes(record.verdict.reasons).filter((c) => OF_OURS.includes(c)),
      [],
      `${record.cell}: ${JSON.stringify(record.verdict.reasons)}`,
    );
  }
  const ours = records.filter((r) => r.role === 'system');
  for (const { oracle } of ours) {
    assert.ok(oracle?.ok, JSON.stringify(oracle));
    assert.equal(oracle.acked, oracle.stored);
  }
  const open = ours.find((r) => r.step.id === 'open');
  // Each place in the schedule belongs to one user of one generator: what was due was sent once, or dropped.
  for (const { count, late, dropped, aborted, targetPerSec, durationMs } of Object.values(
    open?.operations ?? {},
  )) {
    const due = (Number(targetPerSec) * durationMs) / 1000;
    assert.ok(
      Math.abs(count + late + dropped + aborted - due) <= 10,
      `${count}+${late}+${dropped} of ${due}`,
    );
  }
  assert.match(report, /4 load generators/);

  const again = await runCommand(['report', run, '--reports', join(folder, 'four'), '--verify']);
  assert.equal(again.code, 0, again.stderr);
  unpackRun(run);
  for (const record of ours) {
    const raw = readRaw(run, record.cell);
    const parts = [1, 2, 3, 4].map((n) =>
      JSON.parse(JSON.parse(readFileSync(join(run, runnerFile(record.cell, n)), 'utf8')).histograms),
    );
    assert.deepEqual(
      parts.map((p) => p.notes.segment),
      ['0:1/4', '1/4:1/2', '1/2:3/4', '3/4:1'],
    );
    for (const w of raw.histograms?.windows ?? []) {
      const own = parts.map((p) =>
        p.windows.find((/** @type {any} */ x) => x.op === w.op && x.phase === w.phase),
      );
      const sum = own.reduce((n, x) => n + x.count, 0);
      assert.equal(w.count, sum);
      if (w.phase === 'measure') {
        assert.equal(record.operations[w.op].count, sum);
        assert.equal(record.operations[w.op].serviceMs?.p99, latencyOf(/** @type {any} */ (w.service))?.p99);
      }
    }
  }
  const file = join(run, runnerFile(ours[0].cell, 2));
  writeFileSync(file, readFileSync(file, 'utf8').replace('"count\\":', '"count\\":1'));
  const forged = await runCommand(['report', run, '--reports', join(folder, 'four'), '--verify']);
  assert.equal(forged.code, 4);
});

test('a fixed count is split into whole shares, each with its own keys', async () => {
  const profile = shortProfile(folder, {
    workloads: ['documents'],
    steps: [{ id: 'd5', model: 'closed', vus: 5, operations: 5003 }],
  });
  const { code, stderr } = await runCommand(measure('count', [profile, '--generators', '3']));
  assert.ok(code === 0 || code === 4, stderr);
  const { records } = newestRun(join(folder, 'count'));
  const [record] = records.filter((r) => r.role === 'system');
  assert.equal(record.status, 'ok', String(record.reason));
  assert.equal(record.generators?.count, 3);
  for (const { count } of Object.values(record.operations)) assert.equal(count, 5003);
  assert.ok(record.oracle?.ok, JSON.stringify(record.oracle));
});

test('a generator that is killed makes the cell INVALID and is named; nothing is left, and --resume measures it', async () => {
  const profile = shortProfile(folder);
  const command = startCommand(measure('killed', [profile, '--workloads', 'counters', '--generators', '3']));
  const loading = () =>
    processesWith('--execution-segment').filter((pid) => segmentIn(pid, '1/3:2/3', 'SYSTEM=honest'));
  assert.ok(await eventually(() => loading().length > 0, 240_000), command.stderr());
  await new Promise((resolve) => setTimeout(resolve, 1500));
  for (const pid of loading()) process.kill(pid, 'SIGKILL');
  const { code, stderr } = await command.ended;
  assert.equal(code, 4, stderr);
  const { folder: run, records } = newestRun(join(folder, 'killed'));
  const record = records.find((r) => r.role === 'system');
  assert.equal(record?.verdict.status, 'INVALID');
  assert.equal(record?.generators?.missing[0]?.runner, 2);
  assert.ok(codes(record?.verdict.reasons ?? []).includes('runner_missing'));
  const nothingIsLeft = () =>
    assert.deepEqual(
      processesWith('--execution-segment').filter((pid) => segmentIn(pid, '', stacks)),
      [],
    );
  nothingIsLeft();

  const resumed = await runCommand(['--resume', run, '--stacks', stacks]);
  assert.ok(resumed.code === 0 || resumed.code === 4, resumed.stderr);
  const [again] = newestRun(join(folder, 'killed')).records.filter((r) => r.role === 'system');
  assert.equal(again.generators?.count, 3);
  assert.deepEqual(again.generators?.missing, []);
  assert.ok(again.oracle?.ok, JSON.stringify(again.oracle));
  nothingIsLeft();
});

test('flags of several generators that contradict each other are refused in one line', async () => {
  const profile = shortProfile(folder);
  for (const [args, why] of /** @type {[string[], RegExp][]} */ ([
    [['--on', 'local'], /needs --generators N/],
    [['--generators', '2', '--on', 'moon'], /unknown --on "moon": known: local, kubernetes/],
    [['--generators', '0'], /whole number from 1 to 1000/],
    [['--generators', '2', '--generator-cpus', '1'], /--generator-cpus holds one generator/],
  ])) {
    const { code, stderr } = await runCommand(measure('refused', [profile, ...args]));
    assert.equal(code, 2, stderr);
    assert.match(stderr, why);
  }
});

/** @param {number} pid @param {string[]} texts */
function segmentIn(pid, ...texts) {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return texts.every((text) => line.includes(text));
  } catch {
    return false;
  }
}
