import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { addSystem, newestRun, runCommand, shortProfile, temporaryFolder } from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
const MIB_PER_MIN = Math.round(1_048_576 / 60);
addSystem(stacks, 'honest', { title: 'Honest' });
addSystem(stacks, 'leaking', { title: 'Leaking', args: ['--leak-bytes-per-sec', String(MIB_PER_MIN)] });
addSystem(stacks, 'clinging', { title: 'Clinging', args: ['--leak-files-per-sec', '2'] });

const SOAK_STEPS = /** @type {const} */ ([
  { id: 'c4', model: 'closed', vus: 4, durationSec: 2, focus: true },
  { id: 'soak', model: 'open', vus: 4, ratePerSec: 2000, durationSec: 600, focus: true, soak: true },
]);

test('a server that leaks 1 MiB a minute is flagged by the shortest soak, so is one that closes no file, a healthy one is not', async () => {
  const profile = shortProfile(folder, { steps: [...SOAK_STEPS] });
  const reports = join(folder, 'soak');
  const { code, stderr } = await runCommand([
    profile,
    ...['--systems', 'honest,leaking,clinging', '--duration', '60s'],
    ...['--stacks', stacks, '--reports', reports, '--no-live'],
  ]);
  assert.equal(code, 4, stderr);
  const { folder: run, records, report } = newestRun(reports);
  const soakOf = (/** @type {string} */ id) => records.find((r) => r.system === id && r.step.soak)?.soak;
  const [honest, leaking, clinging] = ['honest', 'leaking', 'clinging'].map(soakOf);
  assert.equal(leaking?.verdict, 'leaking', JSON.stringify(leaking));
  const slope = leaking?.rssBytesPerMin?.estimate ?? 0;
  assert.ok(slope > 0.6 * 1_048_576 && slope < 1.6 * 1_048_576, `${slope} bytes a minute`);
  assert.ok(['steady', 'drifting'].includes(String(honest?.verdict)), JSON.stringify(honest));
  assert.ok(Number(honest?.detectableBytesPerMin) < 1_048_576, 'a leak of 1 MiB a minute could be seen');
  assert.match(report, /stable over time\?/);
  assert.match(report, /\*\*Leaking leaks memory\*\* over 1 min/);
  assert.match(report, /\*\*Clinging leaks handles\*\* over 1 min/);
  assert.match(report, /^\| verdict \|(?=.* leaking memory \|)(?=.* leaking handles \|)/m);
  assert.equal(clinging?.verdict, 'clinging', JSON.stringify(clinging?.openFiles));
  assert.ok(Number(clinging?.openFiles?.perHour?.low) > 2 * 3600 * 0.8, JSON.stringify(clinging?.openFiles));
  assert.equal(honest?.openFiles?.last, honest?.openFiles?.first);
  assert.ok((honest?.disk?.lastBytes ?? 0) >= (honest?.disk?.firstBytes ?? 0));
  const verified = await runCommand(['report', run, '--reports', reports, '--verify']);
  assert.equal(verified.code, 0, verified.stderr);
});

test('a length without a soak, and nonsense for a length, are refused', async () => {
  const plain = await runCommand(['smoke', '--duration', '90s', '--dry-run']);
  assert.equal(plain.code, 2);
  assert.match(plain.stderr, /this profile has none/);
  for (const [text, message] of /** @type {[string, RegExp][]} */ ([
    ['10s', /--duration 10s: a soak lasts at least 60s/],
    ['soon', /--duration soon: needs a duration such as 90s, 5m or 2h/],
    ['90', /--duration 90: needs a duration such as 90s, 5m or 2h/],
  ])) {
    const { code, stderr } = await runCommand(['soak', '--duration', text, '--dry-run']);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});
