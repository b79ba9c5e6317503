import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inverse } from '../../../figures/compare.js';
import { recordsOf } from '../../testing.js';
import { section } from './section.js';

const promise = (/** @type {number} */ atLeast) => ({
  ...{ title: `at least ${atLeast}`, metric: 'throughput', against: { system: 'b' }, atLeast },
  load: { workload: 'w', operation: 'increment', users: 50, depth: 16 },
});
const systems = [
  { id: 'a', title: 'A', promises: [0.9, 1.2, 1.5].map(promise) },
  { id: 'b', title: 'B' },
];
const cells = [{ id: 'x', stepId: 'c50-p16', operation: 'increment', connections: 50, depth: 16 }];
const plan = /** @type {any} */ ({
  systems,
  workloads: [{ id: 'w', operations: { increment: {} } }],
  profile: { steps: [] },
  trials: [{ repeat: null, cells }],
});

/** @param {{better?: string, starts?: number, why?: object[]}} [given] */
const held = ({ better = 'a', starts = 5, why = [] } = {}) => {
  const ratio = { estimate: 1.25, low: 1.1, high: 1.4 };
  const comparison = /** @type {any} */ ({
    ...{ a: 'a', b: 'b', cell: 'x', metric: 'efficiency', paired: true, n: starts, bound: null, why },
    load: { workload: 'w', transport: 't', step: 'c50-p16', operation: 'increment' },
    ratio: better === 'a' ? ratio : inverse(ratio),
  });
  const step = { id: 'c50-p16', model: 'closed', vus: 50, depth: 16 };
  const row = /** @type {any} */ ({
    system: 'a',
    workload: 'w',
    transport: 't',
    operation: 'increment',
    step,
  });
  return (section({ plan, comparisons: [comparison], rows: [row], wholes: [] })?.tables ?? []).flatMap(
    recordsOf,
  );
};

test('a promise of systems side by side is held against the whole interval', () => {
  const rows = held();
  assert.deepEqual(
    rows.map((r) => r.verdict),
    ['met', 'inconclusive: the interval holds the limit', 'not met'],
  );
  assert.equal(rows[0].promise, 'at least 0.9 (increment, 50 users × pipeline 16)');
  assert.equal(rows[0]['measured (95 % CI)'], '1.25 (1.10 – 1.40)');
});

test('where the other one is better the ratio is turned round', () => {
  const [row] = held({ better: 'b' });
  assert.equal(row['measured (95 % CI)'], '0.80 (0.71 – 0.91)');
  assert.equal(row.verdict, 'inconclusive: the interval holds the limit');
});

test('few starts, and a run that cannot be trusted, decide nothing', () => {
  assert.ok(held({ starts: 3 }).every((r) => r.verdict === 'inconclusive: 3 of 5 repeats'));
  assert.ok(
    held({ why: [{ code: 'noise_ahead' }] }).every((r) => /^inconclusive: .*noise check/.test(r.verdict)),
  );
});
