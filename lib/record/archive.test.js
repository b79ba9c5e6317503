import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { BenchError } from '../errors.js';
import { readRun } from '../figures/run.js';
import { packColumns } from '../stats/columns.js';
import { ARCHIVE, isPacked, isRun, packRun, readArchive, unpackRun, withRun } from './archive.js';
import { dataFiles, SUMS } from './seal.js';
import { smallRun } from './testing.js';

/** @param {import('node:test').TestContext} t */
function workFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-archive-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @param {string} data @returns {Record<string, string>} */
function contentOf(data) {
  return Object.fromEntries([...dataFiles(data), SUMS].map((f) => [f, readFileSync(join(data, f), 'utf8')]));
}

test('a packed run is a report and one file, holds the same data, and is read like an open one', (t) => {
  const run = join(workFolder(t), 'a-run');
  smallRun(run);
  const before = contentOf(run);
  const { records } = readRun(run);
  packRun(run);
  assert.deepEqual(readdirSync(run).sort(), ['README.md', ARCHIVE]);
  assert.ok(isPacked(run) && isRun(run));
  let unpacked = '';
  withRun(run, (data) => {
    unpacked = data;
    assert.deepEqual(contentOf(data), before);
    assert.deepEqual(readRun(data).records, records);
  });
  assert.equal(existsSync(unpacked), false, 'what it was read from is removed');
  unpackRun(run);
  assert.equal(isPacked(run), false);
  assert.deepEqual(contentOf(run), before);
  assert.equal(existsSync(join(run, ARCHIVE)), false);
});

test('the same data give the same archive, whenever and by whomever it is packed', (t) => {
  const [a, b] = [join(workFolder(t), 'a'), join(workFolder(t), 'b')];
  smallRun(a);
  cpSync(a, b, { recursive: true });
  for (const file of dataFiles(b)) {
    utimesSync(join(b, file), 1, 1);
    chmodSync(join(b, file), 0o600);
  }
  for (const run of [a, b]) packRun(run);
  assert.ok(readFileSync(join(a, ARCHIVE)).equals(readFileSync(join(b, ARCHIVE))));
});

test('a run whose files changed is neither packed nor read', (t) => {
  const run = join(workFolder(t), 'a-run');
  const { cells } = smallRun(run);
  const path = join(run, 'raw', `${cells[0]}.summary.json`);
  writeFileSync(path, '{"metrics":{"x":1}}');
  for (const act of [() => packRun(run), () => withRun(run, () => 1)])
    assert.throws(
      act,
      (e) =>
        e instanceof BenchError &&
        e.exitCode === 4 &&
        e.message.includes(`raw/${cells[0]}.summary.json: changed`),
    );
  assert.ok(existsSync(join(run, 'plan.json')), 'nothing was moved');
});

test('a crash while packing or unpacking loses nothing: the folder counts while it is whole', (t) => {
  const run = join(workFolder(t), 'a-run');
  smallRun(run);
  const before = contentOf(run);
  const open = join(workFolder(t), 'open');
  cpSync(run, open, { recursive: true });
  packRun(run);
  // As after a crash in the midst of the removal: the archive counts, whatever else lies there.
  mkdirSync(join(run, 'raw'));
  writeFileSync(join(run, 'raw', 'torn.json'), '{');
  mkdirSync(join(run, 'unpacked.1.tmp'));
  assert.ok(isPacked(run));
  unpackRun(run);
  assert.deepEqual(contentOf(run), before);
  assert.equal(existsSync(join(run, 'unpacked.1.tmp')), false);
  // As after a crash just before the archive is removed: both are there, and the folder is the one that goes on.
  writeFileSync(join(run, ARCHIVE), 'old');
  assert.equal(isPacked(run), false);
  packRun(run);
  assert.ok(isPacked(run));
  withRun(run, (data) => assert.deepEqual(contentOf(data), before));
});

test('an archive that is not one of our runs is refused, and nothing is written', (t) => {
  const work = workFolder(t);
  const plan = { 'plan.json': '{}' };
  const sums = { [SUMS]: '' };
  const archiveOf = (/** @type {Record<string, string>} */ files) =>
    packColumns(new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)])));
  const good = archiveOf({ ...plan, ...sums });
  const bomb = Buffer.concat([good.subarray(0, 8), brotliCompressSync(Buffer.alloc(64 << 20))]);
  /** @type {[string, Buffer, RegExp][]} */
  const cases = [
    [
      'absolute',
      archiveOf({ ...plan, ...sums, '/tmp/lb-out': '1' }),
      /holds "\/tmp\/lb-out", which is no file of a run/,
    ],
    ['above', archiveOf({ ...plan, ...sums, 'raw/../../out': '1' }), /holds "raw\/..\/..\/out"/],
    ['above by one', archiveOf({ ...plan, ...sums, 'raw/..': '1' }), /no file of a run/],
    ['hidden', archiveOf({ ...plan, ...sums, '.git/config': '1' }), /holds "\.git\/config"/],
    ['no plan', archiveOf(sums), /holds no plan\.json/],
    ['no checksums', archiveOf(plan), /holds no SHA256SUMS/],
    ['a bomb', bomb, /cannot read .*data\.columns: /],
    ['of another kind', Buffer.from('data'), /it does not begin as one of ours/],
    ['cut off', good.subarray(0, good.length - 9), /cannot read .*data\.columns: /],
    [
      'no columns',
      Buffer.concat([good.subarray(0, 8), brotliCompressSync(Buffer.alloc(99, 'x'))]),
      /it was cut off/,
    ],
  ];
  for (const [name, bytes, message] of cases) {
    const run = join(work, name.replaceAll(' ', '-'));
    mkdirSync(run);
    writeFileSync(join(run, ARCHIVE), bytes);
    assert.throws(
      () => withRun(run, () => assert.fail(`${name} was read`)),
      (e) =>
        e instanceof BenchError && e.exitCode === 4 && message.test(e.message) && e.message.includes(ARCHIVE),
      name,
    );
    assert.throws(() => unpackRun(run), BenchError);
    assert.deepEqual(readdirSync(run), [ARCHIVE], name);
  }
  assert.equal(existsSync(join(work, 'out')), false);
  assert.equal(existsSync('/tmp/lb-out'), false);
});

test('a pipe in place of an archive is not waited for', (t) => {
  const run = workFolder(t);
  assert.equal(spawnSync('mkfifo', [join(run, ARCHIVE)]).status, 0);
  assert.throws(() => withRun(run, () => 1), /data\.columns: it is no regular file/);
});

test('an archive in which a number was changed names the file', (t) => {
  const run = join(workFolder(t), 'a-run');
  smallRun(run);
  packRun(run);
  const files = readArchive(join(run, ARCHIVE));
  const text = String(files.get('environment.json')).replace(/"cores": \d+/, '"cores": 99');
  writeFileSync(join(run, ARCHIVE), packColumns(files.set('environment.json', Buffer.from(text))));
  assert.throws(
    () => withRun(run, () => 1),
    (e) => e instanceof BenchError && /environment\.json: changed/.test(e.message),
  );
});
