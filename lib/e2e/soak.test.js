import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
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

/** @param {string} id of a system, which is loaded beside the others: a soak waits for the most part */
async function soaked(id) {
  const own = join(folder, id);
  mkdirSync(own);
  const { code, stderr } = await runCommand([
    ...[shortProfile(own, { steps: [...SOAK_STEPS] }), '--systems', id, '--duration', '60s'],
    ...['--stacks', stacks, '--reports', own, '--no-live'],
  ]);
  const { folder: run, records, report } = newestRun(own);
  const verified = await runCommand(['report', run, '--reports', own, '--verify']);
  assert.equal(verified.code, 0, verified.stderr);
  assert.match(report, /stable over time\?/);
  assert.ok(code === 0 || code === 4, stderr);
  return { code, stderr, report, soak: records.find((r) => r.step.soak)?.soak };
}

test('a server that leaks 1 MiB a minute is flagged by the shortest soak, so is one that closes no file, a healthy one is not', async () => {
  const [honest, leaking, clinging] = await Promise.all(['honest', 'leaking', 'clinging'].map(soaked));
  assert.equal(leaking.code, 4, leaking.stderr);
  assert.equal(leaking.soak?.verdict, 'leaking', JSON.stringify(leaking.soak));
  const slope = leaking.soak?.rssBytesPerMin?.estimate ?? 0;
  assert.ok(slope > 0.6 * 1_048_576 && slope < 1.6 * 1_048_576, `${slope} bytes a minute`);
  const { verdict, detectableBytesPerMin, openFiles, disk } = honest.soak ?? {};
  assert.ok(['steady', 'drifting'].includes(String(verdict)), JSON.stringify(honest.soak));
  assert.ok(Number(detectableBytesPerMin) < 1_048_576, 'a leak of 1 MiB a minute could be seen');
  assert.match(leaking.report, /\*\*Leaking leaks memory\*\* over 1 min/);
  assert.match(clinging.report, /\*\*Clinging leaks handles\*\* over 1 min/);
  assert.match(leaking.report, /^\| verdict \|.* leaking memory \|/m);
  assert.match(clinging.report, /^\| verdict \|.* leaking handles \|/m);
  assert.doesNotMatch(honest.report, /Honest leaks|^\| verdict \|.* leaking/m);
  const files = clinging.soak?.openFiles;
  assert.equal(clinging.soak?.verdict, 'clinging', JSON.stringify(files));
  assert.ok(Number(files?.perHour?.low) > 2 * 3600 * 0.8, JSON.stringify(files));
  assert.equal(openFiles?.last, openFiles?.first);
  assert.ok((disk?.lastBytes ?? 0) >= (disk?.firstBytes ?? 0));
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
