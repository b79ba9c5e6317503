import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually, processesWith, temporaryFolder } from '../../../lib/e2e/harness.js';
import { ROOT } from '../../../lib/paths.js';

/** `npm run bench:quotadb`, in small: its rows, its words, and what it leaves behind. */

const SCRIPT = join(ROOT, 'scripts', 'bench-quotadb.mjs');

/** @param {string[]} args @param {string} [folder] where temporary files go */
function bench(args, folder) {
  const env = folder ? { ...process.env, TMPDIR: folder } : process.env;
  return spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8', env });
}

test('one row of one round makes a page, and leaves no process and no file', () => {
  const folder = temporaryFolder();
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const out = join(folder, 'page.md');
  const args = ['--rounds', '1', '--seconds', '0.5', '--rows', 'INCR c100 × P16', '--out', out];
  const { status, stderr } = bench(args, temporary);
  assert.equal(status, 0, stderr);
  const page = readFileSync(out, 'utf8');
  assert.match(page, /\| INCR c100 × P16 \| (≥ )?[\d\s]+ \| (≥ )?[\d\s]+ \| \*\*\d\.\d\d×\*\*/);
  assert.match(page, /≥ 1\.3×: undecided/, 'one round decides nothing');
  assert.deepEqual(readdirSync(temporary), []);
  assert.deepEqual(processesWith(temporary), []);
});

test('wrong flags are one line', () => {
  for (const args of [
    ['--rounds', '0'],
    ['--seconds', 'x'],
    ['--rows', 'nothing'],
  ]) {
    const { status, stderr } = bench(args);
    assert.equal(status, 1, args.join(' '));
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    assert.match(stderr, new RegExp(args[0]));
  }
});

test('a signal ends it with its servers and its k6, and the page of finished rounds stays', async () => {
  const folder = temporaryFolder();
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const out = join(folder, 'page.md');
  const child = spawn(
    process.execPath,
    [SCRIPT, '--rounds', '50', '--seconds', '0.5', '--rows', 'PING c1', '--out', out],
    { env: { ...process.env, TMPDIR: temporary }, stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  assert.ok(await eventually(() => existsSync(out), 120_000), 'no round was finished');
  assert.ok(await eventually(() => processesWith(temporary).length > 0), 'no server was started');
  child.kill('SIGTERM');
  assert.equal(await ended, 130);
  assert.ok(await eventually(() => processesWith(temporary).length === 0), 'a process was left');
  assert.deepEqual(readdirSync(temporary), []);
});
