import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
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
import { BenchError, refusalOf } from './errors.js';
import { makeFolder, readJson, writeFileAtomic, writeJson } from './store.js';

/** @param {import('node:test').TestContext} t */
function workFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-store-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('what cannot be written leaves the old file and nothing beside it', (t) => {
  const folder = workFolder(t);
  const target = join(folder, 'a');
  mkdirSync(join(target, 'below'), { recursive: true });
  assert.throws(
    () => writeFileAtomic(target, 'text'),
    (e) => e instanceof BenchError && /cannot write/.test(e.message),
  );
  assert.deepEqual(readdirSync(folder), ['a'], 'no part of it is left');
  writeFileAtomic(join(folder, 'b'), Buffer.from([1, 2]), { durable: true });
  assert.deepEqual([...readFileSync(join(folder, 'b'))], [1, 2]);
});

test('a full disk leaves no part of a file', (t) => {
  const mount = workFolder(t);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', mount]).status !== 0)
    return t.skip('a small file system cannot be mounted here');
  try {
    writeJson(join(mount, 'small.json'), { a: 1 });
    assert.throws(
      () => writeFileAtomic(join(mount, 'large'), 'x'.repeat(1 << 20)),
      /no space left on the device/,
    );
    assert.deepEqual(readdirSync(mount), ['small.json']);
  } finally {
    spawnSync('umount', [mount]);
  }
});

test('a pipe or a folder is no file to read, and is not waited for', (t) => {
  const folder = workFolder(t);
  const pipe = join(folder, 'pipe.json');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  for (const path of [pipe, folder])
    assert.throws(
      () => readJson(path),
      (e) => e instanceof BenchError && /it is no regular file/.test(e.message),
    );
  assert.throws(() => readJson(join(folder, 'none.json')), /cannot read .*none\.json/);
  writeFileSync(join(folder, 'torn.json'), '{');
  assert.throws(() => readJson(join(folder, 'torn.json')), /torn\.json is not valid JSON/);
});

test('a folder that cannot be made is refused at once, also on a file system without folders', (t) => {
  const folder = workFolder(t);
  makeFolder(join(folder, 'a', 'b', 'c'));
  makeFolder(join(folder, 'a', 'b', 'c'));
  assert.deepEqual(readdirSync(join(folder, 'a', 'b')), ['c']);
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
  symlinkSync(join(folder, 'a'), join(folder, 'good'));
  makeFolder(join(folder, 'good', 'd'));
  const bad = ['file', 'file/x', 'dangling', 'dangling/x'].map((name) => join(folder, name));
  for (const path of [...bad, ...(existsSync('/proc/self') ? ['/proc/x', '/proc/x/y'] : [])])
    assert.throws(
      () => makeFolder(path),
      (e) => refusalOf(e)?.exitCode === 2,
      path,
    );
});
