import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../judge/testing.js';
import { fitted, fittingMs } from './fit.js';

/** @typedef {import('../types.d.ts').CellPlan} CellPlan */

const plan = /** @type {any} */ ({ options: {}, profile: { steps: [] } });
const step = { id: 'c4', model: 'closed', vus: 4, durationSec: 10 };
const cell = /** @type {CellPlan} */ (/** @type {unknown} */ ({ role: 'system', step }));

/**
 * @param {object[]} reasons
 * @param {object} [result]
 */
function wanted(reasons, result = {}) {
  const record = aCell({ reasons: /** @type {any} */ (reasons), result: { durationMs: 10_000, ...result } });
  return fittingMs(cell, record, plan);
}

test('a window becomes as long as what is short in it asks for, a little more, and no longer than it may be', () => {
  const few = (/** @type {number} */ measured) => ({ code: 'too_few', measured, limit: 1000 });
  assert.equal(wanted([few(500)]), 24_000);
  assert.equal(wanted([few(10)]), 80_000, 'not everything is believed at once');
  assert.equal(wanted([few(0)], { count: 0 }), 80_000);
  assert.equal(wanted([few(100)], { durationMs: 60_000 }), 120_000);
  assert.equal(wanted([few(100)], { durationMs: 120_000 }), 0, 'as long as it may be');
  assert.equal(wanted([few(500), { code: 'window_too_short', measured: 10_000, limit: 30_000 }]), 36_000);
  assert.equal(wanted([]), 0);
});

test('figures that contradict each other need a longer window only where theirs is short for its latency', () => {
  const serviceMs = (/** @type {number} */ mean) => ({ serviceMs: { mean, p99: 2 * mean } });
  assert.equal(wanted([{ code: 'littles_law' }], serviceMs(2000)), 36_000);
  assert.equal(wanted([{ code: 'littles_law' }], serviceMs(20)), 0);
});

test('nothing that a longer window does not mend, and nothing whose length is what is asked, runs again', () => {
  const reason = { code: 'too_few', measured: 500, limit: 1000 };
  assert.equal(wanted([{ code: 'errors', measured: 1, limit: 0 }]), 0);
  assert.equal(wanted([reason], { count: 100, errors: { status: 900 } }), 0, 'it gives little but failures');
  const record = aCell({ reasons: /** @type {any} */ ([reason]), result: { durationMs: 10_000 } });
  for (const other of [
    { ...cell, role: 'durability' },
    { ...cell, step: { ...step, soak: true } },
    { ...cell, step: { ...step, durationSec: undefined, operations: 400 } },
  ])
    assert.equal(fittingMs(/** @type {any} */ (other), record, plan), 0);
  assert.equal(
    fittingMs(cell, record, /** @type {any} */ ({ options: { script: {} }, profile: { steps: [] } })),
    0,
  );
  assert.equal(
    fittingMs(cell, record, /** @type {any} */ ({ options: {}, profile: { steps: [], fitWindows: false } })),
    0,
  );
  assert.equal(fittingMs(cell, { ...record, status: 'failed' }, plan), 0);
  const following = { options: {}, profile: { steps: [step, { ...step, background: { ratePerSec: 10 } }] } };
  assert.equal(fittingMs(cell, record, /** @type {any} */ (following)), 0);
});

test('a load keeps its share of a longer window for each group of its operations', () => {
  const workload = /** @type {any} */ ({ operations: { set: {}, get: {} } });
  assert.equal(fitted(cell, workload, 0), cell);
  assert.equal(fitted(cell, workload, 24_000).step.durationSec, 48);
  assert.equal(fitted(cell, workload, 1000).step.durationSec, 10, 'never less than planned');
});
