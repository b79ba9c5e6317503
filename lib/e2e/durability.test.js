import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  addSystem,
  appendOnlyServer,
  newestRun,
  runCommand,
  shortProfile,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const kill = { durationSec: 3, kill: true };
const profile = () =>
  shortProfile(folder, {
    workloads: ['counters', 'documents'],
    warmupSec: 0,
    steps: [
      { id: 'paced', model: 'open', vus: 4, ratePerSec: 500, ...kill },
      { id: 'saturated', model: 'closed', vus: 20, ...kill },
    ],
  });

/** @param {import('../types.d.ts').Stack} stack */
function synced(stack) {
  const path = join(folder, 'stacks', 'synced');
  mkdirSync(path, { recursive: true });
  const settings = { ...stack.manifest.settings, appendonly: 'yes', appendfsync: 'always' };
  const manifest = { ...stack.manifest, title: 'Synced', settings, docker: undefined };
  writeFileSync(join(path, 'stack.json'), JSON.stringify(manifest));
  writeFileSync(join(path, 'client.js'), `export { default } from '${join(stack.folder, 'client.js')}';\n`);
  return join(folder, 'stacks');
}

const server = appendOnlyServer();

test('a cache that keeps nothing loses all of it, with an append-only file synced each time none', {
  skip: server ? false : 'no server with an append-only file on PATH or unpacked',
}, async () => {
  if (!server) return;
  const reports = join(folder, 'reports');
  const { code, stderr, stdout } = await runCommand([
    profile(),
    '--stacks',
    synced(server),
    '--systems',
    `${server.id}@default,synced`,
    '--no-live',
    '--reports',
    reports,
  ]);
  assert.equal(code, 0, stderr);
  const { records, report } = newestRun(reports);
  assert.deepEqual(
    records.map((r) => r.workload).sort(),
    [...Array(4).fill('counters'), ...Array(4).fill('documents')],
    stdout,
  );
  for (const r of records) {
    const { recovery } = r;
    assert.ok(recovery && recovery.acked > 100, `${r.cell}: ${JSON.stringify(recovery)} ${r.reason}`);
    assert.equal(r.verdict.status, 'VALID');
    if (r.system === 'synced') assert.equal(recovery.lost, 0, r.cell);
    else assert.deepEqual([recovery.recovered, recovery.lost], [0, recovery.acked], r.cell);
  }
  assert.match(report, /\*\*Synced\*\* lost nothing after `kill -9`/);
  assert.match(report, /\*\* lost (all|up to)/);
  assert.match(stderr, /acknowledged \d+ {2}recovered 0 {2}lost \d+ \(100 %\)/);
});

test('a system that does not say how it restarts is left out, with that reason', async () => {
  const stacks = join(folder, 'other');
  addSystem(stacks, 'plain');
  const { code, stderr } = await runCommand([
    profile(),
    '--stacks',
    stacks,
    '--systems',
    'plain',
    '--no-live',
    '--reports',
    join(folder, 'none'),
  ]);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /nothing to measure.*\n.*plain: it does not declare that it can be restarted/s);
});
