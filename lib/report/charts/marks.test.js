import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PALETTE } from '../../config/colors.js';
import { loadStacks } from '../../config/stacks.js';
import { declaredOf } from '../systems.js';
import { marksOf, readable } from './marks.js';

test('each system keeps the colour that it declares, unless another one of the same work has it, and a shape', () => {
  const system = (/** @type {string} */ id, /** @type {string} */ color) => ({ id, color, role: 'system' });
  const [blue, orange] = PALETTE;
  const markOf = marksOf(
    /** @type {any} */ ({
      systems: [
        ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id, i) => system(id, PALETTE[i])),
        system('other', blue),
        system('beside', orange),
        system('third', orange),
        { id: 'null', role: 'calibration' },
      ],
      trials: [
        ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => ({ systems: [id], workload: 'one' })),
        { systems: ['other', 'beside', 'third'], workload: 'two' },
      ],
    }),
  );
  const colorOf = (/** @type {string} */ id) => markOf(id).color;
  assert.deepEqual(
    [colorOf('a'), colorOf('other')],
    [blue, blue].map(readable),
    'they never stand in one picture',
  );
  assert.deepEqual([colorOf('b'), colorOf('beside')], [orange, orange].map(readable));
  assert.equal(colorOf('third'), readable(PALETTE[2]), 'the first that is free');
  assert.equal(new Set(['other', 'beside', 'third'].map(colorOf)).size, 3);
  assert.notEqual(markOf('other').shape, markOf('beside').shape);
});

test('of plans without colours, a system whose manifest is gone takes one that is free beside one that has its own', () => {
  const known = loadStacks().stacks.find((s) => s.manifest.color && !s.id.includes('@'));
  assert.ok(known);
  const plan = /** @type {any} */ ({
    systems: ['gone', known.id].map((id) => ({ id, title: id, role: 'system' })),
    trials: [{ systems: ['gone', known.id], workload: 'one' }],
  });
  const markOf = marksOf(plan);
  assert.equal(markOf(known.id).color, readable(String(known.manifest.color)));
  assert.notEqual(markOf('gone').color, markOf(known.id).color);
  assert.match(markOf('gone').color, /^#[0-9a-f]{6}$/i);
  assert.deepEqual(declaredOf(plan, 'gone').fits, []);
});

test('who may not win is grey beside those who may, and has a shape of its own', () => {
  const system = (/** @type {string} */ id, /** @type {string} */ origin) => ({ id, origin, role: 'system' });
  const trials = [{ systems: ['product', 'ours'], workload: 'one' }];
  const beside = { systems: [system('product', 'upstream'), system('ours', 'reference')], trials };
  const markOf = marksOf(/** @type {any} */ (beside));
  assert.equal(markOf('ours').color, '#808080');
  assert.notEqual(markOf('product').color, '#808080');
  assert.notEqual(markOf('ours').shape, markOf('product').shape);
  const alone = marksOf(/** @type {any} */ ({ systems: [beside.systems[1]], trials }));
  assert.notEqual(alone('ours').color, '#808080');
});
