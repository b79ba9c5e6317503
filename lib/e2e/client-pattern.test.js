import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSystem, newestRun, runCommand, shortProfile, temporaryFolder } from './harness.js';

test('two writes without TCP_NODELAY cost a client 40 ms, whatever the server', {
  skip: process.platform === 'linux' ? false : 'the delayed acknowledgement is that of Linux',
}, async () => {
  const folder = temporaryFolder();
  addSystem(folder, 'alpha');
  const step = (/** @type {import('../types.d.ts').ClientPattern} */ clientPattern) => ({
    id: clientPattern,
    model: /** @type {const} */ ('closed'),
    vus: 4,
    durationSec: 3,
    clientPattern,
  });
  const profile = shortProfile(folder, {
    steps: [step('one-write'), step('one-write-nagle'), step('two-writes'), step('two-writes-nagle')],
  });
  const args = [profile, '--stacks', folder, '--systems', 'alpha', '--reports', folder, '--no-live'];
  const run = await runCommand(args);
  // Four connections at 44 ms are too few operations for a p99.9: such cells are INVALID, which is exit code 4.
  assert.ok([0, 4].includes(run.code ?? -1), run.stderr);
  const { records, report } = newestRun(folder);
  for (const record of records.filter((r) => r.role === 'system')) {
    assert.equal(record.status, 'ok', record.reason ?? '');
    assert.equal(record.parity.clientPattern, record.step.clientPattern);
    const p50 = record.operations.increment.serviceMs?.p50 ?? Number.NaN;
    if (record.step.clientPattern === 'two-writes-nagle') assert.ok(p50 >= 35 && p50 < 100, `${p50} ms`);
    else assert.ok(p50 < 5, `${record.step.clientPattern}: ${p50} ms`);
  }
  assert.match(report, /4 users, two writes, without TCP_NODELAY/);
});
