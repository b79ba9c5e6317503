import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { latencyOf } from './histogram.js';
import { intervalOf } from './interval.js';
import { createRng } from './rng.js';
import { median, medianInterval, quantile } from './summary.js';

test('medians and quantiles of small sets', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(quantile([0, 10], 0.25), 2.5);
});

test('the interval of a median lies between order statistics: of few values their range, of one a point', () => {
  assert.deepEqual(medianInterval([10, 12, 11, 14, 13]), { estimate: 12, low: 10, high: 14 });
  assert.deepEqual(medianInterval([5]), { estimate: 5, low: 5, high: 5 });
  // Tables of the sign test: of 12 values the third from either end, of 20 the sixth.
  const upTo = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => i + 1);
  const ends = (/** @type {number} */ n) => [medianInterval(upTo(n)).low, medianInterval(upTo(n)).high];
  assert.deepEqual([6, 8, 9, 12, 20].map(ends), [
    [1, 6],
    [1, 8],
    [2, 8],
    [3, 10],
    [6, 15],
  ]);
});

test('it covers the true median in 95 % of many campaigns, whatever the distribution', () => {
  const random = createRng(3);
  const draws = [() => random(), () => random() ** 8, () => 1 / (0.001 + random())];
  const medians = [0.5, 0.5 ** 8, 1 / 0.501];
  draws.forEach((draw, k) => {
    let covered = 0;
    for (let i = 0; i < 1000; i++) {
      const { low, high } = medianInterval(Array.from({ length: 9 }, draw));
      if (low <= medians[k] && medians[k] <= high) covered++;
    }
    assert.ok(covered >= 940, `${covered} of 1000`);
  });
});

test('what both suffered in a trial cancels out of the interval of their ratio', () => {
  const both = [1, 0.5, 0.8, 1.2, 0.6].map((load) => Math.log(2000 * load) - Math.log(1000 * load));
  const { mean, low, high, n } = /** @type {NonNullable<ReturnType<typeof intervalOf>>} */ (intervalOf(both));
  for (const value of [mean, low, high]) assert.ok(Math.abs(value - Math.log(2)) < 1e-9);
  assert.equal(n, 5);
});

test('before the first look an interval of all trials is shown, by Student’s t', () => {
  const of = (/** @type {number[]} */ values) => {
    const found = intervalOf(values);
    return found && [found.mean, found.low, found.high, found.n].map((v) => Number(v.toFixed(2)));
  };
  assert.equal(of([]), null);
  assert.deepEqual(of([0.3]), [0.3, 0.3, 0.3, 1]);
  assert.deepEqual(of([0.1, 0.3]), [0.2, -1.07, 1.47, 2]);
  assert.deepEqual(
    of([0.1, 0.2, 0.3, 0.4, 0.5, 0.9]),
    [0.3, 0.04, 0.56, 5],
    'the sixth waits for the next look',
  );
});

test('a histogram that unpacks to more than any of ours is refused before it does', () => {
  const packed = (/** @type {Buffer} */ plain) =>
    Buffer.concat([Buffer.from([0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 0]), deflateSync(plain)]).toString('base64');
  const of = (/** @type {Buffer} */ plain) =>
    latencyOf({ encoding: 'V2', unit: '100ns', data: packed(plain) });
  assert.throws(() => of(Buffer.alloc(100 << 20)), /a histogram cannot be read: .*larger than 1048576 bytes/);
  const wide = Buffer.alloc(64);
  wide.writeUInt32BE(0x1c849313);
  wide.writeUInt32BE(5, 12);
  assert.throws(() => of(wide), /a histogram cannot be read: its buckets are not those of the others/);
  for (const data of ['', 'AAAA', packed(Buffer.alloc(3))])
    assert.throws(() => latencyOf({ encoding: 'V2', unit: '100ns', data }), /a histogram cannot be read/);
});
