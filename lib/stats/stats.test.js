import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { judgeRatio } from '../judge/compare.js';
import { latencyOf } from './histogram.js';
import { createRng } from './rng.js';
import { median, medianInterval, pairedRatio, quantile, unpairedRatio } from './summary.js';

test('medians and quantiles of small sets', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(quantile([0, 10], 0.25), 2.5);
});

test('the interval of five values is nearly their range, and of one value is a point', () => {
  const { estimate, low, high } = medianInterval([10, 12, 11, 14, 13], 1);
  assert.equal(estimate, 12);
  assert.ok(low >= 10 && low <= 11 && high >= 13 && high <= 14, `${low} – ${high}`);
  assert.deepEqual(medianInterval([5], 1), { estimate: 5, low: 5, high: 5 });
});

test('a bootstrap interval covers the true median in most of many campaigns', () => {
  const random = createRng(3);
  let covered = 0;
  for (let i = 0; i < 200; i++) {
    const { low, high } = medianInterval(
      Array.from({ length: 9 }, () => random()),
      i,
    );
    if (low <= 0.5 && 0.5 <= high) covered++;
  }
  assert.ok(covered >= 180, `${covered} of 200`);
});

test('what both systems of a pair suffered cancels out of the ratio', () => {
  const pairs = [1, 0.5, 0.8, 1.2, 0.6].map((load) => ({ a: 2000 * load, b: 1000 * load }));
  const { estimate, low, high } = pairedRatio(pairs, 1);
  for (const value of [estimate, low, high]) assert.ok(Math.abs(value - 2) < 1e-9);
});

test('runs without pairs are resampled on each side', () => {
  const { estimate, low, high } = unpairedRatio([20, 21, 19, 20, 20], [10, 10, 11, 9, 10], 1);
  assert.equal(estimate, 2);
  assert.ok(low < 2 && high > 2);
});

test('ahead means outside ±5 %, equivalent means inside, and the rest is inconclusive', () => {
  assert.equal(judgeRatio({ estimate: 1.2, low: 1.06, high: 1.3 }), 'faster');
  assert.equal(judgeRatio({ estimate: 0.8, low: 0.7, high: 0.9 }), 'slower');
  assert.equal(judgeRatio({ estimate: 1.01, low: 0.97, high: 1.04 }), 'equivalent');
  assert.equal(judgeRatio({ estimate: 1.04, low: 0.9, high: 1.2 }), 'inconclusive');
  assert.equal(judgeRatio({ estimate: 1.08, low: 1.02, high: 1.2 }), 'inconclusive');
});

test('one system under two names is no winner in at least 95 % of 40 simulated campaigns, at any noise', () => {
  for (const noise of [0.02, 0.05, 0.1, 0.3]) {
    const random = createRng(Math.round(noise * 1000));
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    let named = 0;
    for (let campaign = 0; campaign < 40; campaign++) {
      const pairs = Array.from({ length: 5 }, () => ({
        a: 1000 * Math.exp(noise * normal()),
        b: 1000 * Math.exp(noise * normal()),
      }));
      if (['faster', 'slower'].includes(judgeRatio(pairedRatio(pairs, campaign)))) named++;
    }
    assert.ok(named <= 2, `${named} of 40 at a noise of ${noise}`);
  }
});

test('a real difference of 30 % is found', () => {
  const pairs = [1.28, 1.33, 1.3, 1.31, 1.27].map((a) => ({ a, b: 1 }));
  assert.equal(judgeRatio(pairedRatio(pairs, 1)), 'faster');
});

test('an interval is that of four thousand resamples, drawn and sorted one by one', () => {
  const random = createRng(7);
  for (const n of [2, 3, 4, 5, 8, 13]) {
    // Equal values among them, too.
    const values = Array.from({ length: n }, () => Math.round(random() * 6));
    const draw = createRng(n);
    const draws = Array.from({ length: 4000 }, () =>
      median(values.map(() => values[Math.floor(draw() * n)])),
    ).sort((a, b) => a - b);
    const plain = { estimate: median(values), low: quantile(draws, 0.025), high: quantile(draws, 0.975) };
    assert.deepEqual(medianInterval(values, n), plain);
  }
});

test('a histogram that unpacks to more than any of ours is refused before it does', () => {
  const packed = (/** @type {Buffer} */ plain) =>
    Buffer.concat([Buffer.from([0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 0]), deflateSync(plain)]).toString('base64');
  const of = (/** @type {Buffer} */ plain) =>
    latencyOf({ encoding: 'V2', unit: '100ns', data: packed(plain) });
  assert.throws(
    () => of(Buffer.alloc(100 << 20)),
    /a histogram cannot be read: it unpacks to more than 1048576 bytes/,
  );
  const wide = Buffer.alloc(64);
  wide.writeUInt32BE(5, 12);
  assert.throws(() => of(wide), /a histogram cannot be read: too many digits/);
  for (const data of ['', 'AAAA', packed(Buffer.alloc(3))])
    assert.throws(() => latencyOf({ encoding: 'V2', unit: '100ns', data }), /a histogram cannot be read/);
});
