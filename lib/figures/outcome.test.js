import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareTrials, refused } from './compare.js';
import { outcomeOf } from './lead.js';

const TRIALS = [1, 2, 3, 4, 5];
const head = (/** @type {string} */ a, /** @type {string} */ b) =>
  /** @type {const} */ ({ a, b, metric: 'throughput' });
/** @param {string} a @param {string} b @param {number} times @returns that a does so many times as much */
const met = (a, b, times) =>
  compareTrials(
    head(a, b),
    TRIALS.map((i) => Math.log(times) + i / 1000),
  );
const unlike = (/** @type {string} */ a, /** @type {string} */ b) =>
  refused(head(a, b), [{ code: 'unlike', key: 'durability' }]);

test('beside a winner stands who was compared with it, and nobody under another promise', () => {
  const apart = ['memory', 'memory2'].flatMap((id) =>
    ['synced', 'synced2'].map((other) => unlike(id, other)),
  );
  const systems = ['synced', 'memory', 'synced2', 'memory2'];
  const won = outcomeOf(systems, [met('synced', 'synced2', 2), met('memory', 'memory2', 1), ...apart]);
  assert.deepEqual([won.outcome, won.winners, won.others], ['winner', ['synced'], ['synced2']]);
  assert.deepEqual(
    [won.factors, won.interval].flat().map((v) => v.toPrecision(3)),
    ['2.01', '2.01', '2.00', '2.01'],
  );
  const tied = outcomeOf(systems, [unlike('synced', 'synced2'), met('memory', 'memory2', 1), ...apart]);
  assert.deepEqual([tied.outcome, tied.winners, tied.others], ['tie', [], ['memory', 'memory2']]);
});

test('where nobody is a rival of anybody all are named, and so is a system alone', () => {
  const refusedBoth = outcomeOf(['memory', 'synced'], [unlike('memory', 'synced')]);
  assert.deepEqual([refusedBoth.outcome, refusedBoth.others], ['not comparable', ['memory', 'synced']]);
  const alone = outcomeOf(['memory'], []);
  assert.deepEqual([alone.outcome, alone.others], ['not compared', ['memory']]);
});
