import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runTool } from '../process/tool.js';
import { lifecycleRecord } from '../record/lifecycle.js';
import { syncsWithin } from '../record/syncs.js';
import { lastJson } from './programs.js';
import { bytesOf } from './size.js';
import { readTrace, syncCounter } from './syncs.js';

const work = mkdtempSync(join(tmpdir(), 'lb-lifecycle-'));
after(() => rmSync(work, { recursive: true, force: true }));

test('a tracer’s lines are syncs with their time, and only those inside a window count', () => {
  const trace = join(work, 'lines.txt');
  writeFileSync(
    trace,
    '4711 1700000000.100000 fdatasync(5) = 0 <0.004000>\n' +
      '4711 1700000000.200000 fdatasync(5 <unfinished ...>\n' +
      '4712 1700000000.250000 fsync(7)       = 0 <0.001500>\n' +
      '4711 1700000000.300000 <... fdatasync resumed>) = 0 <0.100000>\n' +
      '4711 1700000009.000000 fdatasync(5) = 0 <0.004000>\n' +
      '4711 1700000009.100000 +++ exited with 0 +++\n',
  );
  const calls = readTrace(trace);
  assert.deepEqual(calls, {
    fdatasync: [
      [1700000000100, 4],
      [1700000000200, 100],
      [1700000009000, 4],
    ],
    fsync: [[1700000000250, 1.5]],
  });
  assert.deepEqual(syncsWithin(calls, [{ startMs: 1700000000150, endMs: 1700000001000 }]), {
    calls: { fdatasync: 1, fsync: 1 },
    ms: 101.5,
  });
});

test('a program that syncs seven times is counted to have done so', async (t) => {
  const counter = await syncCounter();
  if ('problem' in counter) return t.skip(counter.problem);
  const script = `const fs = require('fs'); const fd = fs.openSync('${join(work, 'file')}', 'w');
    for (let i = 0; i < 5; i++) fs.fdatasyncSync(fd); fs.fsyncSync(fd); fs.fsyncSync(fd);`;
  const trace = join(work, 'trace.txt');
  const { ok, stderr } = await runTool(counter.wrap(trace)([process.execPath, '-e', script]));
  assert.ok(ok, stderr);
  const calls = readTrace(trace);
  assert.deepEqual([calls.fdatasync.length, calls.fsync.length], [5, 2]);
  const [[at, took]] = calls.fsync;
  assert.ok(Math.abs(Date.now() - at) < 10_000, 'moments are those of the wall clock');
  assert.ok(took >= 0 && took < 5000, `${took} ms`);
});

test('the size of a folder is that of its files, links not followed', () => {
  mkdirSync(join(work, 'tree', 'deep'), { recursive: true });
  writeFileSync(join(work, 'tree', 'a'), 'x'.repeat(1000));
  writeFileSync(join(work, 'tree', 'deep', 'b'), 'x'.repeat(500));
  symlinkSync('/usr', join(work, 'tree', 'link'));
  assert.equal(bytesOf(join(work, 'tree')), 1500 + '/usr'.length);
});

test('the last JSON object of an output is the answer, whatever talk there is', () => {
  assert.deepEqual(lastJson('talk\n{"a": 1}\n{"b": 2}\n[3]\n12\n'), { b: 2 });
  assert.equal(lastJson('nothing\n'), null);
});

test('idle memory is the median of the starts in which it was read', () => {
  const idle = [30, 10, 20].map((rssBytes) => ({ settledSec: 3, rssBytes, residentBytes: rssBytes * 2 }));
  const record = lifecycleRecord(
    {
      schemaVersion: 1,
      system: 'a',
      status: 'ok',
      reason: null,
      startMs: [3, 1, 2],
      idle,
      runtime: [],
    },
    [],
  );
  assert.deepEqual([record.idleRssBytes, record.idleResidentBytes], [20, 40]);
  assert.deepEqual(record.startMs, [3, 1, 2]);
});
