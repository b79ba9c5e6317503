import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partProblems } from './validate.js';

/** @param {object} promise @returns {string} */
function problemOf(promise) {
  const whole = {
    title: 'it keeps to this',
    metric: 'throughput',
    load: { workload: 'counters' },
    ...promise,
  };
  return partProblems('stack', 'SystemPromise', whole).join('\n');
}

test('a promise that nothing could keep or break is refused in one line', () => {
  const senseless = /^top level: says nothing: failures have "atMost" alone, against nothing; [^\n]*$/;
  const [several, others] = [/^against: must have a system, or the storage, or fields/, { system: 'other' }];
  for (const [promise, why] of /** @type {[object, RegExp][]} */ ([
    [{ metric: 'failures', atLeast: 1 }, senseless],
    [{ metric: 'failures', atMost: 1, against: { users: 1 } }, senseless],
    [{ metric: 'failures', atMost: 1, or: { against: { users: 1 }, atMost: 2 } }, senseless],
    [{ metric: 'mean', atMost: 2, against: others }, senseless],
    [{ metric: 'mean', atMost: 2, or: { atMost: 1, against: others } }, senseless],
    [{ metric: 'p99', atMost: 2, against: { storage: true } }, senseless],
    [{ metric: 'p99', atMost: 2, or: { atMost: 1, against: { storage: true } } }, senseless],
    [{ metric: 'p99', atMost: 0, against: { users: 1 } }, senseless],
    [{ atLeast: 1, against: { users: 1 }, or: { atMost: 0, against: { users: 2 } } }, senseless],
    [{ atLeast: 2, against: { ...others, users: 1 } }, several],
    [{ atLeast: 2, against: { storage: true, depth: 2 } }, several],
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
