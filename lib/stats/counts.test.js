import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import * as hdr from 'hdr-histogram-js';
import { addCounts, encodeCounts, noCounts } from './counts.js';
import { latencyOf } from './histogram.js';
import { createRng } from './rng.js';

const HIGHEST = 600_000_000;

/** @param {number[]} units */
function encoded(units) {
  const histogram = hdr.build({
    highestTrackableValue: HIGHEST,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 64,
  });
  for (const value of units) histogram.recordValue(value);
  return { encoding: 'V2', unit: '100ns', data: hdr.encodeIntoCompressedBase64(histogram) };
}

/** @param {ReturnType<typeof encoded>[]} parts */
function merged(parts) {
  const sum = noCounts();
  for (const part of parts) addCounts(sum, part);
  return encodeCounts(sum);
}

test('histograms of any parts are the histogram of the whole, bit for bit, and read as one by HdrHistogram', () => {
  const random = createRng(11);
  for (let round = 0; round < 40; round++) {
    const n = 1 + Math.floor(random() * 3000);
    // From a tenth of a microsecond to a minute, and zero.
    const units = Array.from({ length: n }, () => Math.floor(HIGHEST ** random()) - 1);
    const whole = merged([encoded(units)]);
    for (const runners of [1, 2, 4, 16]) {
      const parts = Array.from({ length: runners }, (_, i) => units.filter((_, k) => k % runners === i));
      assert.deepEqual(merged(parts.map(encoded)), whole);
    }
    assert.deepEqual(latencyOf(whole), latencyOf(encoded(units)));
  }
});

test('counts beyond 32 bits add up', () => {
  const one = encoded([5000]);
  const sum = noCounts();
  addCounts(sum, one);
  sum.counts[sum.length - 1] = 2 ** 40;
  const large = encodeCounts(sum);
  const again = noCounts();
  for (let i = 0; i < 3; i++) addCounts(again, large);
  assert.equal(again.counts[again.length - 1], 3 * 2 ** 40);
  const twice = noCounts();
  addCounts(twice, encodeCounts(again));
  assert.deepEqual(twice, again);
});

test('what is no histogram, or one of other buckets, is refused', () => {
  const refused = (/** @type {string} */ data, /** @type {RegExp} */ why) =>
    assert.throws(() => addCounts(noCounts(), { encoding: 'V2', unit: '100ns', data }), why);
  refused('', /cannot be read/);
  refused(encoded([1, 2, 3]).data.slice(0, 20), /cannot be read/);
  const two = hdr.build({ numberOfSignificantValueDigits: 2 });
  refused(hdr.encodeIntoCompressedBase64(two), /buckets are not those/);
  const bomb = Buffer.concat([Buffer.alloc(8), deflateSync(Buffer.alloc(8 << 20))]);
  refused(bomb.toString('base64'), /cannot be read/);
  const sum = noCounts();
  addCounts(sum, encoded([1]));
  assert.throws(() => addCounts(sum, { ...encoded([1]), unit: '1us' }), /unit/);
});
