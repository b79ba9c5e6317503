import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WARM } from '../judge/limits.js';
import { agendaOf, isWarm } from './conduct.js';

const cells = ['get.c1', 'set.c1', 'get.c50', 'set.c50'].map((id) => ({ id }));
const group = /** @type {any} */ ({ systems: ['a', 'b', 'c'], twinOf: 'a', cells });
const compared = (/** @type {string} */ a, /** @type {string} */ b, kind = 'rivals') =>
  cells.map(({ id }) => ({ cell: id, a, b, kind: /** @type {any} */ (kind) }));

test('open comparisons are loaded, the first system against its twin among them', () => {
  const { pairs, names } = agendaOf(group, 6, [...compared('a', 'b'), ...compared('a', 'a', 'same')]);
  assert.equal(pairs.length, 8);
  assert.deepEqual(pairs[0].names, ['s0', 's1']);
  assert.deepEqual(pairs[4].names, ['s0', 's3']);
  assert.deepEqual([...names].sort(), ['s0', 's1', 's3'], 'who has nothing left to decide stays down');
});

test('absolute figures are taken in each of the first five starts, and no more', () => {
  const taken = [1, 5, 6].map((start) => agendaOf(group, start, []).alone.length);
  assert.deepEqual(taken, [12, 12, 0]);
  assert.equal(agendaOf(group, 6, []).names.size, 0);
});

test('a start loads no system alone whose absolute figures are those of cells', () => {
  const { alone, pairs } = agendaOf({ ...group, alone: false }, 1, compared('a', 'b'));
  assert.deepEqual([alone.length, pairs.length], [0, 4]);
});

test('a server that compiles itself for 8 s is not measured before it is warm, and one that is warm at once is', () => {
  const warmAfter = (/** @type {(second: number) => number} */ costUs, sliceSec = Number(WARM.sliceSec)) => {
    /** @type {number[]} */
    const figures = [];
    while (figures.length < WARM.mostSec / sliceSec && !isWarm(figures))
      figures.push(1e6 / costUs(figures.length * sliceSec));
    return figures.length * sliceSec;
  };
  // From 600 to 150 µs an operation over eight seconds.
  const jit = (/** @type {number} */ second) => 600 * (150 / 600) ** (Math.min(second, 8) / 8);
  assert.ok(warmAfter(jit) >= 9, String(warmAfter(jit)));
  assert.ok(warmAfter(jit, 0.4) >= 8, `in slices of 0.4 s: ${warmAfter(jit, 0.4)}`);
  assert.equal(
    warmAfter(() => 150),
    2,
  );
  assert.equal(
    warmAfter((s) => 150 * (s % 2 === 0 ? 1 : 1.2)),
    WARM.mostSec,
    'one that never settles is let off',
  );
  assert.equal(isWarm([Number.NaN, Number.NaN]), false, 'without evidence it is never called warm');
});
