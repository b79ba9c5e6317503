import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leadText, unlikeText } from './lead-words.js';

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

test('what is not compared says in what the systems differ, their promises first', () => {
  assert.equal(
    unlikeText({ unlike: ['durability unknown'] }),
    'not compared: what an acknowledgement means is not known of all',
  );
  assert.equal(
    unlikeText({ unlike: ['connections 10 ≠ 20', 'durability none ≠ fsync'] }),
    'not compared: durability none ≠ fsync',
  );
  assert.equal(unlikeText({ unlike: ['cpuLimit null ≠ 1'] }), 'not compared: cpu limit null ≠ 1');
  assert.equal(unlikeText({}), '–', 'a system alone');
});
