import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan, warmupOperationsOf } from './by-count.js';
import { plan as planAny } from './schedule.js';
import { stepFor } from './steps.js';

/** @type {any} */
const step = { id: 'c10', model: 'closed', vus: 10, operations: 1000 };
/** @type {any} */
const profile = { warmupSec: 2, drive: 'burst' };

test('a step by count warms up on keys of its own, then has one stage for each operation', () => {
  assert.deepEqual(
    plan(step, profile, { operations: { set: {}, get: {} } }).stages.map((s) => [
      s.phase,
      s.operation,
      s.from,
      s.count,
    ]),
    [
      ['warmup', 'set', 1000, 100],
      ['warmup', 'get', 1000, 100],
      ['measure', 'set', 0, 1000],
      ['measure', 'get', 0, 1000],
    ],
  );
  assert.equal(warmupOperationsOf({ ...step, warmupOperations: 0 }), 0);
  assert.equal(plan({ ...step, warmupOperations: 0 }, profile, { operations: { set: {} } }).stages.length, 1);
});

test('its scenario is one iteration of each user, with a generous end', () => {
  const facts = { operations: { a: {}, b: {}, c: {} } };
  const { scenarios, seconds, limitSec, thresholds } = plan(step, profile, facts);
  const [[name, scenario]] = /** @type {[string, any][]} */ (Object.entries(scenarios));
  assert.equal(name, 'c10_counted');
  assert.deepEqual(
    [scenario.executor, scenario.vus, scenario.iterations, scenario.exec, scenario.maxDuration],
    ['per-vu-iterations', 10, 1, 'fixedCount', `${limitSec}s`],
  );
  assert.ok(limitSec > 50 * seconds);
  assert.deepEqual(
    Object.keys(thresholds),
    ['a', 'b', 'c'].map((op) => `op_outside_ms{scenario:c10_counted,op:${op}}`),
  );
  assert.deepEqual(planAny(step, profile, facts), plan(step, profile, facts));
});

test('a workload of fixed counts takes them from its dataset where a step gives a time', () => {
  const timed = { id: 'c5', model: /** @type {const} */ ('closed'), vus: 5, durationSec: 9, warmupSec: 1 };
  const bound = { fixedCount: 'documents' };
  assert.deepEqual(stepFor(timed, bound, { dataset: { documents: 70 } }), {
    id: 'c5',
    model: 'closed',
    vus: 5,
    operations: 70,
  });
  assert.equal(stepFor(timed, bound, { dataset: {} }).operations, 20_000);
  assert.equal(stepFor(timed, bound, { dataset: {} }, 9).operations, 9, 'the user has the last word');
  assert.equal(
    stepFor(step, bound, { dataset: { documents: 70 } }).operations,
    1000,
    'the step before the dataset',
  );
  assert.deepEqual(
    stepFor(timed, {}, { dataset: { documents: 70 } }),
    timed,
    'other workloads keep their time',
  );
});
