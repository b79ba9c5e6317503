import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interleave } from './order.js';

test('two systems run ABBA or BAAB, never all of one and then all of the other', () => {
  const order = interleave(['a', 'b'], 4, 7);
  assert.deepEqual(order[1], [...order[0]].reverse());
  assert.deepEqual(order[3], [...order[2]].reverse());
});

test('over many repeats no system owns the first place', () => {
  const order = interleave(['a', 'b', 'c'], 300, 11);
  for (const id of ['a', 'b', 'c']) {
    const first = order.filter((o) => o[0] === id).length;
    assert.ok(first > 70 && first < 130, `${id} came first ${first} times of 300`);
  }
});

test('the same seed gives the same order', () => {
  assert.deepEqual(interleave(['a', 'b', 'c'], 6, 5), interleave(['a', 'b', 'c'], 6, 5));
  assert.notDeepEqual(interleave(['a', 'b', 'c', 'd'], 6, 5), interleave(['a', 'b', 'c', 'd'], 6, 6));
});
