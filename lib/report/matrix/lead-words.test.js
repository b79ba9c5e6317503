import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leadText } from './lead-words.js';

const plan = /** @type {any} */ ({
  systems: [
    { id: 'a', title: 'Alpha' },
    { id: 'b', title: 'Beta' },
  ],
});
/** @param {number} estimate */
const trend = (estimate) =>
  /** @type {any} */ ({
    ...{ verdict: 'trend', winner: 'a', beaten: ['b'], systems: ['a', 'b'], why: null },
    ratio: { estimate, low: null, high: null, pairs: 1 },
  });

test('a trend names who is ahead, unless it is no further than a tie would be', () => {
  assert.equal(leadText(plan, trend(1.84)), 'trend: Alpha 1.84× (1 of 5 repeats)');
  assert.equal(leadText(plan, trend(1.004)), 'trend: within ±5 % (1 of 5 repeats)');
});
