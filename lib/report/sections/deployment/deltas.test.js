import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../../../judge/testing.js';
import { rowsOf } from '../../rows.js';
import { deltaText, pairedDelta, plainDelta, unpairedDelta } from './deltas.js';

test('a change is bold when its whole interval lies outside ±5 % and there are five repeats', () => {
  assert.equal(deltaText({ estimate: 1.25, low: 1.19, high: 1.31 }, 5), '**+25 % (+19 % to +31 %)**');
  assert.equal(deltaText({ estimate: 0.5, low: 0.4, high: 0.6 }, 5), '**−50 % (−60 % to −40 %)**');
  assert.equal(deltaText({ estimate: 0.5, low: 0.4, high: 0.6 }, 4), '−50 % (−60 % to −40 %)');
  assert.equal(deltaText({ estimate: 1.04, low: 0.99, high: 1.3 }, 9), '+4.0 % (−1.0 % to +30 %)');
  assert.equal(deltaText({ estimate: 3, low: 3, high: 3 }, 1), '+200 % (one pair)');
});

test('a change pairs the repeats in which both are valid', () => {
  const cells = (/** @type {string} */ system, /** @type {number[]} */ rates, /** @type {number} */ bad) =>
    rates.map((ratePerSec, i) =>
      aCell({
        system,
        repeat: i + 1,
        ratePerSec,
        reasons: i === bad ? [{ code: 'errors', measured: 1, limit: 0 }] : [],
      }),
    );
  const [a, b] = rowsOf([
    ...cells('a', [100, 100, 100, 100, 100, 7], 5),
    ...cells('b', [200, 200, 200, 200, 200, 200], -1),
  ]);
  assert.equal(
    pairedDelta(a, b, (c) => c.operations.get?.ratePerSec),
    '**+100 % (+100 % to +100 %)**',
  );
  assert.equal(
    pairedDelta(a, b, () => null),
    null,
    'what was not measured has no change',
  );
});

test('one number against another has a change without an interval, and none against nothing', () => {
  assert.equal(plainDelta(100, 8), '−92 %');
  assert.equal(plainDelta(null, 8), null);
  assert.equal(unpairedDelta([], [1]), null);
  assert.match(String(unpairedDelta([1, 1.1, 0.9, 1, 1], [2, 2.1, 1.9, 2, 2])), /^\*\*\+100 % \(/);
});
