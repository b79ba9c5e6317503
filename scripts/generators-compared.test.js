import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRng } from '../lib/stats/rng.js';
import { compared, percentilesOf } from './generators-compared.js';

/** @param {number} factor of several generators @param {number} noise at most, either way */
function rounds(factor, noise) {
  const random = createRng(7);
  const of = (/** @type {number} */ ms) => ({ 'c8 service p99': ms * Math.exp(noise * (2 * random() - 1)) });
  return Array.from({ length: 8 }, () => ({
    ones: /** @type {[any, any]} */ ([of(2), of(2)]),
    several: of(2 * factor),
  }));
}

test('several generators that measure the same are within the noise, and a tenth more is not', () => {
  const [same] = compared(rounds(1, 0.05));
  assert.equal(same.within, true);
  assert.ok(same.ratio.low < 1.05 && same.ratio.high > 0.95);
  const [more] = compared(rounds(1.1, 0.01));
  assert.equal(more.within, false);
  assert.ok(more.ratio.low > 1.05 && more.ratio.high < 1.15, JSON.stringify(more));
  assert.equal(compared(rounds(1.1, 0.5))[0].within, true, 'what is smaller than the noise is not seen');
});

test('operations of a step are one percentile, and what was not measured is none', () => {
  const record = (/** @type {object} */ over = {}) =>
    /** @type {any} */ ({
      ...{ cell: 'a', step: { id: 'c8' }, status: 'ok', reason: null, oracle: { ok: true }, role: 'system' },
      operations: {
        get: { serviceMs: { p50: 1, p90: 2, p99: 4 }, responseMs: null },
        ping: { serviceMs: { p50: 4, p90: 2, p99: 9 }, responseMs: null },
      },
      ...over,
    });
  const beside = record({ role: 'calibration', oracle: null });
  assert.deepEqual(percentilesOf([beside, record()]), {
    'c8 service p50': 2,
    'c8 service p90': 2,
    'c8 service p99': 6,
  });
  assert.throws(() => percentilesOf([record({ status: 'failed', reason: 'gone' })]), /a: failed, gone/);
  const generators = { missing: [{ runner: 2, problem: 'it left no result' }] };
  assert.throws(() => percentilesOf([record({ generators })]), /a: generator 2: it left no result/);
  assert.throws(() => percentilesOf([record({ oracle: { ok: false } })]), /does not hold/);
});
