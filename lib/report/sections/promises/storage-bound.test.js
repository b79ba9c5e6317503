import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../../../judge/testing.js';
import { rowsOf } from '../../../record/figures.js';
import { lifecyclesOf } from '../../../record/lifecycle-figures.js';
import { boundTargets, storageOf } from './storage-bound.js';

/**
 * Five repeats of two systems on a step by time, each operation of 50 items.
 * @param {{own: number, other: number, storage: number, repeats?: number, fresh?: boolean, noise?: number}} of
 *   items per second; `storage`: with a transaction for each operation, on a grown table
 * @returns {any} a deployment
 */
function deployment({ own, other, storage, repeats = 5, fresh = false, noise = 0.01 }) {
  const step = { id: 'c40', model: 'closed', vus: 40, ...(fresh ? { operations: 400 } : { durationSec: 8 }) };
  const numbers = Array.from({ length: repeats }, (_, i) => i + 1);
  const shaken = (/** @type {number} */ rate, /** @type {number} */ r) => rate * (1 + noise * (r - 3));
  const cells = (/** @type {string} */ system, /** @type {number} */ rate) =>
    numbers.map((repeat) => {
      const of = { system, repeat, vus: 40, operation: 'batch', ratePerSec: shaken(rate, repeat) / 50 };
      return { ...aCell(of), step: /** @type {any} */ (step) };
    });
  const readings = (/** @type {number} */ r) => [
    { perTransaction: 50, storedBefore: 0, items: 1000, itemsPerSec: 70_000 },
    { perTransaction: 1000, storedBefore: 0, items: 1000, itemsPerSec: 150_000 },
    { perTransaction: 50, storedBefore: 300_000, items: 1000, itemsPerSec: shaken(storage, 6 - r) },
    { perTransaction: 1000, storedBefore: 400_000, items: 1000, itemsPerSec: 120_000 },
  ];
  const ceilings = numbers.map((repeat) => ({ repeat, line: { readings: readings(repeat) } }));
  const quick = { system: 'quick', startMs: [], ceilings };
  const target = {
    title: 't',
    workload: 'events',
    operation: 'batch',
    connections: 40,
    against: 'slow',
    ratioAtLeast: 3,
    orStorage: true,
  };
  return {
    plan: { profile: { steps: [step] }, systems: [{ id: 'slow' }, { id: 'quick', targets: [target] }] },
    facts: { id: 'events', shown: { item: 'event' } },
    main: 'batch',
    items: 50,
    stepId: 'c40',
    systems: ['slow', 'quick'],
    rows: rowsOf([...cells('slow', other), ...cells('quick', own)]),
    storage: lifecyclesOf([/** @type {any} */ (quick)]),
  };
}

/** @param {any} of @returns {any} the one target */
const target = (of) => boundTargets(of)[0];

test('the lower of a multiple and of the storage is the bound, and its whole interval decides', () => {
  const storageBound = target(deployment({ own: 98_000, other: 50_000, storage: 97_000 }));
  assert.deepEqual([storageBound.least, storageBound.against, storageBound.storage.items], [3, 'slow', 50]);
  assert.equal(storageBound.storage.lower.ratio.estimate.toFixed(2), '0.65');
  assert.ok(storageBound.storage.lower.ratio.high < 1, 'the storage is the lower one');
  assert.deepEqual(
    [storageBound.comparison.ratio.estimate.toFixed(2), storageBound.verdict],
    ['1.01', 'met'],
  );

  const multiple = target(deployment({ own: 98_000, other: 20_000, storage: 97_000 }));
  assert.ok(multiple.storage.lower.ratio.low > 1, 'the multiple is the lower one');
  assert.deepEqual([multiple.comparison.ratio.estimate.toFixed(2), multiple.verdict], ['1.63', 'met']);

  assert.equal(target(deployment({ own: 60_000, other: 50_000, storage: 97_000 })).verdict, 'not met');
  assert.equal(
    target(deployment({ own: 92_000, other: 50_000, storage: 97_000 })).verdict,
    'undecided: the interval holds the limit',
  );
  const {
    storage: { lower },
  } = target(deployment({ own: 98_000, other: 97_000 / 3, storage: 97_000 }));
  assert.ok(lower.ratio.low < 1 && lower.ratio.high > 1, 'they cannot be told apart');
});

test('without five repeats, or without a measured storage, nothing is decided', () => {
  const few = deployment({ own: 98_000, other: 50_000, storage: 97_000, repeats: 4 });
  assert.deepEqual([target(few).verdict, target(few).comparison.n], ['undecided: 4 of 5 repeats', 4]);
  assert.equal(target({ ...few, storage: [] }).comparison, null);
  assert.deepEqual(boundTargets(/** @type {any} */ ({ ...few, main: 'single' })), []);
});

test('a step by count is held against a fresh table, a step by time against a grown one', () => {
  const grown = deployment({ own: 60_000, other: 50_000, storage: 97_000, noise: 0 });
  const toldOf = (/** @type {any} */ of, /** @type {string} */ id) =>
    storageOf(of, id).map((r) => [r.grown?.median, r.size, r.figure?.median]);
  assert.deepEqual(toldOf(grown, 'slow'), [
    [350_000, 50, undefined],
    [350_000, 1000, undefined],
  ]);
  assert.deepEqual(toldOf(grown, 'quick'), [
    [350_000, 50, 97_000],
    [350_000, 1000, 120_000],
  ]);
  const fresh = deployment({ own: 75_000, other: 50_000, storage: 97_000, fresh: true, noise: 0 });
  assert.deepEqual(toldOf(fresh, 'quick'), [
    [undefined, 50, 70_000],
    [undefined, 1000, 150_000],
  ]);
  const {
    storage: { lower },
    comparison: reached,
    verdict,
  } = target(fresh);
  assert.deepEqual(
    [lower.ratio.estimate.toFixed(2), reached.ratio.estimate.toFixed(2), verdict],
    ['0.47', '1.07', 'met'],
  );
});
