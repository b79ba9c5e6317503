import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { faultsPage, PAGE } from '../scripts/faults.js';
import { EXIT, EXIT_MEANINGS } from './errors.js';
import { ROOT } from './paths.js';

test('--help and the README give each exit code the same meaning', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const table = readme.slice(readme.indexOf('### Exit codes'));
  for (const [code, meaning] of EXIT_MEANINGS)
    assert.ok(table.includes(`| ${code} | ${meaning} |`), `${code}`);
  assert.deepEqual(
    EXIT_MEANINGS.map(([code]) => code),
    Object.values(EXIT),
  );
});

test('the entry is found through links, relative ones too', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lb-entry-'));
  t.after(() => rmSync(folder, { recursive: true }));
  symlinkSync(relative(folder, join(ROOT, 'run-all.sh')), join(folder, 'first'));
  symlinkSync('first', join(folder, 'second'));
  const { status, stdout, stderr } = spawnSync(join(folder, 'second'), ['--help'], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^ladderbench: /);
});

test('the page of faults says what the tests try', () => {
  assert.equal(readFileSync(PAGE, 'utf8'), faultsPage(), 'write it again: node scripts/faults.js');
});
