import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apartIn, firstRows, matrixTables } from './fit.js';

const plan = /** @type {any} */ ({
  options: {},
  profile: { title: 'Work', steps: [] },
  systems: ['a', 'b'].map((id) => ({ id, title: id.toUpperCase(), role: 'system' })),
  workloads: [{ id: 'w', title: 'Work', operations: {} }],
});
const lead = { outcome: 'tie', systems: ['a', 'b'], winner: null, beaten: [], ratio: null, n: 5, why: [] };

/** @param {string} title @param {number} rows @param {object[]} leads */
const matrix = (title, rows, leads) =>
  /** @type {any} */ ({
    title,
    systems: ['a', 'b'],
    questions: Array.from({ length: rows }, (_, i) => ({
      ...{ dimension: 'throughput', metric: 'throughput', weight: i },
      ...{ measure: '', unit: 'op/s', comparisons: [], leads },
      load: { title: '', operation: `load ${i}`, users: 0, depth: 1, notes: [] },
      answers: new Map(['a', 'b'].map((id, at) => [id, { figure: null, value: at + 1 }])),
    })),
  });
/** @param {string} outcome @param {number} [estimate] */
const decided = (outcome, estimate = 1) => ({
  ...{ outcome, systems: ['a', 'b'], winner: 'a', beaten: ['b'], n: 5, why: [] },
  ratio: { estimate, low: estimate, high: estimate },
});

test('of more rows than a reader takes in the decided and the large ones stand first, wherever they come from', () => {
  const many = matrix('side by side', 12, [decided('inconclusive', 1.2)]);
  const [first, , third] = many.questions;
  Object.assign(first, { leads: [decided('winner', 1.3)] });
  Object.assign(third, { leads: [lead] });
  const alone = matrix('alone', 3, []);
  Object.assign(alone.questions[0], { leads: [decided('winner', 227)] });
  const { shown, rest } = firstRows(plan, [many, alone]);
  const wheres = (/** @type {any[]} */ own) =>
    own.map((m) => m.questions.map((/** @type {any} */ q) => q.load.operation));
  assert.equal(shown.flatMap((m) => m.questions).length, 8);
  assert.deepEqual(wheres(shown)[1], ['load 0'], 'the largest of all stands last in the run');
  assert.deepEqual(wheres(shown)[0].slice(0, 2), ['load 0', 'load 2'], 'in the order of the run');
  assert.equal(rest.flatMap((m) => m.questions).length, 7);
});

test('how many lines a row takes depends on the systems that its table shows, not on all that were measured', () => {
  const few = matrix('few', 6, [lead]);
  for (const question of few.questions)
    Object.assign(question, {
      answers: new Map(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => [id, { figure: null, value: 1 }])),
      load: { ...question.load, operation: `${question.load.operation}, which has a long name` },
    });
  const rowsIn = (/** @type {string[]} */ systems) =>
    firstRows(plan, [{ ...few, systems }], null, 125).shown.flatMap((m) => m.questions).length;
  assert.deepEqual([rowsIn(['a', 'b']), rowsIn(['a', 'b', 'c', 'd', 'e', 'f'])], [2, 1]);
});

test('every set of systems has a row before one has two', () => {
  const large = matrix('large', 12, [decided('winner', 9)]);
  const { shown } = firstRows(plan, [large, matrix('small', 1, [])]);
  assert.deepEqual(
    shown.map(({ title, questions }) => [title, questions.length]),
    [
      ['large', 7],
      ['small', 1],
    ],
  );
});

test('the users that all loads of a table have stand once, above it', () => {
  const of = (/** @type {(Where | null)[]} */ wheres) => {
    const own = matrix('side by side', wheres.length, [lead]);
    for (const [i, where] of wheres.entries()) {
      const [operation, users, depth = 1] = where ?? [];
      const load = where && { title: '', operation, users, depth, notes: [] };
      Object.assign(own.questions[i], { load, ...(where ? {} : { measure: 'memory', unit: 'MiB' }) });
    }
    return own;
  };
  const alone = matrix('alone', 2, []);
  /** @typedef {[string, number, number?]} Where @param {(Where | null)[]} wheres */
  const written = (wheres) => {
    const [{ caption, rows }] = matrixTables(plan, [of(wheres)], [of(wheres), alone]);
    return [caption, ...rows.map(([label]) => label)];
  };
  /** @type {Where[]} */
  const alike = [
    ['get', 50],
    ['set', 50],
  ];
  assert.deepEqual(written(alike), ['**side by side, 50 users**', 'get', 'set']);
  const withMemory = written([...alike, null]);
  assert.equal(withMemory[0], '**side by side**', 'what is of no load stands there, too');
  assert.deepEqual(written([['get', 1], alike[1]]), [
    ...['**side by side**', 'get, 1 user', 'set, 50 users'],
  ]);
  assert.deepEqual(written(alike.map(([operation, users]) => [operation, users, 16])), [
    '**side by side, 50 users × pipeline 16**',
    'get',
    'set',
  ]);
  assert.deepEqual(written(alike.slice(0, 1)), ['**side by side**', 'get, 50 users']);
});

test('the cores for a load are those of the last load on which somebody wins or ties, not of one that one system did', () => {
  const priced = matrix('work', 3, []);
  priced.questions.forEach((/** @type {any} */ q, /** @type {number} */ i) => {
    Object.assign(q, { dimension: 'cpu', metric: 'cpu', leads: i === 0 ? [decided('winner', 1.3)] : [] });
  });
  const { shown, rest } = firstRows(plan, [priced]);
  const cores = [...shown, ...rest].flatMap((m) => m.questions).find((q) => q.measure.startsWith('cores'));
  assert.match(String(cores?.measure), /\(load 0\)$/);
  Object.assign(priced.questions[0], { leads: [] });
  const none = firstRows(plan, [priced]);
  const [other] = [...none.shown, ...none.rest]
    .flatMap((m) => m.questions)
    .filter((q) => q.measure.startsWith('cores'));
  assert.match(other.measure, /\(load 2\)$/);
});

test('who stands beside others and is compared with none of them is told', () => {
  const own = matrix('work', 2, [lead]);
  assert.deepEqual(apartIn([own]), []);
  assert.deepEqual(apartIn([{ ...own, systems: ['a', 'b', 'c'] }]), ['c']);
  assert.deepEqual(apartIn([matrix('nobody is compared', 2, [])]), []);
});
