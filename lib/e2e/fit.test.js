import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSystem, newestRun, runCommand, shortProfile, temporaryFolder } from './harness.js';

test('a system that is too slow for the windows of the profile is loaded again for longer, and has a figure', async () => {
  const folder = temporaryFolder();
  addSystem(folder, 'slow', { args: ['--delay', '40ms'] });
  const step = { id: 'c8', model: /** @type {const} */ ('closed'), vus: 8, durationSec: 2 };
  const profile = shortProfile(folder, { steps: [step], repeats: 2, fitWindows: true });
  const args = [profile, '--stacks', folder, '--systems', 'slow', '--reports', folder, '--no-live'];
  const run = await runCommand(args);
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stderr, /repeat 1 .*too few operations: again, for \d+ s/);
  assert.doesNotMatch(run.stderr, /repeat 2 .*again/, 'the second repeat begins with the longer window');
  const { folder: report, records } = newestRun(folder);
  const own = records.filter((r) => r.role === 'system');
  assert.equal(own.length, 2);
  for (const { cell, step: loaded, operations, oracle, verdict } of own) {
    assert.ok(loaded.durationSec !== undefined && loaded.durationSec > 10, `${cell}: ${loaded.durationSec}`);
    assert.ok(operations.increment.count >= 1000, cell);
    assert.notEqual(verdict.status, 'INVALID', `${cell}: ${JSON.stringify(verdict.reasons)}`);
    // 8 users at 40 ms each, on a machine that others use as well.
    const { ratePerSec } = operations.increment;
    assert.ok(ratePerSec > 150 && ratePerSec < 202, `${cell}: ${ratePerSec}`);
    assert.deepEqual(
      [oracle?.ok, oracle?.acked],
      [true, oracle?.stored],
      'on fresh data, what it has is of this load',
    );
  }
  const verified = await runCommand(['report', report, '--verify']);
  assert.equal(verified.code, 0, verified.stderr);
});
