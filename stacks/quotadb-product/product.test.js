import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newestRun, runCommand, shortProfile, temporaryFolder } from '../../lib/e2e/harness.js';

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
    [profile, '--systems', 'quotadb-product', '--workloads', 'counters', '--reports', folder, '--no-live'],
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
  assert.doesNotMatch(report.replace(/Compared with nobody:.*/, ''), /reference/i);
});

test('`systems` says which program it would take, and its version', async () => {
  const env = { QUOTADB_BIN: program(temporaryFolder()) };
  const { stdout } = await runCommand(['systems', '--json'], { env });
  const row = JSON.parse(stdout).systems.find((/** @type {any} */ s) => s.system === 'quotadb-product');
  assert.equal(row.takes, '0.1.0, named by QUOTADB_BIN');
});

test('a QUOTADB_BIN that is no program is one line, and ours does not take its place', async () => {
  const env = { QUOTADB_BIN: '/no/such/program' };
  const { code, stdout } = await runCommand(['systems', '--json'], { env });
  assert.equal(code, 0, stdout);
  const row = JSON.parse(stdout).systems.find((/** @type {any} */ s) => s.system === 'quotadb-product');
  assert.equal(row.state, 'unavailable');
  assert.equal(row.missing.split('\n').length, 1);
  assert.match(row.missing, /QUOTADB_BIN names no program that can be started/);
});
