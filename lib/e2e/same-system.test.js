import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { addSystem, newestRun, runCommand, shortProfile, temporaryFolder } from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
// Slow enough for the client to have time to spare, so that no figure is a bound.
addSystem(stacks, 'one', { title: 'One', args: ['--delay', '1ms:1'] });
addSystem(stacks, 'other', { title: 'Other', args: ['--delay', '1ms:1'] });

test('one system under two names comes out as no measurable difference', async () => {
  const reports = join(folder, 'aa');
  const profile = shortProfile(folder, {
    repeats: 5,
    steps: [{ id: 'c8', model: 'closed', vus: 8, durationSec: 3 }],
  });
  const { code, stderr } = await runCommand([
    profile,
    '--stacks',
    stacks,
    '--systems',
    'one,other',
    '--reports',
    reports,
    '--no-live',
  ]);
  assert.ok(code === 0 || code === 4, stderr);
  const { report, records } = newestRun(reports);
  assert.equal(records.filter((r) => r.role === 'system').length, 10);
  assert.match(report, /\*\*(No winners?|One and Other tie)\*\*/);
  assert.doesNotMatch(report, /\*\* wins/);
  const order = records
    .filter((r) => r.role === 'system')
    .sort((a, b) => String(a.startedAt).localeCompare(String(b.startedAt)))
    .map((r) => r.system);
  assert.deepEqual(order.slice(2, 4), order.slice(0, 2).reverse(), 'every second repeat runs backwards');
});
