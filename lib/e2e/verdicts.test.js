import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { schemaProblems } from '../config/validate.js';
import { unpackRun } from '../record/archive.js';
import { sustainedPerSec } from '../run/knee.js';
import {
  addSystem,
  CALIBRATED,
  dearClient,
  newestRun,
  responder,
  runCommand,
  shortProfile,
  startResponder,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
addSystem(stacks, 'honest', { title: 'Honest', args: [] });
addSystem(stacks, 'twin', { title: 'Twin', args: [] });
addSystem(stacks, 'mutant', { args: ['--drop-every', '1000'] });
addSystem(stacks, 'slow', { args: ['--delay', '5ms:1'] });

/** @param {string} name @param {string[]} args */
function measure(name, args) {
  return runCommand([...args, '--stacks', stacks, '--reports', join(folder, name), '--no-live']);
}

/** The run of the first test, which others look at, too. @type {ReturnType<typeof newestRun> | undefined} */
let two;

test('two systems, each one temporary folder, are measured, judged and reported', async () => {
  const profile = shortProfile(folder, {
    calibration: CALIBRATED,
    steps: [
      { id: 'c1', model: 'closed', vus: 1, durationSec: 3 },
      { id: 'c8', model: 'closed', vus: 8, durationSec: 3 },
      { id: 'c8-p16', model: 'closed', vus: 8, depth: 16, durationSec: 3 },
    ],
  });
  const { code, stdout, stderr } = await measure('two', [profile, '--systems', 'honest,twin']);
  assert.ok(code === 0 || code === 4, stderr);
  two = newestRun(join(folder, 'two'));
  const { folder: run, records, report } = two;
  assert.equal(stdout.trim(), join(run, 'README.md'));
  assert.equal(records.length, 9);
  for (const record of records) {
    assert.deepEqual(schemaProblems('result', record), []);
    assert.equal(record.status, 'ok', String(record.reason));
    if (record.role === 'system') assert.ok(record.oracle?.ok, JSON.stringify(record.oracle));
    assert.deepEqual(Object.keys(record.operations), ['ping', 'increment', 'get']);
  }
  assert.match(report, /^# Counters: Honest or /);
  assert.match(report, /\*\*No winners\*\*/);
  assert.match(report, /\| Honest /);

  const again = await runCommand(['report', run, '--reports', join(folder, 'two'), '--verify']);
  assert.equal(again.code, 0, again.stderr);
  assert.equal(newestRun(join(folder, 'two')).report, report, 'rendered again, the report is the same bytes');

  const index = readFileSync(join(folder, 'two', 'README.md'), 'utf8');
  assert.match(index, /\[20.*short\]\(/);

  const compared = await runCommand(['compare', run, run, '--reports', join(folder, 'two')]);
  assert.equal(compared.code, 0, compared.stderr);
  assert.match(compared.stdout, /\| honest \| counters \| increment, 8 users \|/);

  assert.deepEqual(
    readdirSync(run).filter((name) => name !== 'charts'),
    ['README.md', 'data.columns', 'report.html'],
    'what was measured is one file',
  );
  unpackRun(run);
  const file = join(run, 'results', 'counters.resp.twin.c8.r1.json');
  const record = JSON.parse(readFileSync(file, 'utf8'));
  record.operations.get.ratePerSec *= 2;
  writeFileSync(file, JSON.stringify(record));
  const forged = await runCommand(['report', run, '--reports', join(folder, 'two'), '--verify']);
  assert.equal(forged.code, 4);
  assert.match(forged.stderr, /counters\.resp\.twin\.c8\.r1/);
});

test('who set each figure is told by the threads of both sides, and a bound by nothing else', () => {
  const { records, report } = /** @type {ReturnType<typeof newestRun>} */ (two);
  for (const record of records.filter((r) => r.role === 'system' && r.step.id === 'c8')) {
    assert.ok(record.idleCores !== null && Number(record.idleCores) < 0.2, String(record.idleCores));
    for (const { setBy, shares, verdict } of Object.values(record.operations)) {
      assert.ok(shares.system && shares.loop, JSON.stringify(shares));
      assert.equal(shares.system.least, shares.system.most, 'seen itself, not by sums');
      assert.equal(shares.loop.least, shares.loop.most);
      const codes = verdict.reasons.map((r) => r.code);
      assert.deepEqual(
        [codes.includes('set_by_client'), codes.includes('unattributed')],
        [setBy === 'generator', setBy === 'unattributed'],
      );
    }
  }
  assert.match(report, /the load generator wanted \d\.\d\d of a CPU/);
});

test('a responder that loses one in a thousand acknowledged increments is caught, and is measured all the same', async () => {
  const profile = shortProfile(folder, {
    steps: [
      { id: 'c8', model: 'closed', vus: 8, durationSec: 3 },
      { id: 'open-50', model: 'open', vus: 8, fractionOfKnee: 0.5, durationSec: 3 },
    ],
  });
  const { code, stderr } = await measure('mutant', [profile, '--systems', 'mutant']);
  assert.equal(code, 4, stderr);
  const { folder: run, records, report } = newestRun(join(folder, 'mutant'));
  const [record, open] = records.filter((r) => r.role === 'system');
  assert.equal(record.oracle?.ok, false, JSON.stringify(record.oracle));
  const lost = Number(record.oracle?.acked) - Number(record.oracle?.stored);
  // A counter that lost one answers the next increment with the same value again: that answer is seen to be wrong,
  // and those of the window are counted; the warm-up's increments are among the acknowledged ones only.
  const wrong = record.operations.increment.errors.protocol ?? 0;
  const expected = Number(record.oracle?.acked) / 1000;
  assert.ok(
    lost + wrong >= expected * 0.3 && lost + wrong <= expected * 1.15 + 2,
    `${lost} lost, ${wrong} answered wrong, about ${expected} expected`,
  );
  assert.ok(record.verdict.reasons.some((r) => r.code === 'oracle'));
  assert.match(report, /none: [^|]*wrong state after the load/);

  // No closed step of it is usable: half of the highest that was measured is sent, and the report says so.
  assert.equal(open.status, 'ok', String(open.reason));
  for (const [op, { targetPerSec, verdict }] of Object.entries(open.operations)) {
    assert.equal(targetPerSec, Math.floor(sustainedPerSec(record.operations[op]) / 2));
    assert.ok(
      verdict.reasons.some((r) => r.code === 'knee_unknown'),
      JSON.stringify(verdict),
    );
  }
  assert.match(report, /no closed step was valid/);
  const again = await runCommand(['report', run, '--reports', join(folder, 'mutant'), '--verify']);
  assert.equal(again.code, 0, again.stderr);
});

test('on a machine that is full of other programs, neither a server by its address nor a started one has an exact figure', async () => {
  const server = await startResponder();
  const burning = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    const profile = shortProfile(folder, { steps: [{ id: 'c8', model: 'closed', vus: 8, durationSec: 3 }] });
    const { endpoint, workloads } = responder().stack.manifest;
    const [scheme] = endpoint.url
      .replace('{transport}', Object.values(workloads)[0].transports[0])
      .split(':');
    const address = `honest=${scheme}://127.0.0.1:${server.port}`;
    const args = [profile, '--systems', 'honest', '--endpoint', address];
    const { code, stderr } = await measure('address', args);
    assert.ok(code === 0 || code === 4, stderr);
  } finally {
    for (const burner of burning) burner.kill('SIGKILL');
    await server.stop();
  }
  const { records, report } = newestRun(join(folder, 'address'));
  const [record] = records.filter((r) => r.role === 'system');
  const { host, system } = record.resources;
  assert.equal(system, null, 'it was not seen');
  assert.ok(Number(host?.busyRatio) + Number(host?.stealRatio) > 0.9, JSON.stringify(host));
  assert.notEqual(record.verdict.status, 'VALID');
  assert.ok(
    record.verdict.reasons.some((r) => r.code === 'host_unseen'),
    JSON.stringify(record.verdict),
  );
  for (const { setBy } of Object.values(record.operations)) assert.equal(setBy, 'unattributed');
  assert.doesNotMatch(report, /1 of 1 cell valid/);
});

test('a generator held to 0.2 CPU makes the cells INVALID, unranked, with exit 4', async (t) => {
  // Dear for each operation, and with many users: it always has work at hand, also on a machine that is short of CPU.
  const own = join(responder().stack.folder, 'client.js');
  for (const id of ['first', 'second'])
    writeFileSync(join(addSystem(stacks, id, { args: [] }), 'client.js'), dearClient(own, 100_000));
  const profile = shortProfile(folder, {
    thresholds: { minOperations: 10 },
    steps: [{ id: 'c64', model: 'closed', vus: 64, durationSec: 3 }],
  });
  const { code, stderr } = await measure('held', [
    ...[profile, '--systems', 'first,second'],
    ...['--generator-cpus', '0.2'],
  ]);
  if (code === 2 && /cannot make a control group/.test(stderr))
    return t.skip('control groups are not ours to make here');
  assert.equal(code, 4, stderr);
  const { records, report } = newestRun(join(folder, 'held'));
  for (const { operations, verdict } of records.filter((r) => r.role === 'system')) {
    // Where others took the machine as well, single seconds may have been too poor even for 0.2 of a CPU.
    for (const [op, o] of Object.entries(operations))
      assert.equal(
        o.verdict.reasons.some((r) => r.code === 'generator_starved'),
        Number(o.generatorCpuRatio) > 0.9,
        `${op}: ${o.generatorCpuRatio}`,
      );
    assert.equal(verdict.status, 'INVALID');
    assert.ok(
      verdict.reasons.some((r) => r.code === 'generator_starved'),
      JSON.stringify(verdict),
    );
  }
  assert.doesNotMatch(report, /\*\* wins/);
});

test('a slow system, not the client, sets its figures, and its open steps meet their target', async () => {
  const profile = shortProfile(folder, {
    thresholds: { minOperations: 100 },
    steps: [
      { id: 'c8', model: 'closed', vus: 8, durationSec: 3 },
      { id: 'open-50', model: 'open', vus: 200, fractionOfKnee: 0.5, durationSec: 3 },
    ],
  });
  const { code, stderr } = await measure('slow', [profile, '--systems', 'slow']);
  const { records } = newestRun(join(folder, 'slow'));
  const closed = records.find((r) => r.role === 'system' && r.step.id === 'c8');
  const open = records.find((r) => r.role === 'system' && r.step.id === 'open-50');
  assert.equal(Object.keys(closed?.operations ?? {}).length, 3, stderr);
  assert.equal(Object.keys(open?.operations ?? {}).length, 3, stderr);
  for (const [op, o] of Object.entries(closed?.operations ?? {})) {
    assert.ok(o.serviceMs && o.serviceMs.p50 >= 5 && o.serviceMs.p50 < 50, `${op} p50 ${o.serviceMs?.p50}`);
    assert.ok(o.setBy === 'waits' || o.setBy === 'system', `${op}: ${o.setBy} ${JSON.stringify(o.shares)}`);
  }
  for (const [op, o] of Object.entries(open?.operations ?? {})) {
    assert.ok(
      o.targetPerSec && Math.abs(o.ratePerSec / o.targetPerSec - 1) < 0.3,
      `${op} ${o.ratePerSec} of ${o.targetPerSec}`,
    );
    assert.ok(o.responseMs && o.lagMs, 'response time and schedule lag are there');
  }
  assert.ok(code === 0 || code === 4, stderr);
});
