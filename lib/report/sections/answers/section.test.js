import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersOf } from './section.js';

const plan = /** @type {any} */ ({
  systems: ['alpha', 'alpha@synced', 'beta'].map((id) => ({ id, role: 'system', title: id.toUpperCase() })),
  profile: { drive: 'burst', dataset: {}, steps: [{ id: 'c1', model: 'closed', vus: 1 }] },
  blocks: [],
  workloads: [{ id: 'w', title: 'W', operations: { op: {}, other: {} } }],
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
const unlike = { refusal: 'unlike', why: 'asymmetric: durability none ≠ synced' };

test('pairs that are not alike come last, in one sentence', () => {
  const answers = answersOf(
    plan,
    [],
    [
      compared('alpha', 'alpha@synced', unlike),
      compared('alpha', 'beta', { why: 'beta error_ratio' }),
      compared('alpha@synced', 'beta', {
        refusal: 'unlike',
        why: 'asymmetric: durability synced ≠ none',
      }),
    ],
  );
  assert.deepEqual(answers, [
    '**ALPHA and BETA: no ranking**; no step has figures that may be compared: beta error_ratio.',
    '**Not compared**, because their conditions differ: ALPHA with ALPHA@SYNCED (durability none ≠ synced); ALPHA@SYNCED with BETA (durability synced ≠ none).',
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

test('operations that take turns on one step are one finding, those on several steps are not', () => {
  const ratio = { estimate: 1.5, low: 1.4, high: 1.6 };
  const both = ['op', 'other'].map((operation) =>
    compared('alpha', 'beta', { operation, verdict: 'faster', ratio }),
  );
  const turns = {
    ...plan,
    workloads: [{ ...plan.workloads[0], windows: { all: { order: 'turns', turns: ['op', 'op', 'other'] } } }],
  };
  assert.deepEqual(answersOf(turns, [], both), [
    '**ALPHA is ahead of BETA** on throughput: W (op, other, in turns) at 1 connection: ratio 1.50 (1.40 – 1.60) (95 % CI, 5 interleaved repeats).',
  ]);
  const apart = [both[0], { ...both[1], verdict: 'inconclusive' }];
  assert.equal(answersOf(turns, [], apart).length, 2);
  assert.match(answersOf(plan, [], both)[0], /: op at 1 connection: .*; other at 1 connection: /);
});

test('users who think set the throughput, so latency is compared', () => {
  const thinking = {
    ...plan,
    profile: { ...plan.profile, dataset: { thinkMs: 500 } },
    workloads: [{ ...plan.workloads[0], windows: { all: { order: 'turns', turns: ['op', 'op', 'other'] } } }],
  };
  const alike = { estimate: 1, low: 0.99, high: 1.01, pairs: 5, verdict: 'equivalent' };
  const found = ['op', 'other'].map((operation) =>
    compared('alpha', 'beta', {
      operation,
      verdict: 'equivalent',
      ratio: alike,
      p99Ratio:
        operation === 'op' ? { ...alike, estimate: 0.5, low: 0.4, high: 0.6, verdict: 'slower' } : alike,
    }),
  );
  assert.deepEqual(answersOf(thinking, [], found), [
    '**ALPHA is ahead of BETA** on p99 of the service time (less is better): op at 1 connection: ratio 0.50 (0.40 – 0.60) (95 % CI, 5 interleaved repeats).',
    '**ALPHA and BETA: no measurable difference** in p99 of the service time (less is better), within ±5 %: other at 1 connection: ratio 1.00 (0.99 – 1.01) (95 % CI, 5 interleaved repeats).',
    'Users think 500 ms between rounds, which sets the throughput of every system alike.',
  ]);
});

test('a step with data of its own stands for no system on the first screen', () => {
  const steps = [plan.profile.steps[0], { ...plan.profile.steps[0], id: 'own', dataset: { thinkMs: 0 } }];
  const found = steps.toReversed().map(({ id: stepId }) =>
    compared('alpha', 'beta', {
      stepId,
      verdict: 'faster',
      ratio: stepId === 'own' ? { estimate: 9, low: 8, high: 10 } : { estimate: 2, low: 1.9, high: 2.1 },
    }),
  );
  const [answer, ...others] = answersOf({ ...plan, profile: { ...plan.profile, steps } }, [], found);
  assert.match(answer, /at 1 connection: ratio 2\.00/);
  assert.deepEqual(others, []);
});

test('what bars a pair from all figures is said once for all workloads, after what was found', () => {
  const barred = { why: 'beta storage_stand_in' };
  const answers = answersOf(
    plan,
    [],
    [
      compared('alpha', 'beta', barred),
      compared('alpha', 'beta', { ...barred, operation: 'other' }),
      compared('alpha', 'beta', { ...barred, workload: 'v' }),
      compared('alpha', 'alpha@synced', { ...barred, workload: 'v' }),
      compared('alpha', 'alpha@synced', { verdict: 'faster', ratio: { estimate: 2, low: 1.9, high: 2.1 } }),
    ],
  );
  assert.equal(answers.length, 3);
  assert.match(answers[0], /ALPHA is ahead of ALPHA@SYNCED/);
  assert.equal(
    answers[1],
    '**ALPHA and BETA: no ranking**; no step has figures that may be compared: beta storage_stand_in.',
  );
  assert.match(answers[2], /no step of v has figures/);
});

test('where a p99 needs more operations, nobody is ahead in it', () => {
  const thinking = {
    ...plan,
    profile: { ...plan.profile, dataset: { thinkMs: 500 } },
    workloads: [{ ...plan.workloads[0], windows: { all: { order: 'turns', turns: ['op', 'other'] } } }],
  };
  const ratio = { estimate: 2, low: 1.9, high: 2.1, pairs: 5, verdict: 'faster' };
  const [answer] = answersOf(
    thinking,
    [],
    [compared('alpha', 'beta', { verdict: 'faster', ratio, p99Ratio: null })],
  );
  assert.match(answer, /no ranking.*op: fewer than 100 operations for a p99/);
});

test('figures that are bounds are not ranked, and are given as such', () => {
  const bound = { refusal: 'bound', why: 'no-ceiling' };
  const row = (/** @type {string} */ system, /** @type {number} */ median) =>
    /** @type {any} */ ({
      system,
      workload: 'w',
      transport: 't',
      step: { id: 'c1' },
      operation: 'op',
      ratePerSec: { median },
    });
  const [answer] = answersOf(plan, [row('alpha', 200), row('beta', 100)], [compared('alpha', 'beta', bound)]);
  assert.equal(
    answer,
    '**ALPHA and BETA: no ranking**; at every load the generator was the bottleneck, or may have been, so these are lower bounds and not ranked: op: at least 200/s and 100/s.',
  );
});
