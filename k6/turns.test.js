import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callMs, drawnOf, restEvery } from './turns.js';

test('each turn of a round is as often the first after a rest as any other', () => {
  for (const round of [1, 3, 12]) {
    /** @type {number[]} */
    const firsts = Array(round).fill(0);
    let rests = 0;
    for (let turn = 1; rests < 10 * round; turn++) {
      if (turn % restEvery(round) !== 0) continue;
      rests++;
      firsts[turn % round]++;
    }
    assert.deepEqual(firsts, Array(round).fill(10));
  }
});

test('a draw falls into the share of an operation, and the last one takes what rounding leaves', () => {
  const mix = { write: 0.7, note: 0.3 };
  assert.deepEqual(
    [0, 0.699, 0.701, 0.999999].map((draw) => drawnOf(mix, draw)),
    ['write', 'write', 'note', 'note'],
  );
  assert.equal(drawnOf({ a: 0.1, b: 0.2 }, 0.5), 'b');
});

test('calls are longer the more users there are, and the first ones end at different moments', () => {
  assert.deepEqual([callMs(1, 1, false), callMs(400, 1, false), callMs(5000, 1, false)], [50, 400, 1000]);
  const firsts = Array.from({ length: 16 }, (_, user) => callMs(1000, user, true));
  assert.equal(new Set(firsts).size, 16);
  assert.equal(Math.max(...firsts), 1000);
});
