import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparisonsOf } from '../../../figures/comparisons.js';
import { lifecyclesOf } from '../../../figures/lifecycles.js';
import { rowsOf } from '../../../figures/rows.js';
import { aCell } from '../../../judge/testing.js';
import { recordsOf } from '../../testing.js';
import { section } from '../promises/section.js';
import { storageOf } from './deployment.js';

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
      return { ...aCell(of), workload: 'events', step: /** @type {any} */ (step) };
    });
  const readings = (/** @type {number} */ r) => [
    { perTransaction: 50, storedBefore: 0, items: 1000, itemsPerSec: 70_000 },
    { perTransaction: 1000, storedBefore: 0, items: 1000, itemsPerSec: 150_000 },
    { perTransaction: 50, storedBefore: 300_000, items: 1000, itemsPerSec: shaken(storage, 6 - r) },
    { perTransaction: 1000, storedBefore: 400_000, items: 1000, itemsPerSec: 120_000 },
  ];
  const ceilings = numbers.map((repeat) => ({ repeat, line: { readings: readings(repeat) } }));
  const quick = { system: 'quick', startMs: [], ceilings };
  const facts = { id: 'events', shown: { item: 'event' }, operations: { batch: { items: 50 } } };
  const promise = {
    ...{ title: 't', metric: 'throughput', load: { workload: 'events', operation: 'batch', users: 40 } },
    ...{ against: { system: 'slow' }, atLeast: 3 },
    or: { against: { storage: true }, atLeast: 0.95 },
  };
  const rows = rowsOf([...cells('slow', other), ...cells('quick', own)]);
  return {
    plan: {
      ...{ profile: { steps: [step] }, workloads: [facts], trials: [] },
      systems: [{ id: 'slow' }, { id: 'quick', promises: [promise] }],
    },
    facts,
    stepId: 'c40',
    systems: ['slow', 'quick'],
    rows,
    comparisons: comparisonsOf(rows),
    storage: lifecyclesOf([/** @type {any} */ (quick)]),
  };
}

/** @param {any} deployment @returns {Record<string, string>} the row of the one promise */
function promiseOf({ plan, rows, comparisons, storage: lifecycle }) {
  return (section({ plan, rows, wholes: [], comparisons, lifecycle })?.tables ?? []).flatMap(recordsOf)[0];
}

test('a promise is kept by either of two ways, each by its whole interval', () => {
  const byStorage = promiseOf(deployment({ own: 98_000, other: 50_000, storage: 97_000 }));
  assert.equal(byStorage.verdict, 'met');
  assert.equal(byStorage.asked, '≥ 3, or ≥ 0.95 of what the storage does alone with 50 events a transaction');
  assert.match(byStorage['measured (95 % CI)'], /^1\.96 \(.*\), or 1\.01 \(/);
  const verdict = (/** @type {number} */ own, /** @type {number} */ other) =>
    promiseOf(deployment({ own, other, storage: 97_000 })).verdict;
  assert.equal(verdict(90_000, 20_000), 'met', 'by the other system alone');
  assert.equal(verdict(60_000, 50_000), 'not met');
  assert.equal(verdict(92_000, 50_000), 'inconclusive: the interval holds the limit');
});

test('without five repeats, or without a measured storage, nothing is decided', () => {
  const few = deployment({ own: 98_000, other: 50_000, storage: 97_000, repeats: 4 });
  assert.equal(promiseOf(few).verdict, 'inconclusive: 4 of 5 repeats');
  const unknown = deployment({ own: 98_000, other: 50_000, storage: 97_000 });
  assert.equal(promiseOf({ ...unknown, storage: [] }).verdict, 'inconclusive: no repeat has both figures');
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
  assert.match(promiseOf(fresh)['measured (95 % CI)'], /, or 1\.07 \(/);
});
