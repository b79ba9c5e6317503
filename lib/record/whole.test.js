import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWhole } from './whole.js';

test('a cell is measured again where a runner is missing, was started twice or began late, and only there', () => {
  const generators = /** @type {any} */ ({ startSkewMs: 50, missing: [], restarted: [] });
  const whole = (/** @type {object} */ over) =>
    isWhole({ status: 'ok', generators: { ...generators, ...over } });
  assert.equal(whole({}), true);
  assert.equal(isWhole({ status: 'ok' }), true, 'of one generator');
  assert.equal(whole({ startSkewMs: 50.1 }), false);
  assert.equal(whole({ restarted: [2] }), false);
  assert.equal(whole({ missing: [{ runner: 2, problem: 'it has no pod' }], startSkewMs: null }), false);
  assert.equal(isWhole({ status: 'failed' }), false);
  assert.equal(isWhole(null), false);
});
