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
import { gunzipSync, gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { BenchError } from '../errors.js';
import { ARCHIVE, isPacked, isRun, packRun, readArchive, unpackRun, withRun } from './archive.js';
import { readPlan, readRecords } from './run-folder.js';
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

/** @param {{path: string, type?: any, linkpath?: string, content?: Buffer}[]} entries */
function tarOf(entries) {
  const parts = entries.flatMap(({ path, type = 'File', linkpath, content = Buffer.from('{}') }) => {
    const size = type === 'File' ? content.length : 0;
    const header = new Header({ path, type, linkpath, size, mode: 0o644, mtime: new Date(0) });
    const block = Buffer.alloc(512);
    header.encode(block);
    const body = type === 'File' ? [content, Buffer.alloc((512 - (size % 512)) % 512)] : [];
    return [block, ...body];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

test('a packed run is a report and one file, holds the same data, and is read like an open one', (t) => {
  const run = join(workFolder(t), 'a-run');
  smallRun(run);
  const before = contentOf(run);
  const records = readRecords(run, readPlan(run));
  packRun(run);
  assert.deepEqual(readdirSync(run).sort(), ['README.md', ARCHIVE]);
  assert.ok(isPacked(run) && isRun(run));
  let unpacked = '';
  withRun(run, (data) => {
    unpacked = data;
    assert.deepEqual(contentOf(data), before);
    assert.deepEqual(readRecords(data, readPlan(data)), records);
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
  const tar = gunzipSync(readFileSync(join(a, ARCHIVE))).toString('latin1');
  assert.doesNotMatch(tar, /\broot\b/, 'no owner');
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

test('an archive that is no run of ours is refused, and nothing of it is written', (t) => {
  const work = workFolder(t);
  const good = [{ path: 'plan.json' }, { path: SUMS, content: Buffer.from('') }];
  const bomb = gzipSync(Buffer.concat([tarOf(good), Buffer.alloc(64 << 20)]));
  /** @type {[string, Buffer, RegExp][]} */
  const cases = [
    [
      'absolute',
      gzipSync(tarOf([...good, { path: '/tmp/lb-out' }])),
      /holds "\/tmp\/lb-out", which is no file of a run/,
    ],
    ['above', gzipSync(tarOf([...good, { path: 'raw/../../out' }])), /holds "raw\/..\/..\/out"/],
    ['above by one', gzipSync(tarOf([...good, { path: 'raw/..' }])), /no file of a run|is no file but/],
    ['hidden', gzipSync(tarOf([...good, { path: '.git/config' }])), /holds "\.git\/config"/],
    [
      'a link',
      gzipSync(tarOf([...good, { path: 'raw/x', type: 'SymbolicLink', linkpath: '/etc/passwd' }])),
      /"raw\/x" is no file but a SymbolicLink/,
    ],
    [
      'a hard link',
      gzipSync(tarOf([...good, { path: 'raw/x', type: 'Link', linkpath: 'plan.json' }])),
      /is no file but a Link/,
    ],
    [
      'a folder',
      gzipSync(tarOf([...good, { path: 'raw/', type: 'Directory' }])),
      /is no file but a Directory/,
    ],
    ['a pipe', gzipSync(tarOf([...good, { path: 'raw/x', type: 'FIFO' }])), /is no file but a FIFO/],
    ['twice', gzipSync(tarOf([...good, { path: 'plan.json' }])), /holds "plan.json" twice/],
    ['no plan', gzipSync(tarOf(good.slice(1))), /holds no plan\.json/],
    ['no checksums', gzipSync(tarOf(good.slice(0, 1))), /holds no SHA256SUMS/],
    ['a bomb', bomb, /expands to more than 100 times its size/],
    ['no gzip', Buffer.from('data'), /cannot read .*incorrect header check/],
    ['cut off', gzipSync(tarOf(good)).subarray(0, 60), /cannot read .*unexpected end of file/],
    ['no tar', gzipSync(Buffer.alloc(2048, 'x')), /cannot read .*data\.tar\.gz: /],
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
  assert.throws(() => withRun(run, () => 1), /data\.tar\.gz: it is no regular file/);
});

test('an archive in which a number was changed names the file', (t) => {
  const run = join(workFolder(t), 'a-run');
  smallRun(run);
  packRun(run);
  const files = readArchive(join(run, ARCHIVE));
  const changed = [...files].map(([path, content]) => ({
    path,
    content:
      path === 'environment.json'
        ? Buffer.from(`${content}`.replace(/"cores": \d+/, '"cores": 99'))
        : content,
  }));
  writeFileSync(join(run, ARCHIVE), gzipSync(tarOf(changed)));
  assert.throws(
    () => withRun(run, () => 1),
    (e) => e instanceof BenchError && /environment\.json: changed/.test(e.message),
  );
});

test('an entry of a kind that the reader passes over is seen all the same', (t) => {
  const run = join(workFolder(t), 'sparse');
  smallRun(run);
  packRun(run);
  const path = join(run, ARCHIVE);
  const tar = gunzipSync(readFileSync(path));
  // The kind of the first entry, and the sum over its header.
  tar[156] = 'S'.charCodeAt(0);
  tar.fill(' ', 148, 156);
  const sum = tar.subarray(0, 512).reduce((n, byte) => n + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  writeFileSync(path, gzipSync(tar));
  assert.throws(() => readArchive(path), /is no file but a/);
});
