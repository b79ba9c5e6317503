import assert from 'node:assert/strict';
import { test } from 'node:test';
import { significant } from '../../../format.js';
import { aCell } from '../../../judge/testing.js';
import { rowsOf } from '../../../record/figures.js';
import { lifecyclesOf } from '../../../record/lifecycle-figures.js';
import { boundFindings, storageRows, storageShares } from './storage-bound.js';

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

const title = (/** @type {string} */ id) => id;

test('the lower of a multiple and of the storage is the bound, and its whole interval decides', () => {
  const [storageBound] = boundFindings(deployment({ own: 98_000, other: 50_000, storage: 97_000 }), title);
  assert.match(
    storageBound,
    /\*\*quick\*\*, target: 3 × slow, or what its storage does alone with a transaction for each 50 events/,
  );
  assert.match(storageBound, /The storage is the lower one: its storage alone is 0\.65 \(.*\) of 3 × slow/);
  assert.match(storageBound, /It does 1\.01 \(.*\) of that: \*\*target met\*\*/);

  const [multiple] = boundFindings(deployment({ own: 98_000, other: 20_000, storage: 97_000 }), title);
  assert.match(multiple, /The multiple is the lower one/);
  assert.match(multiple, /It does 1\.63 .*\*\*target met\*\*/);

  const [missed] = boundFindings(deployment({ own: 60_000, other: 50_000, storage: 97_000 }), title);
  assert.match(missed, /It does 0\.62 .*\*\*target not met\*\*/);

  const [doubtful] = boundFindings(deployment({ own: 92_000, other: 50_000, storage: 97_000 }), title);
  assert.match(doubtful, /undecided, the interval holds 0\.95/);

  const [close] = boundFindings(deployment({ own: 98_000, other: 97_000 / 3, storage: 97_000 }), title);
  assert.match(close, /cannot be told apart/);
});

test('without five repeats, or without a measured storage, nothing is decided', () => {
  const few = deployment({ own: 98_000, other: 50_000, storage: 97_000, repeats: 4 });
  assert.match(boundFindings(few, title)[0], /undecided, 4 of 5 repeats/);
  const none = { ...few, storage: [] };
  assert.match(boundFindings(none, title)[0], /undecided, there is no repeat/);
  assert.deepEqual(boundFindings({ ...few, main: 'single' }, title), []);
});

test('a step by count is held against a fresh table, a step by time against a grown one', () => {
  const grown = deployment({ own: 60_000, other: 50_000, storage: 97_000, noise: 0 });
  const grownBy = `${significant(350_000)} events`;
  assert.deepEqual(
    storageRows(grown).map((r) => [r.metric, ...r.values]),
    [
      [`storage alone on ${grownBy}, 50 events a transaction: events/s`, '–', significant(97_000)],
      [`storage alone on ${grownBy}, 1000 events a transaction: events/s`, '–', significant(120_000)],
    ],
  );
  assert.deepEqual(
    storageShares(grown, 'quick').map((s) => [s.perTransaction, s.share.estimate.toFixed(2), s.share.pairs]),
    [
      [50, '0.62', 5],
      [1000, '0.50', 5],
    ],
  );
  const fresh = deployment({ own: 75_000, other: 50_000, storage: 97_000, fresh: true, noise: 0 });
  assert.deepEqual(
    storageRows(fresh).map((r) => r.values[1]),
    [significant(70_000), significant(150_000)],
  );
  assert.match(
    boundFindings(fresh, title)[0],
    /its storage alone is 0\.47 \(.*It does 1\.07 \(.*\*\*target met\*\*/,
  );
});
