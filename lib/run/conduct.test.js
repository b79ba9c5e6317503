import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agendaOf } from './conduct.js';

const cells = ['get.c1', 'set.c1', 'get.c50', 'set.c50'].map((id) => ({ id }));
const group = /** @type {any} */ ({ systems: ['a', 'b', 'c'], twinOf: 'a', cells });
const compared = (/** @type {string} */ a, /** @type {string} */ b, kind = 'rivals') =>
  cells.map(({ id }) => ({ cell: id, a, b, kind: /** @type {any} */ (kind) }));

test('open comparisons are loaded, the first system against its twin among them', () => {
  const { pairs, names } = agendaOf(group, 6, 12, [...compared('a', 'b'), ...compared('a', 'a', 'same')]);
  assert.equal(pairs.length, 8);
  assert.deepEqual(pairs[0].names, ['s0', 's1']);
  assert.deepEqual(pairs[4].names, ['s0', 's3']);
  assert.deepEqual([...names].sort(), ['s0', 's1', 's3'], 'who has nothing left to decide stays down');
});

test('each absolute figure is taken in three of the first five starts, and as many in each of them', () => {
  const starts = [1, 2, 3, 4, 5, 6].map((start) =>
    agendaOf(group, start, 12, []).alone.map((x) => `${x.cell.id}/${x.name}`),
  );
  for (const { id } of cells)
    for (const name of ['s0', 's1', 's2'])
      assert.equal(starts.flat().filter((x) => x === `${id}/${name}`).length, 3, `${id} ${name}`);
  assert.deepEqual(
    starts.map((s) => Math.abs(s.length - 7.2) < 1.5),
    [true, true, true, true, true, false],
  );
  assert.equal(starts[5].length, 0);
});

test('a campaign of one start takes all of them', () => {
  assert.equal(agendaOf(group, 1, 1, []).alone.length, 12);
});
