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
import { ownName, runnerOf } from '../process/own-name.js';
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
 * @param {RegExp} part of the name of this runner
 * @param {string} other what it is in the name of the one that wrote the lock
 */
function lockOf(folder, part, other) {
  holdRun(folder);
  const ours = JSON.parse(readFileSync(join(folder, LOCK), 'utf8'));
  const name = ownName('run').replace(part, other);
  writeFileSync(join(folder, LOCK), JSON.stringify({ ...ours, name }));
}

/** Of a name: process id and its start; namespace. */
const [PROCESS, NAMESPACE] = [/\d+-\d+/, /x\d+/];

test('a run has one holder, who is named; let go, it can be held again', (t) => {
  const folder = runFolder(t);
  holdRun(folder);
  assert.equal(runnerOf(String(holderOf(folder)?.name)), process.pid);
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
  lockOf(folder, PROCESS, `${spawnSync('true').pid}-1`);
  assert.equal(holderOf(folder), null);
  holdRun(folder);
  letGo(folder);
  const other = spawn('sleep', ['60']);
  t.after(() => other.kill('SIGKILL'));
  const pid = Number(other.pid);
  lockOf(folder, PROCESS, `${pid}-${Number(startTicksOf(pid)) - 1}`);
  assert.equal(holderOf(folder), null, 'the number is taken again');
  lockOf(folder, PROCESS, `${pid}-${startTicksOf(pid)}`);
  assert.equal(runnerOf(String(holderOf(folder)?.name)), pid);
  writeFileSync(join(folder, LOCK), '{"name": 1');
  holdRun(folder);
  assert.equal(runnerOf(String(holderOf(folder)?.name)), process.pid, 'a torn lock is no lock');
});

test('a lock from another container is taken for alive, and the message says how to get rid of it', (t) => {
  const folder = runFolder(t);
  lockOf(folder, NAMESPACE, 'x1');
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
