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
    ...{ outcome: 'too few', winner: 'a', beaten: ['b'], systems: ['a', 'b'], why: [], metric: 'p99' },
    ratio: { estimate, low: estimate, high: estimate },
    n: 1,
  });

test('a trend names who is ahead, unless it is no further than a tie would be', () => {
  assert.equal(leadsText(plan, [trend(1.84)], 2), '❔ too few repeats (1 of 5): Alpha 1.84× lower');
  assert.equal(leadsText(plan, [trend(1.004)], 2), '❔ too few repeats (1 of 5): within ±5 %');
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
    '❔ Alpha and Beta: inconclusive (within ±20 %); ➖ Alpha (synced) and Beta (synced): tie',
  );
  assert.equal(
    leadsText(plan, [trend(1.004), trend(1.84)], 4),
    '❔ Alpha and Beta: too few repeats (1 of 5): within ±5 %; ❔ too few repeats (1 of 5): Alpha 1.84× lower than Beta',
  );
});

/** @param {string} metric @param {number[]} interval @param {object} [more] */
const won = (metric, [estimate, low, high], more) =>
  /** @type {any} */ ({
    ...{ outcome: 'winner', winner: 'a', beaten: ['b'], systems: ['a', 'b'], why: [], metric },
    ...{ ratio: { estimate, low, high }, n: 5, a: 'a', b: 'b', better: 'a', ...more },
  });

test('a ratio says of what and in which direction it is', () => {
  const said = (/** @type {string} */ metric, /** @type {number[]} */ ratio = [5.43, 4.68, 6.31]) =>
    leadsText(plan, [won(metric, ratio)], 2);
  assert.equal(said('throughput'), '✅ **Alpha** 5.43× (4.68–6.31) faster');
  assert.equal(said('efficiency'), '✅ **Alpha** 5.43× (4.68–6.31) lower');
  assert.equal(said('cpu'), said('efficiency'));
  assert.equal(said('p99'), '✅ **Alpha** 5.43× (4.68–6.31) lower');
  assert.equal(said('startUp'), '✅ **Alpha** 5.43× (4.68–6.31) faster');
  assert.equal(said('hitRatio', [1.09, 1.08, 1.1]), '✅ **Alpha** 1.09× (1.08–1.10) higher');
  assert.equal(said('memory'), '✅ **Alpha** 82 % (79–84 %) less');
  assert.equal(
    leadsText(plan, [won('size', [2, 1.5, 3], { outcome: 'at least' })], 2),
    '✅ **Alpha** at least 33 % less',
  );
});

test('who beats the same systems is named beside the winner', () => {
  const beside = won('throughput', [1.19, 1.17, 1.21]);
  const lead = won('throughput', [1.2, 1.1, 1.3], { beaten: ['d'], systems: ['a', 'b', 'd'] });
  assert.equal(
    leadsText(
      plan,
      [
        {
          ...lead,
          best: [
            { ...lead, system: 'a' },
            { ...beside, system: 'b' },
          ],
        },
      ],
      3,
    ).replace(/\s/g, ' '),
    '✅ **Alpha** 1.20× (1.10–1.30) and **Beta** 1.19× (1.17–1.21) faster than Beta (synced)',
  );
});

test('what is inconclusive says who may be better, and by how much', () => {
  const said = (/** @type {number[]} */ ratio, better = 'a') =>
    leadsText(plan, [won('p99', ratio, { outcome: 'inconclusive', winner: null, beaten: [], better })], 2);
  assert.equal(said([1.02, 0.97, 1.06]), '❔ inconclusive (within ±6 %)');
  assert.equal(said([1.15, 1.02, 1.28], 'b'), '❔ inconclusive (Beta 2–28 % better)');
  assert.equal(said([1.5, 1.02, 2.13]), '❔ inconclusive (Alpha 1.02–2.13× better)');
  const several = won('p99', [1.15, 1.02, 1.28], { outcome: 'inconclusive', winner: null, beaten: [] });
  assert.equal(
    leadsText(plan, [{ ...several, systems: ['a', 'b', 'd'] }], 3),
    '❔ inconclusive (within ±28 %)',
    'of several systems the two that are furthest apart have no names',
  );
  assert.equal(said([1.2, 0.67, 2.13]), '❔ inconclusive (within a factor of 2.13)');
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
    'not comparable: different durability (memory only, synced before each reply)',
  );
  assert.equal(
    unlikeText(unlike({ key: 'cpuLimit', a: null, b: 1 })),
    'not comparable: different cpu limit (none, 1)',
  );
  assert.equal(unlikeText([]), '–', 'a system alone');
});
