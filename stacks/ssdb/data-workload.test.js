import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newestRun, runCommand, shortProfile, temporaryFolder } from '../../lib/e2e/harness.js';
import { lyingStore } from './lying-store.js';

const folder = temporaryFolder();

test('over the native protocol a workload as data runs, and a store that mixes up values is INVALID', async () => {
  const lies = /** @type {const} */ (['none', 'neighbour']);
  const stores = await Promise.all(lies.map(lyingStore));
  after(() => stores.map(({ stop }) => stop()));
  const file = join(folder, 'native.json');
  const workload = {
    ...{ protocol: 'ssdb', keys: { count: 3000 }, value: { bytes: [50, 500] } },
    operations: {
      get: { share: 0.7, command: ['get', 'k:{key}'] },
      set: { share: 0.3, command: ['set', 'k:{key}', '{value}'] },
    },
  };
  writeFileSync(file, JSON.stringify(workload));
  const reports = join(folder, 'reports');
  const { stderr } = await runCommand([
    ...[shortProfile(folder, { workloads: undefined }), '--workload', file, '--systems', lies.join(',')],
    ...lies.flatMap((lie, i) => ['--endpoint', `${lie}=ssdb://127.0.0.1:${stores[i].port}`]),
    ...['--reports', reports, '--no-live'],
  ]);
  const { records } = newestRun(reports);
  const [honest, neighbour] = lies.map((lie) => records.find((r) => r.system === lie));
  assert.deepEqual(
    [honest?.status, honest?.oracle?.ok, honest?.oracle?.stored],
    ['ok', true, 3000],
    `${stderr}\n${JSON.stringify(honest?.oracle)}`,
  );
  assert.ok(
    neighbour?.verdict.reasons.some((r) => r.code === 'oracle'),
    JSON.stringify(neighbour?.verdict),
  );
  assert.equal(neighbour?.verdict.status, 'INVALID');
  assert.match(String(neighbour?.oracle?.detail), /were of another key/);
});
