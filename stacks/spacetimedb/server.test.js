import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadStacks } from '../../lib/config/stacks.js';
import {
  eventually,
  newestRun,
  processesWith,
  runCommand,
  shortProfile,
  startCommand,
  temporaryFolder,
} from '../../lib/e2e/harness.js';
import { hookBuilds, isBuilt, stackBuilds } from '../../lib/setup/builds.js';

const SYSTEM = 'spacetimedb';
const stack = /** @type {import('../../lib/types.d.ts').Stack} */ (
  loadStacks().stacks.find((s) => s.id === SYSTEM)
);
const [server] = stackBuilds(stack);
const [module] = hookBuilds(stack, 'native');
const skip =
  (isBuilt(server) && isBuilt(module)) || process.env.LADDERBENCH_SLOW_BUILDS
    ? false
    : `its server is not built: LADDERBENCH_SLOW_BUILDS=1 npm test, or ./run-all.sh smoke --systems ${SYSTEM} (${stack.manifest.native?.build?.[0].about})`;
const folder = temporaryFolder();
const operations = ['increment', 'createMessage'];

/** @param {import('../../lib/types.d.ts').CellRecord} record @param {string} op */
function errorsOf(record, op) {
  const failed = Object.entries(record.operations[op].errors).filter(([, n]) => n > 0);
  return Object.fromEntries(failed);
}

test('every transport is measured, every acknowledged write is stored, subscribers hear of the hot counter', {
  skip,
}, async () => {
  const profile = shortProfile(folder, {
    workloads: ['realtime'],
    steps: [
      { id: 'c4', model: 'closed', vus: 4, durationSec: 3 },
      { id: 'c4-iterations', model: 'closed', vus: 4, durationSec: 3, drive: 'iteration' },
      { id: 'open', model: 'open', vus: 4, ratePerSec: 200, durationSec: 3 },
    ],
  });
  const reports = join(folder, 'all');
  const { code, stderr } = await runCommand([
    profile,
    '--systems',
    SYSTEM,
    '--no-live',
    '--reports',
    reports,
  ]);
  assert.ok(code === 0 || code === 4, stderr);
  const { records, report } = newestRun(reports);
  const own = records.filter((r) => r.role === 'system');
  assert.deepEqual([...new Set(own.map((r) => r.transport))].sort(), ['http', 'subscribed', 'ws']);
  assert.deepEqual([...new Set(own.map((r) => r.step.id))].sort(), [
    'c4-hot',
    'c4-iterations-hot',
    'c4-iterations-spread',
    'c4-spread',
    'open-hot',
    'open-spread',
  ]);
  for (const r of own) {
    assert.equal(r.status, 'ok', `${r.cell}: ${r.reason}`);
    assert.deepEqual([r.oracle?.ok, r.oracle?.stored], [true, r.oracle?.acked], r.cell);
    const [writes, notes] = operations.map((op) => r.operations[op].count);
    assert.ok(
      writes > 100 && Math.abs(writes / (writes + notes) - 0.7) < 0.06,
      `${r.cell}: ${writes}, ${notes}`,
    );
    for (const op of operations) assert.deepEqual(errorsOf(r, op), {}, `${r.cell} ${op}`);
  }
  const heard = own.find((r) => r.transport === 'subscribed' && r.step.id === 'c4-hot')?.operations;
  // Each of the other three hears of each increment.
  assert.ok(heard && heard.delivery.count > 2 * heard.increment.count, JSON.stringify(heard?.delivery.count));
  assert.ok(Number(heard?.delivery.serviceMs?.p50) > 0);
  assert.match(report, /## Workload breakdown/);
  assert.match(report, /\*\*SpacetimeDB\*\*/);
});

/** A stack whose client asks for what the server refuses. */
function refusedStack() {
  const path = join(folder, 'stacks', 'refused');
  mkdirSync(join(path, 'hooks'), { recursive: true });
  cpSync(join(stack.folder, 'config'), join(path, 'config'), { recursive: true });
  const start = stack.manifest.native?.start.map((w) => w.replace('{server}', server.output));
  const { build: _, version: __, ...native } = /** @type {any} */ (stack.manifest.native);
  const { hookBuild: ___, ...manifest } = stack.manifest;
  writeFileSync(
    join(path, 'stack.json'),
    JSON.stringify({
      ...manifest,
      title: 'Refused',
      workloads: { realtime: { transports: ['http', 'ws'] } },
      native: { ...native, start },
    }),
  );
  writeFileSync(
    join(path, 'hooks', 'after-up'),
    `#!/bin/sh\nBUILD_MODULE=${module.output} exec ${join(stack.folder, 'hooks', 'after-up')}\n`,
    { mode: 0o755 },
  );
  writeFileSync(
    join(path, 'client.js'),
    `import { templates as right } from '${join(stack.folder, 'client.js')}';
export { burst, open } from '${join(stack.folder, 'client.js')}';
export function templates(...args) {
  const text = JSON.stringify(right(...args));
  return JSON.parse(text.replaceAll('[{key},1]', '[{key},0]').replaceAll('create_message', 'no_such'));
}
`,
  );
  return join(folder, 'stacks');
}

test('a reducer that fails, and one that does not exist, are errors over both transports', {
  skip,
}, async () => {
  const reports = join(folder, 'refused');
  const { stderr } = await runCommand([
    shortProfile(folder, { workloads: ['realtime'] }),
    '--stacks',
    refusedStack(),
    '--systems',
    'refused',
    '--no-live',
    '--reports',
    reports,
  ]);
  const own = newestRun(reports).records.filter((r) => r.system === 'refused');
  assert.equal(own.length, 4, stderr);
  for (const r of own) {
    assert.equal(r.verdict.status, 'INVALID', r.cell);
    assert.deepEqual([r.oracle?.ok, r.oracle?.acked, r.oracle?.stored], [true, 0, 0], r.cell);
    for (const op of operations) {
      assert.equal(r.operations[op].count, 0, `${r.cell} ${op}`);
      assert.deepEqual(Object.keys(errorsOf(r, op)), ['server'], `${r.cell} ${op}`);
    }
  }
});

test('a server that is killed in mid-cell fails that cell, and leaves nothing behind', { skip }, async () => {
  const reports = join(folder, 'killed');
  const profile = shortProfile(folder, {
    workloads: ['realtime'],
    steps: [{ id: 'c4', model: 'closed', vus: 4, durationSec: 20 }],
  });
  const run = startCommand([profile, '--systems', SYSTEM, '--no-live', '--reports', reports]);
  // Its data folder carries the id of its runner: other runs of the machine are left alone.
  const ours = () => {
    const its = new Set(processesWith(`-${SYSTEM}-`));
    return processesWith(`ladderbench-${run.child.pid}-`).filter((pid) => its.has(pid));
  };
  assert.ok(await eventually(() => ours().length > 0, 120_000), run.stderr());
  await new Promise((resolve) => setTimeout(resolve, 4000));
  for (const pid of ours()) process.kill(pid, 'SIGKILL');
  await run.says(/failed: the system ended/, 60_000);
  run.child.kill('SIGINT');
  const { code, stderr } = await run.ended;
  assert.ok(code === 3 || code === 130, `${code}: ${stderr}`);
  const [first] = newestRun(reports).records.filter((r) => r.role === 'system');
  assert.equal(first.status, 'failed', stderr);
  assert.match(String(first.reason), /the system ended under the load/);
  assert.deepEqual(ours(), []);
});

test('a kill under load and a restart count what is left', { skip }, async () => {
  const reports = join(folder, 'durability');
  const profile = shortProfile(folder, {
    workloads: ['realtime'],
    warmupSec: 0,
    steps: [{ id: 'saturated', model: 'closed', vus: 8, durationSec: 3, kill: true }],
  });
  const { code, stderr } = await runCommand([
    profile,
    '--systems',
    SYSTEM,
    '--no-live',
    '--reports',
    reports,
  ]);
  assert.equal(code, 0, stderr);
  const { records, report } = newestRun(reports);
  assert.deepEqual(records.map((r) => r.transport).sort(), ['http', 'ws']);
  for (const { recovery, cell } of records) {
    assert.ok(recovery && recovery.acked > 300, `${cell}: ${JSON.stringify(recovery)}`);
    assert.ok(recovery.recovered > 0 && recovery.unexplained === 0, `${cell}: ${JSON.stringify(recovery)}`);
    // Counter by counter, and message by message: what was stored without an acknowledgement hides no lost one.
    assert.ok(recovery.lost >= Math.max(0, recovery.acked - recovery.recovered), JSON.stringify(recovery));
  }
  assert.match(report, /### Durability: `kill -9` under load/);
});
