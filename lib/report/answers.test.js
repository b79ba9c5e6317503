import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersOf } from './answers.js';

const plan = /** @type {any} */ ({
  systems: ['alpha', 'alpha@synced', 'beta'].map((id) => ({ id, role: 'system', title: id.toUpperCase() })),
  profile: { drive: 'burst', steps: [{ id: 'c1', model: 'closed', vus: 1 }] },
  blocks: [],
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
