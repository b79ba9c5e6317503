import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countedInstead,
  countedLimitSec,
  countedScenario,
  countedSeconds,
  stagesOf,
  warmupOperationsOf,
} from './count-bound.js';
import { stepLimitSec, stepSeconds } from './schedule.js';

/** @type {any} */
const step = { id: 'c10', model: 'closed', vus: 10, operations: 1000 };
/** @type {any} */
const profile = { warmupSec: 2, drive: 'burst' };

test('a step by count warms up on keys of its own, then has one stage for each operation', () => {
  assert.deepEqual(
    stagesOf(step, ['set', 'get']).map((s) => [s.phase, s.operation, s.from, s.count]),
    [
      ['warmup', 'set', 1000, 100],
      ['warmup', 'get', 1000, 100],
      ['measure', 'set', 0, 1000],
      ['measure', 'get', 0, 1000],
    ],
  );
  assert.equal(warmupOperationsOf({ ...step, warmupOperations: 0 }), 0);
  assert.equal(stagesOf({ ...step, warmupOperations: 0 }, ['set']).length, 1);
});

test('its scenario is one iteration of each user, with a generous end', () => {
  const [[name, scenario]] = /** @type {[string, any][]} */ (Object.entries(countedScenario(step, 3)));
  assert.equal(name, 'c10_counted');
  assert.deepEqual(
    [scenario.executor, scenario.vus, scenario.iterations, scenario.exec],
    ['per-vu-iterations', 10, 1, 'counted'],
  );
  assert.ok(countedLimitSec(step, 3) > 50 * countedSeconds(profile, step, 3));
  assert.equal(stepSeconds(profile, step, { operations: ['a', 'b', 'c'] }), countedSeconds(profile, step, 3));
  assert.equal(stepLimitSec(profile, step, { operations: ['a', 'b', 'c'] }), countedLimitSec(step, 3));
});

test('a workload by count has its duration-bound steps by the number of its dataset', () => {
  const timed = { id: 'c5', model: /** @type {const} */ ('closed'), vus: 5, durationSec: 9, warmupSec: 1 };
  const bound = { countBound: 'documents' };
  assert.deepEqual(countedInstead(timed, bound, { documents: 70 }), {
    id: 'c5',
    model: 'closed',
    vus: 5,
    operations: 70,
  });
  assert.equal(countedInstead(timed, bound, {}).operations, 20_000);
  assert.equal(countedInstead(timed, bound, {}, 9).operations, 9, 'the user has the last word');
  assert.equal(
    countedInstead(step, bound, { documents: 70 }).operations,
    1000,
    'the step before the dataset',
  );
  assert.deepEqual(countedInstead(timed, {}, { documents: 70 }), timed, 'other workloads keep their time');
});
