import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from './judge.js';
import { RULES } from './rules.js';
import { aCell, reasonsIn } from './testing.js';
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

/** @param {import('../types.d.ts').GeneratorsResult | undefined} generators @param {number} generatorCpus of each */
const generatorsReasons = (generators, generatorCpus) =>
  reasonsIn({ ...(generators ? { generators } : {}), parity: { generatorCpus } });

/** @param {Partial<typeof WHOLE>} over */
const codes = (over, cpus = 2) => generatorsReasons({ ...WHOLE, ...over }, cpus).map((r) => r.code);

test('one generator, and several that did their part, are no reason', () => {
  assert.deepEqual(generatorsReasons(undefined, 2), []);
  assert.deepEqual(codes({}), []);
  assert.deepEqual(codes({ startSkewMs: 50 }), []);
});

test('a runner that is missing, late or restarted makes the whole INVALID and is named', () => {
  const problem = 'it left no result';
  const [missing] = generatorsReasons({ ...WHOLE, missing: [{ runner: 2, problem }] }, 2);
  assert.equal(missing.measured, 'runner 2 of 4: it left no result');
  assert.deepEqual(codes({ startSkewMs: 50.1 }), ['start_skew']);
  assert.deepEqual(codes({ restarted: [1, 4] }), ['runner_restarted', 'runner_restarted']);
  for (const reason of [
    missing,
    { code: /** @type {const} */ ('start_skew') },
    { code: /** @type {const} */ ('runner_restarted') },
  ])
    assert.equal(statusOf([reason]), 'INVALID');
});

test('a full runner of several is judged as a full generator alone: a bound, and no figure where it was held back', () => {
  const busiest = { runner: 3, operation: 'get', cpuRatio: 0.97 };
  const [saturated] = generatorsReasons({ ...WHOLE, busiest }, 2);
  assert.equal(saturated.measured, '0.97, runner 3 of 4');
  assert.equal(statusOf([saturated]), 'DEGRADED');
  assert.deepEqual(codes({ busiest }, 0.5), ['generator_starved']);

  const context = { thresholds: {}, restarted: false };
  const alone = aCell({ result: { busiest: { system: 0.5, loop: 0.97 } } });
  const shared = aCell({ result: { busiest: { system: 0.5, loop: null }, generatorCpuRatio: 0.3 } });
  const several = { ...shared, generators: { ...WHOLE, busiest } };
  for (const cell of [alone, several]) {
    const { verdict, operations } = judge(cell, context);
    assert.deepEqual([verdict.status, operations.get.setBy], ['DEGRADED', 'generator']);
    assert.ok(verdict.reasons.every((r) => RULES[r.code].bound));
  }
  const idle = { ...shared, generators: WHOLE };
  assert.notEqual(judge(idle, context).operations.get.setBy, 'generator', 'none of them was full');
});

test('what cannot be checked is not passed', () => {
  assert.deepEqual(codes({ busiest: null }), ['missing_metric']);
  assert.deepEqual(codes({ startSkewMs: null }), ['missing_metric']);
});
