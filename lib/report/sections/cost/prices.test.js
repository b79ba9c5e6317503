import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparisonsOf } from '../../../figures/comparisons.js';
import { rowsOf } from '../../../figures/rows.js';
import { aCell } from '../../../judge/testing.js';
import { rowsUnder } from '../../testing.js';
import { priceAnswers } from './prices.js';
import { section } from './section.js';

const plan = /** @type {any} */ ({
  systems: [
    {
      id: 'a',
      title: 'Alpha',
      settings: { log: 'no' },
      durability: { policy: 'none', meaning: 'in memory' },
    },
    { id: 'b', title: 'Beta', settings: {}, durability: { policy: 'none', meaning: 'in memory' } },
    {
      id: 'a@synced',
      title: 'Alpha (synced)',
      settings: { log: 'yes' },
      durability: { policy: 'fsync', meaning: 'on disk' },
    },
  ],
  workloads: [{ id: 'counters', title: 'Counters', operations: {} }],
  profile: { steps: [], drive: 'burst' },
  trials: [],
});
const STEADY = [100, 101, 99, 100, 100];

/** @param {string} system @param {number} factor @param {object} [more] */
const cells = (system, factor, more = {}) =>
  (system.includes('@') ? [...STEADY].reverse() : STEADY).map((rate, i) =>
    aCell({
      ...{ system, repeat: i + 1, ratePerSec: rate * factor * 1000 },
      parity: { durability: system.includes('@') ? 'fsync' : 'none' },
      ...more,
    }),
  );

/** @param {any[]} records @param {any[]} [pairs] */
const shown = (records, pairs = []) =>
  section(
    /** @type {any} */ ({
      ...{ plan, measured: records, rows: [], wholes: [], beside: [], lifecycle: [], loads: [] },
      comparisons: [...pairs, ...comparisonsOf(rowsOf(records))],
    }),
  );

test('what a setting costs stands in a table of its own, by the rules of any comparison', () => {
  const made = shown([...cells('a', 1), ...cells('b', 1), ...cells('a@synced', 0.6)]);
  const [row, ...others] = rowsUnder(made, /Cost of a setting/);
  assert.equal(others.length, 0, 'Beta is a rival, not a setting');
  assert.match(row['Alpha (synced)'], /^costs 40\.0 % \(39\.\d – 40\.\d\)$/);
  assert.match(String(made?.text), /Alpha \(synced\)\*\* against Alpha: `log yes`, on disk\.$/m);
  assert.equal(shown([...cells('a', 1), ...cells('b', 1)]), null, 'nobody ran in two configurations');
});

test('servers of one folder by their addresses are two configurations where they say unlike promises', () => {
  const of = (/** @type {string} */ system, /** @type {number} */ factor, /** @type {any} */ said) =>
    cells(system, factor, { parity: { durability: said.policy, product: 'log' }, record: said.record });
  const [none, synced] = [
    { policy: 'none', record: { system: 'a', stated: { log: 'no' }, durability: 'in memory' } },
    { policy: 'fsync', record: { system: 'b', stated: { log: 'yes' }, durability: 'on disk' } },
  ];
  const made = shown([...of('a', 1, none), ...of('b', 0.6, synced)]);
  assert.match(rowsUnder(made, /Cost of a setting/)[0].Beta, /^costs 40\.0 %/);
  assert.match(String(made?.text), /Beta\*\* against Alpha: `log yes`, on disk\.$/m);
  const alike = { ...synced, policy: 'none' };
  assert.equal(
    shown([...of('a', 1, none), ...of('b', 0.6, alike)]),
    null,
    'rivals, whatever they are set to',
  );
});

test('nothing, a gain, what is open, a trend, a bound and unlike conditions are called so', () => {
  const price = (/** @type {any[]} */ records) =>
    rowsUnder(shown(records), /Cost of a setting/)[0]['Alpha (synced)'];
  const refused = (/** @type {any[]} */ records) =>
    String(/^- (.*)$/m.exec(String(shown(records)?.text))?.[1]);
  const own = cells('a', 1);
  assert.match(price([...own, ...cells('a@synced', 1)]), /^nothing \(tie/);
  assert.match(price([...own, ...cells('a@synced', 1.5)]), /^gains 50\.0 %/);
  assert.match(
    price([...own.slice(0, 2), ...cells('a@synced', 0.5)]),
    /^too few repeats: costs 50\.\d % \(2 of 5 repeats\)/,
  );
  const bound = { reasons: [{ code: 'set_by_client' }] };
  assert.match(price([...cells('a', 1, bound), ...cells('a@synced', 0.5)]), /^costs at least 49\.\d %/);
  assert.match(
    refused([...own, ...cells('a@synced', 0.5, bound)]),
    /^Not compared in throughput, across trials, on 1 load: may be limited by the load generator\.$/,
  );
  assert.match(
    refused([...own, ...cells('a@synced', 0.5, { parity: { durability: 'fsync', connections: 7 } })]),
    /: different connections \(100, 7\)\.$/,
  );
});

test('of two that were loaded at once the cost is one of CPU, and a run that cannot be trusted ranks none', () => {
  const pair = (/** @type {any} */ over) => ({
    ...{ metric: 'efficiency', paired: true, n: 5, bound: null, better: 'a', why: [] },
    ...{ a: 'a', b: 'a@synced', kind: 'price', cell: 'get.c1' },
    load: { workload: 'counters', transport: 'resp', step: 'c1', operation: 'get' },
    ...{ outcome: 'winner', ratio: { estimate: 1.25, low: 1.2, high: 1.3 }, ...over },
  });
  const tie = pair({ b: 'b', kind: 'rivals', outcome: 'tie', ratio: { estimate: 1, low: 1, high: 1 } });
  const [row, ...others] = rowsUnder(shown([], [pair({}), tie]), /Cost of a setting/);
  assert.equal(others.length, 0);
  assert.equal(row['Alpha (synced)'], 'costs 20.0 % (16.7 – 23.1)');
  const doubted = pair({ outcome: 'not comparable', why: [{ code: 'noise_ahead' }] });
  assert.match(String(shown([], [doubted])?.text), /in CPU efficiency.*noise check/);
});

test('the answer says what each setting costs at most, or that it costs nothing', () => {
  const said = (/** @type {any[]} */ records) => priceAnswers(plan, comparisonsOf(rowsOf(records)));
  const dear = [...cells('a', 1), ...cells('a@synced', 0.6)];
  assert.match(
    said(dear)[0],
    /^\*\*Alpha \(synced\)\*\* costs up to 40 % of the throughput of Alpha \(.+\)\.$/,
  );
  assert.deepEqual(said([...cells('a', 1), ...cells('a@synced', 1)]), [
    '**Alpha (synced)** costs nothing on 1 load (within ±5 %).',
  ]);
  assert.deepEqual(said(cells('a', 1)), []);
});
