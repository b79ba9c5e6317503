import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf } from './verdict.js';

const plan = /** @type {any} */ ({ systems: [{ id: 'a', title: 'Alpha' }] });

/** @param {string} operation @param {string} measure @param {string} unit @param {string} dimension @param {number} median @param {'lower' | null} [bound] */
const question = (operation, measure, unit, dimension, median, bound = null) => ({
  ...{ measure, unit, dimension, metric: dimension, leads: [], comparisons: [] },
  load: { title: '', operation, users: 0, depth: 1, notes: [] },
  answers: new Map([['a', { figure: { median, bound, why: [] } }]]),
});

/** @param {any[]} questions */
const answerTo = (questions) =>
  answerOf(plan, [/** @type {any} */ ({ title: 'Work', systems: ['a'], questions })]);

test('a system alone is told by the load of the table on which it did most, and by its latency there', () => {
  const slow = [
    question('get over http', '', 'op/s', 'throughput', 3370),
    question('get over http', 'p99', 'ms', 'latency', 11.6),
  ];
  const fast = [
    question('get over ws', '', 'op/s', 'throughput', 11_500, 'lower'),
    question('get over ws', 'p99', 'ms', 'latency', 3.07),
  ];
  assert.deepEqual(answerTo([...slow, ...fast]), [
    '**Alpha**, measured alone, does ≥ 11 500 op/s with a p99 of 3.07 ms (get over ws).',
  ]);
  assert.deepEqual(answerTo([]), [
    '**Alpha**, measured alone, has no figure that may be used; the tables say why.',
  ]);
  assert.deepEqual(answerTo(slow.slice(1)), [
    '**Alpha**, measured alone, has a p99 of 11.6 ms (get over http).',
  ]);
});

/** @param {'a' | 'b' | 'c'} winner @param {number} estimate @param {string[]} [beaten] */
const won = (winner, estimate, beaten = ['a', 'b', 'c'].filter((id) => id !== winner)) => ({
  ...{ dimension: 'efficiency', metric: 'efficiency', comparisons: [] },
  load: { title: '', operation: 'get', users: 0, depth: 1, notes: [] },
  answers: new Map(['a', 'b', 'c'].map((id) => [id, { figure: null, value: 1 }])),
  leads: [
    {
      winner,
      beaten,
      outcome: 'winner',
      systems: ['a', 'b', 'c'],
      ratio: { estimate, low: estimate - 0.1, high: estimate + 0.1 },
    },
  ],
});

test('two sentences tell who wins by most, and then what else was decided', () => {
  const three = /** @type {any} */ ({
    systems: ['a', 'b', 'c'].map((id) => ({ id, title: { a: 'Alpha', b: 'Beta', c: 'Gamma' }[id] })),
  });
  /** @param {any[]} questions */
  const answer = (...questions) =>
    answerOf(three, [/** @type {any} */ ({ title: 'Work', systems: ['a', 'b', 'c'], questions })]);
  const alphas = [won('a', 1.5), won('a', 2), won('a', 1.7)];
  assert.deepEqual(answer(...alphas, won('b', 1.2), won('b', 3)), [
    '**Beta is up to 3.00× more CPU-efficient than all others** on 2 of 5 loads (get; 95 % CI 2.90–3.10).',
    '**Alpha is up to 2.00× more CPU-efficient than all others** on 3 of 5 loads (get; 95 % CI 1.90–2.10).',
  ]);
  assert.deepEqual(answer(...alphas), [
    '**Alpha is up to 2.00× more CPU-efficient than all others** on all 3 loads (get; 95 % CI 1.90–2.10).',
  ]);
  assert.deepEqual(answer(won('b', 1.2, ['c'])), [
    '**Beta is 1.20× more CPU-efficient than Gamma** (get; 95 % CI 1.10–1.30).',
  ]);
  const tie = {
    ...won('a', 1),
    leads: [{ outcome: 'tie', systems: ['a', 'c'], winner: null, beaten: [], why: [] }],
  };
  assert.deepEqual(
    answer(won('b', 1.2, ['c']), tie)[1],
    '**Alpha and Gamma tie** in CPU efficiency on 1 of 2 loads.',
  );
  const open = { ...tie, leads: [{ ...tie.leads[0], outcome: 'inconclusive' }] };
  assert.deepEqual(answer(open), ['**No winner**: inconclusive on 1 comparison.']);
  const apart = {
    ...won('a', 1),
    leads: [],
    comparisons: [
      { outcome: 'not comparable', why: [{ code: 'unlike', key: 'durability', a: 'unknown', b: 'unknown' }] },
    ],
  };
  assert.deepEqual(answer(apart), [
    '**No winner**: not comparable on 1 comparison (different durability (not known, not known)).',
  ]);
  assert.deepEqual(answer({ ...apart, comparisons: [] }), [
    '**No winner**: no two systems were measured under the same conditions.',
  ]);
});
