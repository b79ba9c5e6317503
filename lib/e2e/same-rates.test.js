import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { sustainedPerSec } from '../run/knee.js';
import { addSystem, newestRun, runCommand, shortProfile, temporaryFolder } from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
addSystem(stacks, 'quick', { title: 'Quick', args: [] });
addSystem(stacks, 'slow', { args: ['--delay', '2ms:1'] });

test('open steps ask all systems for the same rates, shares of what the slowest keeps up with', async () => {
  const profile = shortProfile(folder, {
    thresholds: { errorRatio: 0.001, minOperations: 10 },
    steps: [
      { id: 'c8', model: 'closed', vus: 8, durationSec: 3 },
      { id: 'open-50', model: 'open', vus: 32, fractionOfKnee: 0.5, durationSec: 3 },
    ],
  });
  const args = [profile, '--systems', 'quick,slow', '--stacks', stacks, '--reports', join(folder, 'reports')];
  const { code, stderr } = await runCommand([...args, '--no-live']);
  assert.ok(code === 0 || code === 4, stderr);
  const { records } = newestRun(join(folder, 'reports'));
  const of = (/** @type {string} */ system, /** @type {string} */ step) =>
    records.find((r) => r.system === system && r.step.id === step)?.operations ?? {};
  for (const [op, result] of Object.entries(of('slow', 'c8'))) {
    const ratePerSec = sustainedPerSec(result);
    assert.ok(ratePerSec < of('quick', 'c8')[op].ratePerSec, `${op} of the slow system is slower`);
    for (const system of ['quick', 'slow'])
      assert.equal(of(system, 'open-50')[op].targetPerSec, Math.floor(ratePerSec / 2), `${op} of ${system}`);
  }
});
