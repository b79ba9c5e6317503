import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatorsReasons } from './generators.js';
import { statusOf } from './verdict.js';

/** @type {import('../types.d.ts').GeneratorsResult} */
const WHOLE = {
  on: 'local',
  count: 4,
  startSkewMs: 3.2,
  missing: [],
  restarted: [],
  busiest: { runner: 3, operation: 'get', cpuRatio: 0.4 },
};

/** @param {Partial<typeof WHOLE>} over */
const codes = (over) => generatorsReasons({ ...WHOLE, ...over }).map((r) => r.code);

test('one generator, and several that did their part, are no reason', () => {
  assert.deepEqual(generatorsReasons(undefined), []);
  assert.deepEqual(codes({}), []);
  assert.deepEqual(codes({ startSkewMs: 50 }), []);
});

test('a runner that is missing, late, restarted or saturated makes the whole INVALID and is named', () => {
  const problem = 'it left no result';
  const [missing] = generatorsReasons({ ...WHOLE, missing: [{ runner: 2, problem }] });
  assert.equal(missing.measured, 'runner 2 of 4: it left no result');
  assert.deepEqual(codes({ startSkewMs: 50.1 }), ['start_skew']);
  assert.deepEqual(codes({ restarted: [1, 4] }), ['runner_restarted', 'runner_restarted']);
  const busiest = { runner: 3, operation: 'get', cpuRatio: 0.91 };
  const [saturated] = generatorsReasons({ ...WHOLE, busiest });
  assert.equal(saturated.measured, '0.91, runner 3 of 4');
  for (const reason of [
    missing,
    saturated,
    { code: /** @type {const} */ ('start_skew') },
    { code: /** @type {const} */ ('runner_restarted') },
  ])
    assert.equal(statusOf([reason]), 'INVALID');
});

test('what cannot be checked is not passed', () => {
  assert.deepEqual(codes({ busiest: null }), ['missing_metric']);
  assert.deepEqual(codes({ startSkewMs: null }), ['missing_metric']);
});
