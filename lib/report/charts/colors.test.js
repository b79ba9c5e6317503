import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PALETTE } from '../../config/colors.js';
import { colorsOf } from './colors.js';

test('each system keeps the colour that it declares, unless another one of the same work has it', () => {
  const system = (/** @type {string} */ id, /** @type {string} */ color) => ({ id, color, role: 'system' });
  const [blue, orange] = PALETTE;
  const colors = colorsOf(
    /** @type {any} */ ({
      systems: [
        ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id, i) => system(id, PALETTE[i])),
        system('other', blue),
        system('beside', orange),
        system('third', orange),
        { id: 'null', role: 'calibration' },
      ],
      blocks: [
        ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => ({ system: id, workload: 'one' })),
        { system: 'other', workload: 'two' },
      ],
      sideBySide: { groups: [{ workload: 'two', systems: ['other', 'beside', 'third'] }] },
    }),
  );
  assert.deepEqual([colors.get('a'), colors.get('other')], [blue, blue], 'they never stand in one picture');
  assert.deepEqual([colors.get('b'), colors.get('beside')], [orange, orange]);
  assert.equal(colors.get('third'), PALETTE[2], 'the first that is free');
  assert.equal(new Set(['other', 'beside', 'third'].map((id) => colors.get(id))).size, 3);
  assert.equal(colors.has('null'), false);
});
