import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordsOf } from '../../testing.js';
import { section } from './section.js';

const target = (/** @type {number} */ ratioAtLeast) => ({
  ...{ title: `at least ${ratioAtLeast}`, workload: 'w', operation: 'increment', connections: 50, depth: 16 },
  ...{ against: 'b', ratioAtLeast },
});
const systems = [
  { id: 'a', title: 'A', targets: [0.9, 1.2, 1.5].map(target) },
  { id: 'b', title: 'B' },
];
const plan = /** @type {any} */ ({ systems, profile: { steps: [] } });

/** @param {{better?: string, starts?: number, trusted?: boolean}} [given] */
const held = ({ better = 'a', starts = 5, trusted = true } = {}) => {
  const verdict = { better, starts, ratio: { estimate: 1.25, low: 1.1, high: 1.4 } };
  const summary = {
    group: { workload: 'w', cells: [{ id: 'x', operation: 'increment', connections: 50, depth: 16 }] },
    comparisons: [{ a: 'a', b: 'b', cell: 'x', verdict }],
    trusted,
  };
  const made = section({ plan, comparisons: [], sideBySide: /** @type {any} */ ([summary]) });
  return (made?.tables ?? []).flatMap(recordsOf);
};

test('a target of systems side by side is held against the whole interval', () => {
  const rows = held();
  assert.deepEqual(
    rows.map((r) => r.verdict),
    ['met', 'undecided: the interval holds the target', 'not met'],
  );
  assert.equal(rows[0].load, 'increment, 50 connections × pipeline 16');
  assert.equal(rows[0]['measured (95 % CI)'], '1.25 (1.10 – 1.40)');
});

test('where the other one is better the ratio is turned round', () => {
  const [row] = held({ better: 'b' });
  assert.equal(row['measured (95 % CI)'], '0.80 (0.71 – 0.91)');
  assert.equal(row.verdict, 'undecided: the interval holds the target');
});

test('few starts, and a run that cannot be trusted, decide nothing', () => {
  assert.ok(held({ starts: 3 }).every((r) => r.verdict === 'undecided: 3 of 5 starts'));
  assert.ok(held({ trusted: false }).every((r) => r.verdict === 'undecided: this run cannot be trusted'));
});
