import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { packColumns, unpackColumns } from './columns.js';
import { addTo, encodeCounts, noCounts } from './counts.js';
import { createRng } from './rng.js';

/** @param {Record<string, string | Buffer>} files */
function mapOf(files) {
  return new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]));
}

/** @param {Map<string, Buffer>} files */
function again(files) {
  return new Map(unpackColumns(packColumns(files)).map(({ name, content }) => [name, content]));
}

/** @param {() => number} random @param {number} depth @returns {any} */
function anything(random, depth) {
  const one = (/** @type {any[]} */ of) => of[Math.floor(random() * of.length)];
  const many = (/** @type {() => any} */ make) => Array.from({ length: Math.floor(random() * 9) }, make);
  const kinds = [
    () => one([null, true, false, 0, -1, 1e21, 5e-324, 2 ** 53, -(2 ** 51), 2 ** 51 + 2]),
    () => Math.round(random() * 1e6) / one([1, 10, 1000, 1e6, 7]),
    () => one(['', 'x', 'ä\ud800', '\u2028"\\', 'HISTFA', 'HISTFAAAAAA=']),
    () => many(() => anything(random, depth + 1)),
    () =>
      Object.fromEntries(many(() => [one(['a', 'b', '2', '1', 'constructor']), anything(random, depth + 1)])),
  ];
  return one(depth < 4 ? kinds : kinds.slice(0, 3))();
}

test('every file comes back byte for byte, of whatever values and however written', () => {
  const random = createRng(5);
  for (let round = 0; round < 60; round++) {
    const values = Array.from({ length: 12 }, () => anything(random, 0));
    const files = mapOf({
      ...Object.fromEntries(values.map((v, i) => [`raw/${i}.cell.json`, JSON.stringify(v)])),
      ...Object.fromEntries(
        values.map((v, i) => [`results/${i}.r1.json`, `${JSON.stringify(v, null, 2)}\n`]),
      ),
      'raw/a.resources.ndjson': values.map((v) => `${JSON.stringify(v)}\n`).join(''),
    });
    assert.deepEqual(again(files), new Map([...files].sort()));
  }
});

test('what is not as JSON.stringify writes it is kept as it is', () => {
  const deep = `${'['.repeat(70)}${']'.repeat(70)}`;
  const files = mapOf({
    ...{ 'raw/a.json': '{"a": 1}', 'raw/b.json': '{"a":1.0}', 'raw/c.json': '', 'raw/d.json': '{"a":1}\n\n' },
    ...{ 'raw/e.json': '{"__proto__":{"a":1}}', 'raw/f.json': '{"a":1,"a":1}', 'raw/g.json': '-0' },
    ...{ 'raw/h.json': deep, 'raw/i.ndjson': '{}', 'raw/j.json': Buffer.from([0xff, 0, 0xfe]) },
  });
  assert.deepEqual(again(files), files);
  assert.equal(/** @type {any} */ ({}).a, undefined);
});

test('a histogram is kept as the counts of its buckets, and comes back as the same text', () => {
  const random = createRng(9);
  const counts = noCounts();
  counts.highest = 600_000_000n;
  for (let i = 0; i < 20_000; i++) addTo(counts, Math.floor(20_000 * random() ** 4), 1);
  const { data } = encodeCounts(counts);
  const files = mapOf({ 'raw/a.histograms.json': JSON.stringify({ windows: [{ service: { data } }] }) });
  assert.deepEqual(again(files), files);
  const packed = brotliDecompressSync(packColumns(files).subarray(8));
  assert.equal(packed.includes('HISTFA'), false);
});

test('only what is wanted is given', () => {
  const files = mapOf({ 'raw/a.cell.json': '{"a":1}', 'raw/b.cell.json': '{"a":2}', 'results/a.json': '{}' });
  const given = unpackColumns(packColumns(files), (name) => name.includes('b.'));
  assert.deepEqual(given, [{ name: 'raw/b.cell.json', content: Buffer.from('{"a":2}') }]);
});

test('what was changed on its way is refused or read as other files, in bounded time and memory', () => {
  const random = createRng(3);
  const values = Array.from({ length: 30 }, () => anything(random, 0));
  const good = packColumns(
    mapOf(Object.fromEntries(values.map((v, i) => [`raw/${i}.cell.json`, JSON.stringify(v)]))),
  );
  const plain = brotliDecompressSync(good.subarray(8));
  for (let round = 0; round < 2000; round++) {
    const spoilt = Buffer.from(plain);
    for (let n = 0; n < 3; n++) spoilt[Math.floor(random() * spoilt.length)] = Math.floor(random() * 256);
    const packed = Buffer.concat([good.subarray(0, 8), brotliCompressSync(spoilt, { params: { 1: 1 } })]);
    try {
      const size = unpackColumns(packed).reduce((sum, { content }) => sum + content.length, 0);
      assert.ok(size < 8 << 20, `${size} bytes`);
    } catch (error) {
      assert.ok(error instanceof Error && !(error instanceof assert.AssertionError), String(error));
    }
  }
});
