import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitScreen, matrixTables, rowsOf } from './fit.js';

const plan = /** @type {any} */ ({
  options: {},
  profile: { title: 'Work', steps: [] },
  systems: ['a', 'b'].map((id) => ({ id, title: id.toUpperCase(), role: 'system' })),
  workloads: [{ id: 'w', title: 'Work', operations: {} }],
});
const lead = { verdict: 'tie', systems: ['a', 'b'], winner: null, beaten: [], ratio: null, why: '' };

/** @param {string} title @param {number} rows @param {object[]} leads */
const matrix = (title, rows, leads) =>
  /** @type {any} */ ({
    title,
    systems: ['a', 'b'],
    questions: Array.from({ length: rows }, (_, i) => ({
      ...{ text: `load ${i}, op/s`, where: `load ${i}`, dimension: 'throughput', better: 'more', weight: i },
      values: new Map([
        ['a', '1'],
        ['b', '2'],
      ]),
      ...{ figures: new Map(), leads },
    })),
  });
const words = { above: {}, below: {} };
const titlesIn = (/** @type {{title: string}[]} */ own) => own.map(({ title }) => title);

test('where there is no room for all, what compares nobody gives way first', () => {
  const compared = matrix('side by side', 30, [lead]);
  const alone = matrix('alone', 3, []);
  const { shown, rest } = fitScreen(plan, [compared, alone], words, () => null);
  assert.deepEqual(titlesIn(shown), ['side by side']);
  assert.ok(shown[0].questions.length > 10);
  assert.deepEqual(titlesIn(rest), ['side by side', 'alone']);
  const few = fitScreen(plan, [matrix('side by side', 3, [lead]), alone], words, () => null);
  assert.deepEqual(titlesIn(few.shown), ['side by side', 'alone'], 'there is room for both');
  const none = fitScreen(plan, [matrix('first', 30, []), alone], words, () => null);
  assert.deepEqual(titlesIn(none.shown), ['first', 'alone'], 'where nobody is compared, all stand as before');
});

test('a picture stands beside the words where it costs no table, and few of the rows', () => {
  const drawn = (/** @type {number} */ height) => () =>
    /** @type {any} */ ({ svg: `<svg width="430" height="${height}">` });
  const long = { above: {}, below: { intro: Array.from({ length: 4 }, () => 'word '.repeat(60)) } };
  const own = [matrix('first', 4, [lead]), matrix('second', 4, [lead])];
  const fitting = (/** @type {number} */ height) => fitScreen(plan, own, long, drawn(height));
  const small = fitting(150);
  assert.ok(small.hero);
  assert.deepEqual(titlesIn(small.shown), ['first', 'second']);
  const large = fitting(600);
  assert.equal(large.hero, null, 'no room');
  const none = fitScreen(plan, own, long, () => null);
  assert.equal(none.hero, null, 'nothing to be drawn');
  assert.equal(rowsOf(large.shown), rowsOf(none.shown), 'no row is lost for what is not there');
});

test('the users that all loads of a table have stand once, above it', () => {
  const of = (/** @type {string[]} */ wheres) => {
    const own = matrix('side by side', wheres.length, [lead]);
    for (const [i, where] of wheres.entries())
      Object.assign(own.questions[i], { where, text: where ? `${where}, op/s` : 'memory, MiB' });
    return own;
  };
  const alone = matrix('alone', 2, []);
  /** @param {string[]} wheres */
  const written = (wheres) => {
    const [{ caption, rows, columns }] = matrixTables(plan, [of(wheres)], [of(wheres), alone]);
    return [caption, ...rows.map(columns[0].cell)];
  };
  const alike = ['get, 50 connections', 'set, 50 connections'];
  assert.deepEqual(written(alike), ['**side by side, 50 connections**', 'get', 'set']);
  const withMemory = written([...alike, '']);
  assert.equal(withMemory[0], '**side by side**', 'what is of no load stands there, too');
  const unlike = ['get, 1 connection', 'set, 50 connections'];
  assert.deepEqual(written(unlike), ['**side by side**', ...unlike]);
  const piped = ['get, 50 connections × pipeline 16', 'set, 50 connections × pipeline 16'];
  assert.deepEqual(written(piped), ['**side by side, 50 connections × pipeline 16**', 'get', 'set']);
  assert.deepEqual(written(['get, 50 connections']), ['**side by side**', 'get, 50 connections']);
});
