import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersOf } from './answers.js';

const plan = /** @type {any} */ ({
  systems: ['alpha', 'alpha@synced', 'beta'].map((id) => ({ id, role: 'system', title: id.toUpperCase() })),
  profile: { drive: 'burst', steps: [{ id: 'c1', model: 'closed', vus: 1 }] },
  blocks: [],
  workloads: [{ id: 'w', title: 'W', operations: ['op', 'other'] }],
  absent: [],
});
const compared = (/** @type {string} */ a, /** @type {string} */ b, /** @type {object} */ rest) =>
  /** @type {any} */ ({
    workload: 'w',
    transport: 't',
    stepId: 'c1',
    operation: 'op',
    a,
    b,
    pairs: 5,
    verdict: 'refused',
    ratio: null,
    ...rest,
  });
const unlike = { why: 'asymmetric: durability none ≠ synced' };

test('pairs that are not alike come last, in one sentence', () => {
  const answers = answersOf(
    plan,
    [],
    [
      compared('alpha', 'alpha@synced', unlike),
      compared('alpha', 'beta', { why: 'beta error_ratio' }),
      compared('alpha@synced', 'beta', { why: 'asymmetric: durability synced ≠ none' }),
    ],
  );
  assert.deepEqual(answers, [
    '**ALPHA and BETA: no ranking**; no rung has a figure that may be compared: op: beta error_ratio.',
    '**Not compared**, because they are not alike: ALPHA with ALPHA@SYNCED (durability none ≠ synced); ALPHA@SYNCED with BETA (durability synced ≠ none).',
  ]);
});

test('a pair that has one figure in common is not among them', () => {
  const [answer, ...others] = answersOf(
    plan,
    [],
    [
      compared('alpha', 'beta', unlike),
      compared('alpha', 'beta', {
        operation: 'other',
        verdict: 'equivalent',
        ratio: { estimate: 1, low: 0.99, high: 1.01 },
      }),
    ],
  );
  assert.match(answer, /^\*\*ALPHA and BETA: no ranking/);
  assert.match(others[0], /no measurable difference/);
});

test('operations that take turns on one rung are one finding, those on several rungs are not', () => {
  const ratio = { estimate: 1.5, low: 1.4, high: 1.6 };
  const both = ['op', 'other'].map((operation) =>
    compared('alpha', 'beta', { operation, verdict: 'faster', ratio }),
  );
  const turns = { ...plan, workloads: [{ ...plan.workloads[0], turns: ['op', 'op', 'other'] }] };
  assert.deepEqual(answersOf(turns, [], both), [
    '**ALPHA is ahead of BETA** on throughput: W (op, other, in turns) at 1 connection: ratio 1.50 (1.40 – 1.60) (95 % CI, 5 interleaved repeats).',
  ]);
  const apart = [both[0], { ...both[1], verdict: 'inconclusive' }];
  assert.equal(answersOf(turns, [], apart).length, 2);
  assert.match(answersOf(plan, [], both)[0], /: op at 1 connection: .*; other at 1 connection: /);
});
