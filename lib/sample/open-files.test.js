import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { test } from 'node:test';
import { openFilesOf } from './open-files.js';

test('a file that is opened counts, one that is closed does not, and a process that has ended holds none', {
  skip: existsSync('/proc/self/fd') ? false : 'open files cannot be counted here',
}, () => {
  const own = [{ pid: process.pid }];
  const before = Number(openFilesOf(own));
  assert.ok(before > 0);
  const files = Array.from({ length: 5 }, () => openSync(devNull, 'r'));
  assert.equal(openFilesOf(own), before + 5);
  for (const file of files) closeSync(file);
  assert.equal(openFilesOf(own), before);
  assert.equal(openFilesOf([...own, { pid: 2 ** 30 }]), before);
  assert.equal(openFilesOf([]), null);
  assert.equal(openFilesOf([{ pid: 2 ** 30 }]), null);
});
