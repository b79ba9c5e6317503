import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../judge/testing.js';
import { drivesOf } from './generator-cost.js';
import { rowsOf } from './rows.js';

const plan = /** @type {any} */ ({
  systems: [{ id: 'a', title: 'A' }],
  profile: {
    seed: 1,
    drive: 'burst',
    steps: [
      { id: 'c10', model: 'closed', vus: 10, durationSec: 8 },
      { id: 'c10-iterations', model: 'closed', vus: 10, durationSec: 8, drive: 'iteration' },
      { id: 'c20', model: 'closed', vus: 20, durationSec: 8 },
    ],
  },
});

/** @param {number} step @param {number} ratePerSec @param {number} repeat */
const cell = (step, ratePerSec, repeat) =>
  aCell({
    system: 'a',
    vus: plan.profile.steps[step].vus,
    ratePerSec,
    repeat,
    operation: 'op',
    record: { workload: 'w', step: plan.profile.steps[step] },
  });

test('bursts stand beside the iterations of the same users, paired by repeat', () => {
  const records = [1, 2, 3].flatMap((r) => [cell(0, 3000 * r, r), cell(1, 1000 * r, r), cell(2, 9, r)]);
  const [twin, ...others] = drivesOf(plan, rowsOf(records));
  assert.deepEqual(others, []);
  assert.deepEqual(
    [twin.row.title, twin.burst?.median, twin.iteration?.median, twin.ratio?.ratio?.estimate.toFixed(2)],
    ['A', 6000, 2000, '3.00'],
  );
});

test('without a repeat in which both are valid there is no ratio', () => {
  const broken = { ...cell(1, 1000, 1), status: /** @type {const} */ ('failed') };
  const [twin] = drivesOf(plan, rowsOf([cell(0, 3000, 1), cell(1, 1000, 2), broken]));
  assert.equal(twin.ratio, null);
});
