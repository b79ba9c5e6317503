import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BenchError } from '../errors.js';
import { startTicksOf } from '../process/table.js';
import { holderOf, holdRun, LOCK, letGo } from './lock.js';

/** @param {import('node:test').TestContext} t */
function runFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * @param {string} folder
 * @param {object} over what is written by another than this process
 */
function lockOf(folder, over) {
  holdRun(folder);
  const ours = JSON.parse(readFileSync(join(folder, LOCK), 'utf8'));
  writeFileSync(join(folder, LOCK), JSON.stringify({ ...ours, ...over }));
}

test('a run has one holder, who is named; let go, it can be held again', (t) => {
  const folder = runFolder(t);
  holdRun(folder);
  assert.equal(holderOf(folder)?.pid, process.pid);
  assert.throws(
    () => holdRun(folder),
    (error) =>
      error instanceof BenchError &&
      error.exitCode === 2 &&
      error.message.includes(`is being written by process ${process.pid} since 20`),
  );
  letGo(folder);
  assert.equal(holderOf(folder), null);
  holdRun(folder);
  assert.deepEqual(readdirSync(folder), [LOCK], 'nothing else is left');
});

test('the lock of a process that is gone, or whose number is another process by now, holds nothing', (t) => {
  const folder = runFolder(t);
  lockOf(folder, { pid: spawnSync('true').pid });
  assert.equal(holderOf(folder), null);
  holdRun(folder);
  letGo(folder);
  const other = spawn('sleep', ['60']);
  t.after(() => other.kill('SIGKILL'));
  const pid = Number(other.pid);
  lockOf(folder, { pid, startTicks: Number(startTicksOf(pid)) - 1 });
  assert.equal(holderOf(folder), null, 'the number is taken again');
  lockOf(folder, { pid, startTicks: startTicksOf(pid) });
  assert.equal(holderOf(folder)?.pid, pid);
  writeFileSync(join(folder, LOCK), '{"pid": 1');
  holdRun(folder);
  assert.equal(holderOf(folder)?.pid, process.pid, 'a torn lock is no lock');
});

test('a lock from another container is taken for alive, and the message says how to get rid of it', (t) => {
  const folder = runFolder(t);
  lockOf(folder, { pid: 1, namespace: 'pid:[1]' });
  assert.throws(
    () => holdRun(folder),
    (error) =>
      error instanceof BenchError &&
      /in another container/.test(error.message) &&
      String(error.hint).includes(join(folder, LOCK)),
  );
  assert.ok(existsSync(join(folder, LOCK)));
});

test('a run of which a part is a link to another place is not written to, and nothing there is removed', (t) => {
  const [folder, other] = [runFolder(t), runFolder(t)];
  writeFileSync(join(other, 'mine'), '');
  symlinkSync(other, join(folder, 'raw'));
  assert.throws(() => holdRun(folder), /raw is a link: a run has its files itself/);
  assert.deepEqual(readdirSync(other), ['mine']);
  assert.deepEqual(readdirSync(folder), ['raw'], 'no lock of it is left');
});
