import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UNKNOWN_DURABILITY } from '../../lib/config/durability.js';
import { eventually, newestRun, runCommand, shortProfile, temporaryFolder } from '../../lib/e2e/harness.js';
import { freePort } from '../../lib/process/ports.js';

/**
 * A program that takes the flags of the product and answers as it does.
 * @param {string} folder
 */
function program(folder) {
  const path = join(folder, 'quota-db');
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, 'product.js')}' "$@"\n`;
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}

test('QUOTADB_BIN is measured as the product, upstream, and our server stays what it is', async () => {
  const folder = temporaryFolder();
  const env = { QUOTADB_BIN: program(folder) };
  const profile = shortProfile(folder, {
    steps: [
      { id: 'c8', model: 'closed', vus: 8, durationSec: 3 },
      { id: 'c8-iterations', model: 'closed', vus: 8, durationSec: 3, drive: 'iteration' },
    ],
  });
  const run = await runCommand(
    [profile, '--systems', 'quotadb', '--workloads', 'counters', '--reports', folder, '--no-live'],
    { env },
  );
  assert.ok([0, 4].includes(run.code ?? -1), run.stderr);
  const { records, report } = newestRun(folder);
  const own = records.filter((r) => r.role === 'system');
  assert.deepEqual(own.map((r) => r.step.id).sort(), ['c8', 'c8-iterations']);
  for (const record of own) {
    assert.equal(record.status, 'ok', record.reason ?? '');
    assert.equal(record.origin, 'upstream');
    assert.equal(record.title, 'QuotaDB');
    assert.equal(record.version, '0.1.0');
    assert.deepEqual([record.oracle?.ok, record.oracle?.stored], [true, record.oracle?.acked]);
    for (const [op, o] of Object.entries(record.operations)) {
      assert.ok(o.count > 100, `${record.cell} ${op}: ${o.count}`);
      assert.deepEqual(
        Object.values(o.errors).filter((n) => n > 0),
        [],
        `${record.cell} ${op}`,
      );
    }
  }
  assert.match(report, /named by QUOTADB_BIN/);
  // Who could stand beside it is named; what was measured is the product, and nothing else.
  assert.doesNotMatch(report.replace(/ · Not in this run: .*/, ''), /reference/i);
});

/** Reasons that a machine which others use may add to any cell, whatever the system does; a bound is a valid figure. */
const OF_THE_MACHINE = [
  'host_busy',
  'host_unseen',
  'generator_starved',
  'unattributed',
  'set_by_client',
  'littles_law',
  'too_few',
];

test('one that runs already is measured by its address: every cell valid, state exact, and left running', async () => {
  const folder = temporaryFolder();
  const port = await freePort();
  const server = spawn(program(folder), ['--bind', `127.0.0.1:${port}`], { stdio: 'ignore' });
  try {
    const answers = () =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        (error) => error.cause?.code !== 'ECONNREFUSED',
      );
    assert.ok(await eventually(answers, 20_000), 'it never listened');
    const profile = shortProfile(folder, {
      steps: [
        { id: 'c1', model: 'closed', vus: 1, durationSec: 3 },
        { id: 'c8', model: 'closed', vus: 8, durationSec: 3 },
        { id: 'c8-p16', model: 'closed', vus: 8, depth: 16, durationSec: 3 },
        { id: 'c8-iterations', model: 'closed', vus: 8, durationSec: 3, drive: 'iteration' },
      ],
    });
    const run = await runCommand([
      profile,
      '--systems',
      'quotadb',
      '--endpoint',
      `quotadb=redis://127.0.0.1:${port}`,
      '--reports',
      folder,
      '--no-live',
    ]);
    assert.ok([0, 4].includes(run.code ?? -1), run.stderr);
    const { records, report } = newestRun(folder);
    const own = records.filter((r) => r.role === 'system');
    assert.deepEqual(own.map((r) => r.step.id).sort(), ['c1', 'c8', 'c8-iterations', 'c8-p16']);
    for (const record of own) {
      assert.deepEqual(
        [record.status, record.engine, record.version],
        ['ok', 'external', '0.1.0'],
        record.cell,
      );
      const reasons = record.verdict.reasons.map((r) => r.code);
      assert.deepEqual(
        reasons.filter((code) => !OF_THE_MACHINE.includes(code)),
        [],
        record.cell,
      );
      if (reasons.length === 0) assert.equal(record.verdict.status, 'VALID', record.cell);
      assert.ok(Number(record.oracle?.acked) > 0, record.cell);
      assert.deepEqual([record.oracle?.ok, record.oracle?.stored], [true, record.oracle?.acked], record.cell);
      assert.equal(record.durability, UNKNOWN_DURABILITY.meaning, 'how it is set is not ours to say');
    }
    assert.match(report, /\| already running \|/);
    assert.equal(server.exitCode, null, 'it is left running');
  } finally {
    server.kill('SIGKILL');
  }
});

test('`systems` says which program it would take, and its version', async () => {
  const env = { QUOTADB_BIN: program(temporaryFolder()) };
  const { stdout } = await runCommand(['systems', '--json'], { env });
  const row = JSON.parse(stdout).systems.find((/** @type {any} */ s) => s.system === 'quotadb');
  assert.equal(row.takes, '0.1.0, named by QUOTADB_BIN');
});

test('a QUOTADB_BIN that is no program is one line, and ours does not take its place', async () => {
  const env = { QUOTADB_BIN: '/no/such/program' };
  const { code, stdout } = await runCommand(['systems', '--json'], { env });
  assert.equal(code, 0, stdout);
  const row = JSON.parse(stdout).systems.find((/** @type {any} */ s) => s.system === 'quotadb');
  assert.equal(row.state, 'unavailable');
  assert.equal(row.missing.split('\n').length, 1);
  assert.match(row.missing, /QUOTADB_BIN does not name a program that can be started/);
});
