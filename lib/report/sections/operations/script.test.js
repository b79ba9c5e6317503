import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../../../judge/testing.js';
import { rowsUnder } from '../../testing.js';
import { section } from './section.js';

const trend = {
  name: 'think',
  type: 'trend',
  count: 2000,
  mean: 5,
  p50: 4,
  p95: 9,
  p99: 9.5,
  min: 1,
  max: 20,
};
const row = {
  value: '/slow',
  count: 12_345,
  failed: 1,
  mean: 7,
  p50: 6,
  p95: 8,
  p99: 9,
  max: 11,
  failedMeanMs: 3,
};

/** @param {object[]} scenarios of the script @returns {any} the chapter of a run of two repeats */
const chapterOf = (scenarios) => {
  const cells = [1, 2].map((repeat) => ({
    ...aCell({ repeat }),
    unseen: [{ metric: 'checks', tags: '' }],
    lostOutputs: [{ output: 'csv', cause: 'lost points' }],
    metrics: [{ ...trend, mean: trend.mean + repeat }],
    requests: { tag: 'name', rows: [row], others: { ...row, value: '', count: 9 }, beyond: 3 },
  }));
  const script = {
    path: '/a/shop.js',
    sha256: 'f'.repeat(64),
    variables: [],
    k6Options: [],
    by: 'name',
    scenarios,
  };
  const steps = [cells[0].step];
  return section(
    /** @type {any} */ ({
      ...{ rows: [], wholes: [], measured: cells },
      plan: { options: { script }, profile: { steps }, systems: [], workloads: [], trials: [] },
    }),
  );
};

test('a script has its requests and its own metrics with their intervals, and whole numbers of requests', () => {
  const made = chapterOf([]);
  const [one, others] = rowsUnder(made, /^Requests by name$/);
  assert.deepEqual(
    [one.name, one.requests, one.failed],
    ['/slow', '12\u202f345 (12\u202f345 – 12\u202f345)', '1 (1 – 1)'],
  );
  assert.equal(others.name, 'others (at least 3 more)');
  const [own] = rowsUnder(made, /^Metrics of the script$/);
  assert.match(own.mean, /^6\.50 \(.+ – .+\)$/);
  assert.match(
    made.text,
    /\n- No sample of checks carried a value: the threshold on checks has nothing to judge\.\n/,
  );
  assert.doesNotMatch(made.text, /lost points|take the place/);
});

test('scenarios of a script share the users of the steps, and one says what its load was', () => {
  const scenario = (/** @type {string} */ name, /** @type {number} */ weight) => ({
    name,
    executor: 'constant-vus',
    weight,
  });
  assert.match(chapterOf([scenario('a', 1)]).text, /own load \(constant-vus\)\./);
  assert.match(
    chapterOf([scenario('a', 2), scenario('b', 1)]).text,
    /its scenarios a \(constant-vus\), b \(constant-vus\) share the users 2 : 1\./,
  );
});
