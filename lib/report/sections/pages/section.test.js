import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../../../judge/testing.js';
import { comparisonsOf } from '../../../record/comparisons.js';
import { rowsOf } from '../../../record/figures.js';
import { partOf, recordsOf, rowsUnder } from '../../testing.js';
import { section as targetsOf } from '../targets/section.js';
import { section as pagesOf } from './section.js';

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
  const rows = rowsOf(cells, 1);
  const comparisons = comparisonsOf(rows);
  const run = /** @type {import('../../run.js').Run} */ ({ plan, rows, comparisons });
  return { pages: pagesOf(run), targets: targetsOf(run)?.tables?.flatMap(recordsOf) ?? [] };
}

const BETA = [100, 101, 99, 100, 100];

test('every system is divided by the one that the targets name, wherever it stands', () => {
  const { pages } = sections(cellsOf({ alpha: BETA, beta: BETA, gamma: BETA.map((r) => r * 2) }));
  const [row] = rowsUnder(pages, /^Concurrent$/);
  assert.deepEqual(row, {
    operation: 'increment',
    ALPHA: '100',
    BETA: '100',
    GAMMA: '200',
    'ALPHA / BETA': '1.00 (1.00 – 1.00)',
    'GAMMA / BETA': '2.00 (2.00 – 2.00)',
  });
  assert.equal(pages[0].intro?.length, 1);
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
  const [row] = rowsUnder(pages, /^Concurrent$/);
  assert.deepEqual([row.BETA, row.GAMMA, row['GAMMA / BETA']], ['≥ 100', '≥ 200', 'none: generator-bound']);
  assert.match(String(pages[0].intro?.[1]), /^2 of 2 figures are marked "≥"/);
  assert.equal(targets[0].verdict, 'undecided: generator-bound');
});

const COSTS = /costs the system/;

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
    const { pages } = sections(cellsOfCosts(costs, more));
    assert.deepEqual(rowsUnder(pages, COSTS), [
      {
        step: '100 connections',
        operation: 'increment',
        BETA: '4.00',
        GAMMA: '2.00',
        'GAMMA / BETA': '2.00 (2.00 – 2.00)',
      },
    ]);
  }
});

test('they are not under unequal conditions, of invalid repeats, or where no CPU is known', () => {
  const costs = { beta: [4, 4, 4, 4, 4], gamma: [2, 2, 2, 2, 2] };
  const cells = cellsOfCosts(costs);
  for (const cell of cells)
    if (cell.system === 'gamma') cell.parity = { ...cell.parity, durability: 'always' };
  const ratioOf = (/** @type {CellRecord[]} */ own) =>
    rowsUnder(sections(own).pages, COSTS)[0]['GAMMA / BETA'];
  assert.match(ratioOf(cells), /^none: asymmetric/);

  const reasons = [{ code: 'errors', measured: 1, limit: 0 }];
  const invalid = [
    ...cellsOfCosts({ beta: costs.beta }),
    ...cellsOfCosts({ gamma: costs.gamma }, { reasons }),
  ];
  assert.match(ratioOf(invalid), /^none: gamma errors/);

  const external = cellsOfCosts({ beta: [4], gamma: [2] }, { result: { systemCpuUsPerOp: null } });
  assert.equal(partOf(sections(external).pages, COSTS), undefined);
});

test('a run without such steps or systems has neither section', () => {
  const untitled = sections(cellsOf({ beta: BETA, gamma: BETA }), planOf({ vus: 50 }));
  assert.deepEqual(untitled, { pages: [], targets: [] });
  assert.deepEqual(sections(cellsOf({ gamma: BETA })).targets, []);
});
