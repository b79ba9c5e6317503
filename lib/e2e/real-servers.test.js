import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nativeAvailability, startSystem } from '../engines/index.js';
import { ROOT } from '../paths.js';
import { runTool } from '../process/tool.js';
import { generatorBuild } from '../setup/builds.js';
import { newestRun, runCommand, shortProfile, systemsOf, temporaryFolder } from './harness.js';

const folder = temporaryFolder();
const stacks = systemsOf('counters');

test('every system of counters that this machine can run is measured, and each acknowledged increment is stored', async () => {
  const profile = shortProfile(folder, {
    warmupSec: 0,
    steps: [
      { id: 'c1', model: 'closed', vus: 1, durationSec: 1 },
      { id: 'c20', model: 'closed', vus: 20, durationSec: 1 },
      { id: 'c20-iterations', model: 'closed', vus: 20, durationSec: 2, drive: 'iteration' },
      { id: 'c20-p16', model: 'closed', vus: 20, depth: 16, durationSec: 1 },
    ],
  });
  const reports = join(folder, 'real');
  const { code, stderr } = await runCommand([profile, '--workloads', 'counters', '--reports', reports]);
  assert.ok(code === 0 || code === 4, stderr);
  const { records } = newestRun(reports);
  const measured = new Set(records.filter((r) => r.role === 'system').map((r) => r.system));
  const expected = stacks.filter((s) => nativeAvailability(s).state === 'ready').map((s) => s.id);
  assert.deepEqual([...measured].sort(), expected.sort());
  assert.ok(measured.size >= 2, `only ${[...measured].join(', ')}`);
  for (const record of records.filter((r) => r.role === 'system')) {
    assert.equal(record.status, 'ok', `${record.cell}: ${record.reason}`);
    assert.ok(record.oracle?.ok, `${record.cell}: ${JSON.stringify(record.oracle)}`);
    assert.ok(Number(record.oracle?.acked) > 0);
    assert.ok(record.version, 'its version is known');
    assert.ok(record.resources.system && record.resources.system.cpuSec > 0, 'its CPU was seen');
    for (const [op, o] of Object.entries(record.operations)) {
      assert.equal(
        Object.values(o.errors).reduce((s, n) => s + n, 0),
        0,
        `${record.cell} ${op} failed`,
      );
    }
  }
});

/** A real server of this machine, up for one test: one that needs no build. */
async function aServer() {
  const stack = stacks.find((s) => !s.manifest.native?.build && nativeAvailability(s).state === 'ready');
  assert.ok(stack, 'no server on PATH or unpacked');
  const planned = {
    id: stack.id,
    title: stack.manifest.title,
    origin: stack.manifest.origin,
    engine: /** @type {const} */ ('native'),
    role: /** @type {const} */ ('system'),
    durability: stack.manifest.durability,
    settings: {},
    provenance: '',
  };
  const instance = await startSystem(stack, planned, {
    transport: 'resp',
    options: { endpoints: {}, ports: {}, generatorCpus: null, live: false },
    signal: new AbortController().signal,
  });
  return { stack, instance };
}

test('a server that already runs is measured by its URL, and left running', async () => {
  const { stack, instance } = await aServer();
  try {
    const { code, stderr } = await runCommand([
      shortProfile(folder),
      '--systems',
      stack.id,
      '--endpoint',
      `${stack.id}=${instance.url}`,
      '--reports',
      join(folder, 'external'),
      '--no-live',
    ]);
    assert.ok(code === 0 || code === 4, stderr);
    const { records } = newestRun(join(folder, 'external'));
    const record = records.find((r) => r.role === 'system');
    assert.equal(record?.status, 'ok', String(record?.reason));
    assert.equal(record?.engine, 'external');
    assert.ok(record?.oracle?.ok);
    assert.equal(record?.resources.system, null, 'what cannot be seen is null, not 0');
    assert.ok(instance.running());
  } finally {
    await instance.stop();
  }
});

test('the script runs by hand in k6’s own way, with k6’s own summary', async () => {
  const { stack, instance } = await aServer();
  const work = mkdtempSync(join(tmpdir(), 'lb-byhand-'));
  try {
    const variables = {
      SYSTEM: stack.id,
      WORKLOAD: 'counters',
      PROFILE: 'smoke',
      BASE_URL: instance.url,
      STEP: 'c100',
    };
    const { ok, stdout, stderr } = await runTool(
      [
        join(generatorBuild().output, 'k6'),
        'run',
        ...Object.entries(variables).flatMap(([k, v]) => ['-e', `${k}=${v}`]),
        join(ROOT, 'k6', 'main.js'),
      ],
      { cwd: work, env: { K6_NO_USAGE_REPORT: 'true', K6_AUTO_EXTENSION_RESOLUTION: 'false' } },
    );
    assert.ok(ok, stderr);
    assert.match(stdout, /op_count/);
    assert.match(stdout, /op_duration/);
    assert.match(stdout, /iterations/);
    assert.deepEqual(readdirSync(work), [], 'it wrote a file');
  } finally {
    await instance.stop();
    rmSync(work, { recursive: true, force: true });
  }
});
