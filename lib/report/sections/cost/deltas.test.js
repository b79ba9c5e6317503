import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../../../judge/testing.js';
import { figureOf } from '../../../record/figure.js';
import { rowsOf } from '../../../record/figures.js';
import { deltaText, pairedDelta, plainDelta } from './deltas.js';

/** @param {number[]} values */
const figure = (values) =>
  figureOf(
    values.map((v, i) => [i, v]),
    { why: [] },
  );

test('a change is bold when its whole interval lies outside ±5 % and there are five repeats', () => {
  const change = (/** @type {number[]} */ ratios) => pairedDelta(figure(ratios.map(() => 1)), figure(ratios));
  assert.equal(change([1.19, 1.25, 1.25, 1.25, 1.31]), '**+25 % (+18 % to +32 %)**');
  assert.equal(change([0.4, 0.5, 0.5, 0.5, 0.6]), '**−50 % (−61 % to −37 %)**');
  assert.equal(change([0.5, 0.5, 0.5, 0.5]), '−50 % (−50 % to −50 %)');
  assert.equal(change([0.99, 1.04, 1.04, 1.04, 1.3]), '+7.7 % (−9.6 % to +28 %)');
  assert.equal(change([3]), '+200 % (one pair)');
  assert.equal(deltaText(null), null);
});

test('a change pairs the repeats in which both are valid', () => {
  const cells = (/** @type {string} */ system, /** @type {number[]} */ rates, /** @type {number} */ bad) =>
    rates.map((ratePerSec, i) =>
      aCell({
        system,
        repeat: i + 1,
        ratePerSec,
        reasons: i === bad ? [{ code: 'oracle', measured: 1, limit: 0 }] : [],
      }),
    );
  const [a, b] = rowsOf([
    ...cells('a', [100, 100, 100, 100, 100, 7], 5),
    ...cells('b', [200, 200, 200, 200, 200, 200], -1),
  ]);
  assert.equal(pairedDelta(a.ratePerSec, b.ratePerSec), '**+100 % (+100 % to +100 %)**');
  assert.equal(pairedDelta(a.ratePerSec, b.responseP99Ms), null, 'what was not measured has no change');
});

test('what may not be ranked has no change', () => {
  const [a, b] = rowsOf([
    aCell({ system: 'a' }),
    aCell({ system: 'b', reasons: [{ code: 'unattributed' }] }),
  ]);
  assert.equal(pairedDelta(a.ratePerSec, b.ratePerSec), null);
  assert.equal(pairedDelta(a.systemCpuUsPerOp, b.systemCpuUsPerOp), '0.0 % (one pair)');
});

test('one number against another has a change without an interval, and none against nothing', () => {
  assert.equal(plainDelta(100, 8), '−92 %');
  assert.equal(plainDelta(null, 8), null);
  assert.equal(pairedDelta(figure([]), figure([1])), null);
  assert.match(
    String(pairedDelta(figure([1, 1.1, 0.9, 1, 1]), figure([2, 2.1, 1.9, 2, 2]))),
    /^\*\*\+100 % \(/,
  );
});
