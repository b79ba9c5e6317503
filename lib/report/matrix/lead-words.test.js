import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leadsText, leadText, unlikeText } from './lead-words.js';

const plan = /** @type {any} */ ({
  systems: [
    { id: 'a', title: 'Alpha' },
    { id: 'b', title: 'Beta' },
    { id: 'c', title: 'Alpha (synced)' },
    { id: 'd', title: 'Beta (synced)' },
  ],
});
/** @param {number} estimate */
const trend = (estimate) =>
  /** @type {any} */ ({
    ...{ outcome: 'too few', winner: 'a', beaten: ['b'], systems: ['a', 'b'], why: null },
    ratio: { estimate, low: null, high: null, pairs: 1 },
  });

test('a trend names who is ahead, unless it is no further than a tie would be', () => {
  assert.equal(leadText(plan, trend(1.84)), '❔ too few repeats (1 of 5): Alpha 1.84×');
  assert.equal(leadText(plan, trend(1.004)), '❔ too few repeats (1 of 5): within ±5 %');
});

test('a verdict names whom it is about, unless it is about all who have a figure', () => {
  /** @param {string[]} systems @param {object} [rest] */
  const tie = (systems, rest) =>
    /** @type {any} */ ({ outcome: 'tie', winner: null, beaten: [], ratio: null, why: '', systems, ...rest });
  assert.equal(leadsText(plan, [tie(['a', 'b'])], 2), '➖ tie (within ±5 %)');
  assert.equal(leadsText(plan, [tie(['a', 'b'])], 3), '➖ Alpha and Beta: tie');
  assert.equal(
    leadsText(plan, [tie(['a', 'b']), tie(['c', 'd'])], 4),
    '➖ Alpha and Beta: tie; ➖ synced: tie',
  );
  assert.equal(
    leadsText(plan, [tie(['a', 'b'], { unranked: [{ system: 'c', why: 'past what was asked' }] })], 3),
    '➖ Alpha and Beta: tie; Alpha (synced) not comparable: past what was asked',
  );
  const open = { outcome: 'inconclusive', ratio: { estimate: 1.1, low: 0.9, high: 1.2, pairs: 5 } };
  assert.equal(
    leadsText(plan, [tie(['a', 'b'], open), tie(['c', 'd'])], 4),
    '❔ Alpha and Beta: inconclusive (at most 20 % apart); ➖ synced: tie',
  );
  assert.equal(
    leadsText(plan, [trend(1.004), trend(1.84)], 4),
    '❔ Alpha and Beta: too few repeats (1 of 5), within ±5 %; ❔ too few repeats (1 of 5): Alpha 1.84× over Beta',
  );
});

test('what is not compared says in what the systems differ, their promises first', () => {
  assert.equal(
    unlikeText({ unlike: ['durability unknown'] }),
    'not comparable: what an acknowledgement means is not known of all',
  );
  assert.equal(
    unlikeText({ unlike: ['connections 10 ≠ 20', 'durability none ≠ fsync'] }),
    'not comparable: different durability (none, fsync)',
  );
  assert.equal(
    unlikeText({ unlike: ['cpuLimit null ≠ 1'] }),
    'not comparable: different cpu limit (null, 1)',
  );
  assert.equal(unlikeText({}), '–', 'a system alone');
});
