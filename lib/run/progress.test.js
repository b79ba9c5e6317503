import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../judge/testing.js';
import { createProgress } from './progress.js';

/** @param {Parameters<typeof aCell>[0]} with_ @returns {string} what is said when the cell has ended */
function said(with_) {
  /** @type {string[]} */
  const lines = [];
  const output = {
    say: (/** @type {string} */ text) => lines.push(text),
    paint: (/** @type {string} */ _, /** @type {string} */ text) => text,
  };
  const step = { id: 'c100', model: /** @type {const} */ ('closed'), vus: 100 };
  const cell = /** @type {any} */ ({ id: 'cell', system: 'a', workload: 'counters', step, repeat: 1 });
  const plan = /** @type {any} */ ({
    trials: [{ repeat: 1, cells: [cell] }],
    systems: [{ id: 'a' }],
    workloads: [],
    profile: { steps: [step], coolDownSec: 0, warmupSec: 0, drive: 'burst', dataset: {} },
    options: {},
    estimatedSec: 1,
  });
  createProgress(plan, /** @type {any} */ (output), () => 0).ended(
    cell,
    aCell({ ratePerSec: 5000, ...with_ }),
  );
  return lines.join();
}

test('a cell that ended says its figures as the report will', () => {
  assert.match(said({}), /^ {2}a {7}100 users {2}repeat 1 {2}valid +get 5000\/s {2}p99 ≤ 40\.0 ms/);
  assert.match(
    said({ reasons: [{ code: 'set_by_client' }] }),
    /degraded +get ≥ 5000\/s .*may be limited by the load generator/,
  );
});

test('what is INVALID, and a p99 of too few operations, is no figure', () => {
  const invalid = said({ reasons: [{ code: 'littles_law' }] });
  assert.match(invalid, /invalid +the figures contradict each other/);
  assert.doesNotMatch(invalid, /5000/);
  assert.doesNotMatch(said({ result: { count: 99 } }), /p99/);
});
