import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restsAfter } from './rests.js';

test('each turn of a round is as often the first after a rest as any other', () => {
  for (const round of [1, 3, 12]) {
    /** @type {number[]} */
    const firsts = Array(round).fill(0);
    let rests = 0;
    for (let turn = 1; rests < 10 * round; turn++) {
      if (!restsAfter(turn, round)) continue;
      rests++;
      firsts[turn % round]++;
    }
    assert.deepEqual(firsts, Array(round).fill(10));
  }
});
