import assert from 'node:assert/strict';
import { test } from 'node:test';
import { significant } from '../../../format.js';
import { judge } from '../../../judge/judge.js';
import { aCell } from '../../../judge/testing.js';
import { rowsOf } from '../../../record/figures.js';
import { recordsOf, rowsUnder } from '../../testing.js';
import { mixPart } from './mix.js';
import { breakingPoint, scalingParts } from './scaling.js';

const steps = [1, 20, 50, 100].map((vus) => ({ id: `c${vus}`, model: 'closed', vus, durationSec: 10 }));
/** @type {any} */
const plan = {
  profile: { drive: 'burst', steps: steps, thresholds: {} },
  blocks: [],
  workloads: [{ id: 'counters', title: 'C', operations: { put: { share: 0.7 }, note: { share: 0.3 } } }],
  systems: [],
};
/** @param {string} system @param {[number, number][]} ladder_ users and throughput @param {object} [result] of the last step */
function ladder(system, ladder_, result = {}) {
  return ladder_.map(([vus, ratePerSec], i) =>
    aCell({ system, vus, ratePerSec, operation: 'put', result: i === ladder_.length - 1 ? result : {} }),
  );
}
/** @param {import('../../../types.d.ts').CellRecord[]} cells @param {any} [p] */
const broken = (cells, p = plan) => {
  const found = breakingPoint(p, rowsOf(cells, 1));
  return found && [found.row.step.id, found.why];
};
const rising = /** @type {[number, number][]} */ ([
  [1, 1000],
  [20, 5000],
  [50, 9000],
]);

test('the breaking point is the first step with failures, a p99 above the limit, or falling throughput', () => {
  assert.equal(broken(ladder('alpha', rising)), null);
  assert.deepEqual(broken(ladder('alpha', [...rising, [100, 6000]])), [
    'c100',
    'throughput falls to 66.7 % of the best step before',
  ]);
  const errors = { connect: 0, timeout: 180, protocol: 0, server: 0, other: 0 };
  assert.deepEqual(broken(ladder('alpha', rising, { errors })), ['c50', '0.200 % of the operations failed']);
  const strict = { ...plan, profile: { ...plan.profile, thresholds: { p99Ms: 9 } } };
  assert.deepEqual(broken(ladder('alpha', rising), strict), ['c50', 'p99 11.1 ms is above 9.00 ms']);
});

test('errors stand beside every step, those of cells without a figure too', () => {
  const errors = { connect: 45_000, timeout: 0, protocol: 0, server: 0, other: 0 };
  const reasons = [{ code: 'errors', measured: 0.33, limit: 0.001 }];
  const cells = [
    ...ladder('beta', rising.slice(0, 2)),
    aCell({ system: 'beta', vus: 50, ratePerSec: 9000, operation: 'put', reasons, result: { errors } }),
  ];
  const [part] = scalingParts(plan, rowsOf(cells, 1));
  const rows = rowsUnder(part, /Scaling: put/);
  assert.deepEqual(
    rows.map((r) => r.errors),
    ['0 %', '0 %', '33.3 %'],
  );
  assert.match(rows[2]['op/s'], /n\/a/);
  assert.match(
    String(part.notes?.[0]),
    /\*\*BETA\*\*: 5000 op\/s at 20 connections.*breaking point is 50 connections: 33\.3 %/,
  );
});

test('a step that failed breaks the ladder, whatever came before', () => {
  const dead = aCell({
    system: 'gamma',
    vus: 50,
    record: { status: 'failed', reason: 'it died', operations: {} },
  });
  const rows = rowsOf([...ladder('gamma', rising.slice(0, 2)), dead], 1);
  const found = breakingPoint(plan, rows);
  assert.match(String(found?.why), /failed: it died/);
});

/** @param {number} put @param {number} note operations per second */
function mixed(put, note) {
  const [one, other] = [
    aCell({ system: 'alpha', vus: 20, ratePerSec: put, operation: 'put' }),
    aCell({ system: 'alpha', vus: 20, ratePerSec: note, operation: 'note' }),
  ];
  const mean = 20_000 / (put + note);
  const operations = Object.fromEntries(
    Object.entries({ ...one.operations, ...other.operations }).map(([op, o]) => [
      op,
      {
        ...o,
        share: plan.workloads[0].operations[op].share,
        serviceMs: { .../** @type {any} */ (o.serviceMs), mean },
      },
    ]),
  );
  return { ...one, operations };
}

test('a mix shows counts and shares, and what they make together', () => {
  const rows = mixPart(plan, rowsOf([mixed(7000, 3000)], 1))?.tables?.flatMap(recordsOf);
  assert.deepEqual(rows, [
    {
      system: 'ALPHA',
      step: '20 connections',
      operations: '100000',
      'all together, op/s': significant(10_000),
      'put (70.0 % asked for)': '70000 (70.0 %)',
      'note (30.0 % asked for)': '30000 (30.0 %)',
    },
  ]);
  const single = { ...plan, workloads: [{ ...plan.workloads[0], operations: { put: {}, note: {} } }] };
  assert.equal(mixPart(single, rowsOf([mixed(7000, 3000)], 1)), null);
});

test("Little's law holds for a mix as a whole, since its users go from one operation to the other", () => {
  const context = { thresholds: {}, restarted: false, ceilings: { put: 1e6, note: 1e6 } };
  const codes = (/** @type {any} */ cell) => judge(cell, context).verdict.reasons.map((r) => r.code);
  assert.deepEqual(codes(mixed(7000, 3000)), []);
  const cell = mixed(7000, 3000);
  for (const o of Object.values(cell.operations)) /** @type {any} */ (o).serviceMs.mean *= 0.7;
  assert.deepEqual([...new Set(codes(cell))], ['littles_law']);
});

test('a step with something going on beside its load is none of the ladder', () => {
  const busy = aCell({ system: 'alpha', vus: 20, ratePerSec: 100, operation: 'put' });
  const beside = { ...busy, step: { ...busy.step, id: 'busy', background: { ratePerSec: 50 } } };
  const cells = [...ladder('alpha', rising), beside];
  const [part] = scalingParts(plan, rowsOf(cells, 1));
  assert.equal(part.tables?.[0].rows.length, rising.length);
  assert.match(String(part.notes), /no breaking point/);
});

test('of a mix the whole is the true median of the sums, without INVALID repeats', () => {
  const mixed = (
    /** @type {number} */ repeat,
    /** @type {number} */ put,
    /** @type {any[]} */ reasons = [],
  ) => {
    const cell = aCell({ repeat, operation: 'put', ratePerSec: put, reasons });
    return { ...cell, operations: { ...cell.operations, note: { ...cell.operations.put, ratePerSec: 1 } } };
  };
  const cells = [mixed(1, 9), mixed(2, 29), mixed(3, 9999, [{ code: 'littles_law' }])];
  const [row] = mixPart(plan, rowsOf(cells, 1))?.tables?.flatMap(recordsOf) ?? [];
  assert.equal(row['all together, op/s'], '20.0');
});
