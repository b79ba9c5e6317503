import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairReasons } from './rules.js';

/** @import { PairLoad, PairSide } from './rules.js' */

const SIDE = Object.freeze({
  ...{ operations: 50_000, failed: 0, cpuSec: 0.4, seconds: 0.7 },
  ...{ stolenShare: 0.01, lateMs: 2 },
});
const LOAD = Object.freeze({ connections: 100, depth: 1 });

/** @param {Partial<PairSide>} side beside one that has all @param {PairLoad} [load] */
const codesOf = (side, load = LOAD) => pairReasons([SIDE, { ...SIDE, ...side }], load).map((r) => r.code);

test('a slice counts unless it has errors, too little work, or no evidence of the CPU that it took', () => {
  assert.deepEqual(codesOf({}), []);
  assert.deepEqual(codesOf({ failed: 1 }), ['errors']);
  assert.deepEqual(codesOf({ cpuSec: 0.03 }), ['idle']);
  assert.deepEqual(codesOf({ operations: 1999 }), ['too_few']);
  assert.deepEqual(codesOf({ operations: 300 }, { ...LOAD, minOperations: 500 }), [
    'too_few',
    'window_too_short',
  ]);
  assert.deepEqual(codesOf({ cpuSec: null }), ['no_evidence']);
});

test('a slice counts unless it was counted late, or the hypervisor took too much of it', () => {
  assert.deepEqual(codesOf({ lateMs: 51 }), ['late']);
  assert.deepEqual(codesOf({ lateMs: Number.POSITIVE_INFINITY }), ['late'], 'a cut that no loop came to');
  assert.deepEqual(
    codesOf({ stolenShare: 0.3, failed: 2 }),
    ['stolen', 'errors'],
    'the first is what it is called by',
  );
  const [reason] = pairReasons([{ ...SIDE, stolenShare: 0.3 }], LOAD);
  assert.deepEqual(reason, { code: 'stolen', measured: 0.3, limit: 0.25 });
});

test('a slice is too short where each place of the connections’ pipelines has had fewer than five operations', () => {
  const few = { operations: 4900 };
  assert.deepEqual(codesOf(few, { connections: 980, depth: 1 }), []);
  assert.deepEqual(
    pairReasons([{ ...SIDE, ...few }], { connections: 1000, depth: 1 }).map((r) => r.code),
    ['window_too_short'],
  );
  assert.deepEqual(
    pairReasons([{ ...SIDE, ...few }], { connections: 62, depth: 16 }).map((r) => r.code),
    ['window_too_short'],
  );
});
