import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../../../judge/testing.js';
import { comparisonsOf } from '../../comparisons.js';
import { rowsOf } from '../../rows.js';
import { targetsOf } from '../targets/section.js';
import { pagesOf } from './section.js';

/** @import { CellRecord, Plan, Target } from '../../../types.d.ts' */

const STEP = { id: 'c100', model: /** @type {const} */ ('closed'), vus: 100, durationSec: 10 };

/** @type {Target} */
const TARGET = {
  title: 'Concurrent increment',
  workload: 'counters',
  operation: 'increment',
  connections: 100,
  against: 'beta',
  ratioAtLeast: 1.2,
};

/** @param {Partial<Plan['profile']['steps'][0]>} [step] @returns {Plan} */
function planOf(step = { title: 'Concurrent' }) {
  const system = (/** @type {string} */ id) => ({ id, title: id.toUpperCase(), role: 'system' });
  return /** @type {any} */ ({
    profile: { drive: 'burst', seed: 1, steps: [{ ...STEP, ...step }] },
    workloads: [{ id: 'counters', title: 'Counters' }],
    systems: [system('alpha'), system('beta'), { ...system('gamma'), targets: [TARGET] }],
  });
}

/** @param {Record<string, number[]>} rates by system @param {object} [more] */
function cellsOf(rates, more = {}) {
  return Object.entries(rates).flatMap(([system, own]) =>
    own.map((ratePerSec, i) => aCell({ system, repeat: i + 1, ratePerSec, operation: 'increment', ...more })),
  );
}

/** @param {CellRecord[]} cells @param {Plan} [plan] */
function sections(cells, plan = planOf()) {
  const rows = rowsOf(cells);
  const comparisons = comparisonsOf(rows, 1);
  return {
    pages: /** @type {any[]} */ (pagesOf(plan, rows, comparisons)),
    targets: /** @type {any[]} */ (targetsOf(plan, comparisons)),
  };
}

const BETA = [100, 101, 99, 100, 100];

test('every system is divided by the one that the targets name, wherever it stands', () => {
  const { pages } = sections(cellsOf({ alpha: BETA, beta: BETA, gamma: BETA.map((r) => r * 2) }));
  const [table] = pages[0].tables;
  assert.equal(table.title, 'Concurrent');
  assert.deepEqual(table.heads, ['ALPHA', 'BETA', 'GAMMA']);
  assert.deepEqual(table.ratioHeads, ['ALPHA / BETA', 'GAMMA / BETA']);
  assert.deepEqual(table.rows[0].ratios, ['1.00 (1.00 – 1.00)', '2.00 (2.00 – 2.00)']);
  assert.equal(pages[0].bound, null);
});

test('a target is judged by the whole interval', () => {
  const verdictOf = (/** @type {number[]} */ gamma) =>
    sections(cellsOf({ beta: BETA, gamma })).targets[0].verdict;
  assert.equal(verdictOf([130, 131, 129, 132, 130]), 'met');
  assert.equal(verdictOf([105, 106, 104, 105, 105]), 'not met');
  assert.match(verdictOf([110, 135, 118, 122, 140]), /^undecided: the interval holds the target/);
  assert.match(verdictOf([200, 200]), /^undecided: 2 of 5 repeats/);
});

test('where the generator is the limit the page says so, forms no ratio and decides no target', () => {
  const reasons = [{ code: 'generator_bound', measured: 0.9, limit: 0.7 }];
  const { pages, targets } = sections(cellsOf({ beta: BETA, gamma: BETA.map((r) => r * 2) }, { reasons }));
  const [row] = pages[0].tables[0].rows;
  assert.deepEqual(row.rates, ['≥ 100', '≥ 200']);
  assert.deepEqual(row.ratios, ['none: generator-bound']);
  assert.match(pages[0].bound, /^2 of 2 figures are marked "≥"/);
  assert.equal(targets[0].verdict, 'undecided: generator-bound');
});

/** @param {Record<string, number[]>} costs µs by system @param {object} [more] */
function cellsOfCosts(costs, more = {}) {
  return Object.entries(costs).flatMap(([system, own]) =>
    own.map((systemCpuUsPerOp, i) =>
      aCell({ system, repeat: i + 1, operation: 'increment', result: { systemCpuUsPerOp }, ...more }),
    ),
  );
}

test('operations per CPU second are compared where the generator is the limit, too', () => {
  const reasons = [{ code: 'generator_bound', measured: 0.9, limit: 0.7 }];
  const costs = { beta: [4, 5, 4, 5, 4], gamma: [2, 2.5, 2, 2.5, 2] };
  for (const more of [{}, { reasons }]) {
    const [page] = sections(cellsOfCosts(costs, more)).pages;
    assert.deepEqual(page.costs, [
      {
        step: '100 connections',
        operation: 'increment',
        costs: ['4.00', '2.00'],
        ratios: ['2.00 (2.00 – 2.00)'],
      },
    ]);
  }
});

test('they are not under unequal conditions, of invalid repeats, or where no CPU is known', () => {
  const costs = { beta: [4, 4, 4, 4, 4], gamma: [2, 2, 2, 2, 2] };
  const cells = cellsOfCosts(costs);
  for (const cell of cells)
    if (cell.system === 'gamma') cell.parity = { ...cell.parity, durability: 'always' };
  assert.match(sections(cells).pages[0].costs[0].ratios[0], /^none: asymmetric/);

  const reasons = [{ code: 'errors', measured: 1, limit: 0 }];
  const invalid = [
    ...cellsOfCosts({ beta: costs.beta }),
    ...cellsOfCosts({ gamma: costs.gamma }, { reasons }),
  ];
  assert.match(sections(invalid).pages[0].costs[0].ratios[0], /^none: gamma errors/);

  const external = cellsOfCosts({ beta: [4], gamma: [2] }, { result: { systemCpuUsPerOp: null } });
  assert.deepEqual(sections(external).pages[0].costs, []);
});

test('a run without such steps or systems has neither section', () => {
  const untitled = sections(cellsOf({ beta: BETA, gamma: BETA }), planOf({ vus: 50 }));
  assert.deepEqual(untitled, { pages: [], targets: [] });
  assert.deepEqual(sections(cellsOf({ gamma: BETA })).targets, []);
});
