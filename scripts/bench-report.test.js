import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('the benchmark of rendering renders what it has made up', () => {
  const script = fileURLToPath(new URL('./bench-report.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--cells', '40'], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^\d+ cells: [\d.]+ s \([\d.]+ s of CPU\), [\d.]+ ms a cell$/m);
});
