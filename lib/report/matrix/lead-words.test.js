import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leadsText, unlikeText } from './lead-words.js';

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
    ...{ outcome: 'too few', winner: 'a', beaten: ['b'], systems: ['a', 'b'], why: [] },
    ratio: { estimate, low: estimate, high: estimate },
    n: 1,
  });

test('a trend names who is ahead, unless it is no further than a tie would be', () => {
  assert.equal(leadsText(plan, [trend(1.84)]), '❔ too few repeats (1 of 5): Alpha 1.84×');
  assert.equal(leadsText(plan, [trend(1.004)]), '❔ too few repeats (1 of 5): within ±5 %');
});

test('a verdict names whom it is about, unless it is about all who have a figure', () => {
  /** @param {string[]} systems @param {object} [rest] */
  const tie = (systems, rest) =>
    /** @type {any} */ ({ outcome: 'tie', winner: null, beaten: [], ratio: null, why: [], systems, ...rest });
  assert.equal(leadsText(plan, [tie(['a', 'b'])], 2), '➖ tie (within ±5 %)');
  assert.equal(leadsText(plan, [tie(['a', 'b'])], 3), '➖ Alpha and Beta: tie');
  assert.equal(
    leadsText(plan, [tie(['a', 'b']), tie(['c', 'd'])], 4),
    '➖ Alpha and Beta: tie; ➖ Alpha (synced) and Beta (synced): tie',
  );
  assert.equal(
    leadsText(plan, [tie(['a', 'b'], { unranked: [{ system: 'c', why: [{ code: 'oracle' }] }] })], 3),
    '➖ Alpha and Beta: tie; Alpha (synced) not comparable: wrong state after the load',
  );
  const open = { outcome: 'inconclusive', ratio: { estimate: 1.1, low: 0.9, high: 1.2 }, n: 5 };
  assert.equal(
    leadsText(plan, [tie(['a', 'b'], open), tie(['c', 'd'])], 4),
    '❔ Alpha and Beta: inconclusive (at most 20 % apart); ➖ Alpha (synced) and Beta (synced): tie',
  );
  assert.equal(
    leadsText(plan, [trend(1.004), trend(1.84)], 4),
    '❔ Alpha and Beta: too few repeats (1 of 5): within ±5 %; ❔ too few repeats (1 of 5): Alpha 1.84× over Beta',
  );
});

/** @param {object[]} differences */
const unlike = (...differences) =>
  /** @type {any} */ ([{ why: differences.map((d) => ({ code: 'unlike', ...d })) }]);

test('what is not compared says in what the systems differ, their promises first', () => {
  assert.equal(
    unlikeText(unlike({ key: 'durability' })),
    'not comparable: what an acknowledgement means is not known of all',
  );
  assert.equal(
    unlikeText(unlike({ key: 'connections', a: 10, b: 20 }, { key: 'durability', a: 'none', b: 'fsync' })),
    'not comparable: different durability (none, fsync)',
  );
  assert.equal(
    unlikeText(unlike({ key: 'cpuLimit', a: null, b: 1 })),
    'not comparable: different cpu limit (none, 1)',
  );
  assert.equal(unlikeText([]), '–', 'a system alone');
});
