import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promiseProblems } from './promises.js';

/** @param {object} promise @returns {string} */
function problemOf(promise) {
  const whole = {
    title: 'it keeps to this',
    metric: 'throughput',
    load: { workload: 'counters' },
    ...promise,
  };
  return promiseProblems(/** @type {any} */ ({ promises: [whole] })).join('\n');
}

test('a promise that nothing could keep or break is refused in one line', () => {
  for (const [promise, why] of /** @type {[object, RegExp][]} */ ([
    [{ metric: 'failures', atLeast: 1 }, /^promises\.0: of failures only "atMost" can be promised/],
    [{ metric: 'failures', atMost: 1, against: { users: 1 } }, /against nothing$/],
    [{ metric: 'failures', atMost: 1, or: { against: { users: 1 }, atMost: 2 } }, /against nothing$/],
    [{ metric: 'mean', atMost: 2, against: { system: 'other' } }, /"against" may have no "system"$/],
    [{ metric: 'p99', atMost: 2, against: { storage: true } }, /the storage does alone is a throughput/],
    [{ atLeast: 2, against: { system: 'other', users: 1 } }, /a system, or the storage, or fields/],
    [{ atLeast: 2, against: { storage: true, depth: 2 } }, /a system, or the storage, or fields/],
    [{ metric: 'p99', atMost: 0, against: { users: 1 } }, /no ratio is 0 or less$/],
    [{ atLeast: 1, against: { users: 1 }, or: { atMost: 0, against: { users: 2 } } }, /no ratio is 0/],
  ]))
    assert.match(problemOf(promise), why, JSON.stringify(promise));
});

test('what has a meaning is taken', () => {
  for (const promise of [
    { metric: 'failures', atMost: 0 },
    { metric: 'mean', atMost: 2.5, against: { operation: 'two' } },
    { atLeast: 0.5, against: { storage: true } },
    { atLeast: 1, against: { system: 'other' }, or: { against: { storage: true }, atLeast: 0.9 } },
    { metric: 'p95', atMost: 3, against: { users: 1, dataset: { scale: 10 } } },
  ])
    assert.equal(problemOf(promise), '', JSON.stringify(promise));
});
