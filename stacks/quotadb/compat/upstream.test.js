import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newestRun, runCommand, shortProfile, temporaryFolder } from '../../../lib/e2e/harness.js';
import { obtainNeed } from '../../../lib/setup/needs.js';

/**
 * A program that takes the flags of the product and counts for real: a Redis under its command line.
 * @param {string} folder
 * @param {import('../../../lib/setup/needs.js').Found} redis
 */
function program(folder, redis) {
  const path = join(folder, 'quota-db');
  const libraries = redis.env.LD_LIBRARY_PATH
    ? `export LD_LIBRARY_PATH='${redis.env.LD_LIBRARY_PATH}'\n`
    : '';
  const script = `#!/bin/sh
if [ "$1" = --version ]; then echo "quota-db 9.8.7"; exit; fi
[ "$1" = --bind ] || exit 64
${libraries}exec '${redis.path}' --bind "\${2%:*}" --port "\${2##*:}" --save '' --appendonly no
`;
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  return path;
}

test('QUOTADB_BIN is measured in place of the reference, and labelled upstream', async (t) => {
  const found = await obtainNeed({ binary: 'redis-server', debian: 'redis-server' });
  if (!('found' in found)) return t.skip('redis-server is neither on PATH nor to be had from Debian');
  const folder = temporaryFolder();
  const env = { QUOTADB_BIN: program(folder, found.found) };
  const run = await runCommand(
    [
      shortProfile(folder),
      '--systems',
      'quotadb',
      '--workloads',
      'counters',
      '--reports',
      folder,
      '--no-live',
    ],
    { env },
  );
  assert.ok([0, 4].includes(run.code ?? -1), run.stderr);
  const { records, report } = newestRun(folder);
  const own = records.filter((r) => r.role === 'system');
  assert.ok(own.length > 0);
  for (const record of own) {
    assert.equal(record.status, 'ok', record.reason ?? '');
    assert.equal(record.origin, 'upstream');
    assert.equal(record.title, 'QuotaDB');
    assert.equal(record.version, '9.8.7');
    assert.equal(record.oracle?.ok, true);
  }
  assert.match(report, /named by QUOTADB_BIN/);
  assert.doesNotMatch(report, /reference/i);
});

test('a QUOTADB_BIN that is no program is one line, and no silent fall-back to ours', async () => {
  const env = { QUOTADB_BIN: '/no/such/program' };
  const { code, stdout } = await runCommand(['systems', '--json'], { env });
  assert.equal(code, 0, stdout);
  const row = JSON.parse(stdout).systems.find((/** @type {any} */ s) => s.system === 'quotadb');
  assert.equal(row.state, 'unavailable');
  assert.equal(row.missing.split('\n').length, 1);
  assert.match(row.missing, /QUOTADB_BIN names no program that can be started/);
});
