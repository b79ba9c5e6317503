import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sizeOfFolder } from '../engines/disk.js';
import { areSizesApart, diskBytesAt, footprintOf } from './footprint.js';

/** @param {number} t @param {number | null} bytes */
const sample = (t, bytes) => /** @type {any} */ ({ t: t + 40, disk: bytes === null ? null : { t, bytes } });

test('the size on disk is the last that was read while the load rested', () => {
  const samples = [sample(1000, 10), sample(2000, 20), sample(2500, 30), sample(3000, 40)];
  assert.equal(diskBytesAt(samples, 2600), 30);
  assert.equal(diskBytesAt(samples, 1900), 10);
  assert.equal(diskBytesAt(samples, 900), null, 'nothing was read by then');
  assert.equal(diskBytesAt(samples, 9000), null, 'a reading under load is not one at rest');
  assert.equal(diskBytesAt([sample(1000, null)], 1500), null);
});

test('what a system does not say is null, and why is kept', () => {
  const dataset = /** @type {any} */ ({ bytes: 1000 });
  const note = { documents: 1, before: null, compaction: null, after: null, problem: 'ERR unknown command' };
  assert.deepEqual(footprintOf(note, dataset, []), {
    documents: 1,
    rawBytes: 1000,
    counter: 'none',
    before: { ownBytes: null, diskBytes: null },
    compaction: null,
    after: null,
    problem: 'ERR unknown command',
  });
});

test('sizes are apart by more than a tenth of the larger one, and where both are known alone', () => {
  const of = (/** @type {number} */ median) => ({ median });
  assert.equal(areSizesApart(of(91), of(100)), false);
  assert.equal(areSizesApart(of(89), of(100)), true);
  assert.equal(areSizesApart(of(100), of(89)), true);
  assert.equal(areSizesApart(of(100), of(0)), false, 'it writes no files');
  assert.equal(areSizesApart(of(0), of(100)), true, 'nothing is in its tables yet');
  assert.equal(areSizesApart(null, of(100)), false);
  assert.equal(areSizesApart(of(100), null), false);
});

test('a folder takes what its files take, whatever lies below it, without those that are left out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lb-disk-'));
  try {
    mkdirSync(join(folder, 'below'));
    writeFileSync(join(folder, 'a'), Buffer.alloc(100_000, 1));
    writeFileSync(join(folder, 'below', 'b'), Buffer.alloc(50_000, 1));
    writeFileSync(join(folder, 'log'), Buffer.alloc(50_000, 1));
    const size = await sizeOfFolder(folder, [join(folder, 'log')]);
    assert.ok(size >= 150_000 && size < 170_000, String(size));
    assert.equal(await sizeOfFolder(join(folder, 'gone')), 0);
    const whole = await sizeOfFolder(folder);
    // What a log reserves beyond its end is not data, and neither are the holes of a sparse file.
    writeFileSync(join(folder, 'reserved'), 'x');
    if (spawnSync('fallocate', ['--keep-size', '--length', '10MiB', join(folder, 'reserved')]).status === 0)
      assert.ok((await sizeOfFolder(folder)) - whole < 10_000);
    rmSync(join(folder, 'reserved'));
    writeFileSync(join(folder, 'sparse'), '');
    truncateSync(join(folder, 'sparse'), 10_000_000);
    assert.ok((await sizeOfFolder(folder)) - whole < 10_000);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
