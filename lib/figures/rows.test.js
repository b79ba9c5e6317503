import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../judge/testing.js';
import { whyText } from '../judge/why.js';
import { compareFigures, inverse, meets } from './compare.js';
import { comparisonsAt, comparisonsOf } from './comparisons.js';
import { combine, differenceOf, figureOf, geometricMeanOf, poolOf, sumOf } from './figure.js';
import { rowsOf, wholesOf } from './rows.js';

/** @import { CellRecord } from '../types.d.ts' */

/** @param {(number | null)[]} values @param {string[]} [why] @param {'lower' | 'upper' | null} [bound] */
const figure = (values, why = [], bound = null) =>
  figureOf(
    values.map((v, i) => [i + 1, v]),
    /** @type {import('../types.d.ts').ReasonCode[]} */ (why),
    bound,
  );

/** @param {number[]} rates @param {object} [more] @returns {CellRecord[]} */
const repeats = (rates, more = {}) =>
  rates.map((ratePerSec, i) => aCell({ ratePerSec, repeat: i + 1, ...more }));

/** @param {string} code */
const because = (code) => ({ reasons: [{ code }] });

test('a figure is the true median of its repeats, also of an even number of them', () => {
  assert.equal(figure([1, 2, 10, 20])?.median, 6);
  assert.equal(figure([null, 3])?.n, 1);
  assert.equal(figure([null]), null);
});

test('INVALID and failed repeats are in no figure, of whatever kind', () => {
  const [row] = rowsOf([
    ...repeats([100, 110], { result: { generatorCpuUsPerOp: 4 } }),
    aCell({ repeat: 3, ratePerSec: 900, ...because('littles_law'), result: { generatorCpuUsPerOp: 99 } }),
    aCell({ repeat: 4, ratePerSec: 900, record: { status: 'failed', reason: 'it died' } }),
  ]);
  assert.deepEqual([row.ratePerSec?.median, row.ratePerSec?.n], [105, 2]);
  assert.equal(row.generatorCpuUsPerOp?.median, 4);
  assert.deepEqual([row.repeats, row.usable, row.status, row.rankable], [4, 2, 'VALID', true]);
});

test('ten operations lie beyond each percentile of each repeat that is shown, wherever it is printed', () => {
  const latency = (/** @type {number} */ count, /** @type {object} */ more = {}) => {
    const cells = [
      aCell({ repeat: 1 }),
      aCell({ repeat: 2, result: { count } }),
      aCell({ repeat: 3, record: { status: 'failed', reason: 'it died' }, ...more }),
    ];
    return rowsOf(cells)[0].serviceMs;
  };
  assert.equal(latency(999).p99, null);
  assert.notEqual(latency(1000).p99, null, 'a repeat that failed has no say');
  assert.equal(latency(1000).p999, null);
  assert.equal(latency(199).p95, null);
  assert.notEqual(latency(199).p90, null);
  assert.equal(latency(99).p90, null);
  assert.notEqual(latency(99).p50, null);
  assert.equal(latency(19).p50, null);
  assert.notEqual(latency(19).max, null);
});

test('where the generator took part, or may have, a throughput is a lower bound and a latency an upper one', () => {
  for (const code of ['set_by_client', 'unattributed']) {
    const taken = [2, 3].map((repeat) => aCell({ repeat, ...because(code) }));
    const [row] = rowsOf([...repeats([100]), ...taken]);
    assert.equal(row.ratePerSec?.bound, 'lower', code);
    assert.equal(row.serviceMs.p50?.bound, 'upper', code);
    assert.deepEqual([row.rankable, row.quotable, row.why], [false, true, [code]]);
    assert.deepEqual([row.systemCpuUsPerOp?.bound, row.systemCpuUsPerOp?.rankable], [null, true]);
  }
});

test('what the system set in most repeats is its own, with the medians of what was seen', () => {
  const taken = aCell({ repeat: 3, ...because('set_by_client') });
  const [row] = rowsOf([...repeats([100, 101]), taken]);
  assert.deepEqual([row.ratePerSec?.bound, row.rankable, row.setBy?.who], [null, true, 'system']);
  assert.deepEqual(row.setBy?.shares.loop, { least: 0.4, most: 0.4 });
  const [half] = rowsOf([...repeats([100]), { ...taken, repeat: 2 }]);
  assert.deepEqual([half.ratePerSec?.bound, half.rankable, half.setBy?.who], ['lower', false, 'generator']);
  const paced = aCell({ result: { setBy: null } });
  assert.equal(rowsOf([paced])[0].setBy, null);
});

test('a repeat that is left out makes no bound of the others', () => {
  const invalid = { reasons: [{ code: 'littles_law' }, { code: 'set_by_client' }] };
  const [row] = rowsOf([...repeats([100, 101]), aCell({ repeat: 3, ...invalid })]);
  assert.deepEqual([row.ratePerSec?.bound, row.rankable], [null, true]);
  assert.deepEqual([...row.codes].sort(), ['littles_law', 'set_by_client']);
});

test('one DEGRADED repeat bars all from a ranking, and a reason that is no bound from being quoted', () => {
  const [row] = rowsOf([...repeats([100, 101]), aCell({ repeat: 3, ...because('p99_threshold') })]);
  assert.deepEqual([row.status, row.rankable, row.quotable], ['DEGRADED', false, false]);
  assert.deepEqual([row.ratePerSec?.rankable, row.ratePerSec?.bound], [false, null]);
});

test('a busy machine makes a system slower and not larger: its bytes are ranked, its rates are not', () => {
  const use = /** @type {any} */ ({ cpuCores: 0.5, rssPeakBytes: 1000 });
  const resources = { system: use, generator: use, host: null };
  const [row] = rowsOf([aCell({ record: { resources }, ...because('host_busy') })]);
  const { cpuCores, rssPeakBytes } = row.used.system;
  assert.deepEqual(
    [row.rankable, row.ratePerSec?.rankable, cpuCores?.rankable, rssPeakBytes?.rankable],
    [false, false, false, true],
  );
});

test('without a usable repeat there is a reason in place of figures', () => {
  const failureOf = (/** @type {CellRecord} */ cell) => {
    const [row] = rowsOf([cell]);
    return [row.status, row.failure, row.ratePerSec, row.rankable, row.quotable];
  };
  const died = { status: /** @type {const} */ ('failed'), reason: 'it died', operations: {} };
  assert.deepEqual(failureOf(aCell({ record: died })), ['FAILED', 'failed: it died', null, false, false]);
  const invalid = aCell(because('oracle'));
  assert.deepEqual(failureOf(invalid), ['INVALID', 'wrong state after the load', null, false, false]);
});

test('errors of all repeats that ran can be told, and nothing that stands beside them is ranked', () => {
  const errors = { connect: 5, timeout: 0, protocol: 0, server: 0, other: 0 };
  const cells = [aCell(), aCell({ repeat: 2, ...because('errors'), result: { errors, count: 95 } })];
  const [row] = rowsOf(cells);
  assert.equal(row.counts.failed, 5);
  assert.deepEqual([row.rankable, row.quotable, row.usable], [false, false, 2], 'shown, and no more');
  assert.deepEqual(row.tried, {
    ran: 2,
    done: 95 + cells[0].operations.get.count,
    failed: 5,
    dropped: 0,
    kinds: [],
  });
});

test('all operations of a step together have the sum of the rates and the latency of the whole', () => {
  const cell = aCell({ ratePerSec: 100 });
  const { get } = cell.operations;
  const both = {
    ...cell,
    operations: { get, set: { ...get, ratePerSec: 50 } },
    wholeMs: { ...get.serviceMs, p95: 3 },
  };
  const [whole] = wholesOf([/** @type {CellRecord} */ (both)]);
  assert.equal(whole.ratePerSec?.median, 150);
  assert.equal(whole.serviceMs.p95?.median, 3);
  assert.equal(whole.counts.done, 2 * get.count);
});

test('parts are added up within each repeat, from the repeats that have all of them', () => {
  const sum = sumOf([figure([1, 2, 3]), figure([10, null, 30], ['set_by_client'], 'lower')]);
  assert.deepEqual(
    [...(sum?.byRepeat ?? [])],
    [
      [1, 11],
      [3, 33],
    ],
  );
  assert.deepEqual([sum?.bound, sum?.rankable, sum?.median], ['lower', false, 22]);
  assert.equal(sumOf([figure([1]), null]), null);
  assert.ok(Math.abs((geometricMeanOf([figure([2]), figure([8])])?.median ?? 0) - 4) < 1e-12);
  assert.equal(poolOf([figure([1, 2]), null, figure([9])])?.n, 3);
});

test('of two operations of a window the generator’s part is in neither less the other', () => {
  const why = ['set_by_client', 'soak_unclear'];
  const difference = differenceOf(figure([5], why, 'upper'), figure([3], why, 'upper'));
  assert.deepEqual([difference?.median, difference?.bound, difference?.why], [2, null, ['soak_unclear']]);
  assert.deepEqual(combine([figure([5])], (v) => v + 1)?.median, 6);
});

/** @param {ReturnType<typeof figure>} a @param {ReturnType<typeof figure>} b */
const ratioOf = (a, b) => compareFigures(a, b, { metric: 'throughput' });

test('a ratio is made of pairs, and says whether it is a bound and may be ranked', () => {
  const [a, b] = [figure([20, 22, 24, 21, 23, 9]), figure([10, 11, 12, 10.5, 11.5])];
  const found = ratioOf(a, b);
  assert.deepEqual([found?.n, found?.outcome, found?.better, found?.bound], [5, 'winner', 'a', null]);
  assert.deepEqual(found?.medians, { a: a?.median, b: b?.median });
  const ratio = found?.ratio ?? { estimate: 0, low: 0, high: 0 };
  assert.ok(Math.abs(ratio.low - 2) < 1e-9 && Math.abs(ratio.high - 2) < 1e-9);
  assert.equal(inverse(ratio).estimate, 1 / ratio.estimate);
  const bound = figure([20, 22, 24, 21, 23], ['set_by_client'], 'upper');
  assert.deepEqual([ratioOf(bound, b)?.bound, ratioOf(bound, b)?.outcome], ['upper', 'not comparable']);
  assert.equal(ratioOf(b, bound)?.bound, 'lower');
  assert.equal(ratioOf(bound, bound)?.bound, null, 'of two bounds nothing is known');
  const worse = figure([20, 22], ['set_by_client', 'soak_unclear'], 'upper');
  assert.equal(ratioOf(worse, b)?.bound, null);
  assert.equal(ratioOf(a, figure([0, 0])), null);
  assert.equal(ratioOf(figure([4, 6]), figure([1, 2, 3]))?.n, 2);
  assert.equal(
    ratioOf(bound, figure([100, 110, 120, 105, 115]))?.outcome,
    'at least',
    'at most a fifth of it',
  );
  const times = compareFigures(a, b, { metric: 'p99' });
  assert.deepEqual([times?.outcome, times?.better], ['winner', 'b'], 'of times the smaller one is better');
});

test('a limit is kept by the whole interval, and by a bound only where that is enough', () => {
  const of = (/** @type {number[]} */ values, /** @type {string[]} */ why, /** @type {any} */ limit) =>
    meets(/** @type {any} */ (ratioOf(figure(values, why, 'upper'), figure([1, 1, 1, 1, 1]))), limit);
  const [two, four] = [2, 4].map((n) => Array(5).fill(n));
  const [atMost, atLeast] = [{ atMost: 3 }, { atLeast: 3 }];
  assert.deepEqual([of(two, [], atMost), of(four, [], atMost)], ['met', 'not met']);
  assert.deepEqual([of(two, [], atLeast), of(four, [], atLeast)], ['not met', 'met']);
  for (const limit of [atMost, atLeast]) {
    assert.equal(of([2, 4, 2, 4, 3], [], limit), 'inconclusive', 'the interval holds the limit');
    assert.equal(of([2, 2], [], limit), 'inconclusive', 'too few');
    assert.equal(of(two, ['soak_unclear'], limit), 'inconclusive', 'no bound');
  }
  assert.deepEqual(
    [of(two, ['unattributed'], atMost), of(four, ['unattributed'], atMost)],
    ['met', 'inconclusive'],
  );
  assert.deepEqual(
    [of(two, ['unattributed'], atLeast), of(four, ['unattributed'], atLeast)],
    ['not met', 'inconclusive'],
  );
});

/** @param {object} a @param {object} b of five repeats */
const compared = (a, b) => {
  const rates = [100, 101, 99, 100, 102];
  const rows = rowsOf([...repeats(rates, { system: 'a', ...a }), ...repeats(rates, { system: 'b', ...b })]);
  return /** @type {Record<string, import('../types.d.ts').Comparison>} */ (
    Object.fromEntries(comparisonsOf(rows).map((c) => [c.metric, c]))
  );
};

test('a comparison says why it is none: unlike, a bound, in doubt', () => {
  const alike = compared({}, {}).throughput;
  assert.deepEqual([alike.outcome, alike.why], ['tie', []]);
  const unlike = compared({ parity: { durability: 'always' } }, {}).throughput;
  assert.deepEqual([unlike.outcome, unlike.ratio], ['not comparable', null]);
  assert.deepEqual(unlike.why, [{ code: 'unlike', key: 'durability', a: 'always', b: 'none' }]);
  const bound = compared(because('set_by_client'), because('unattributed')).throughput;
  assert.deepEqual(
    [bound.outcome, bound.why],
    ['not comparable', [{ code: 'set_by_client' }, { code: 'unattributed' }]],
  );
  const worse = compared(because('set_by_client'), because('p99_threshold')).throughput;
  assert.deepEqual([worse.outcome, worse.why.length], ['not comparable', 2]);
  const failed = compared(
    {},
    { record: { status: 'failed', reason: 'it died', parity: {}, operations: {} } },
  );
  assert.deepEqual(failed, {}, 'without an operation there is nothing to compare');
});

test('what is received is compared with nobody’s', () => {
  assert.deepEqual(compared({ result: { received: true } }, { result: { received: true } }), {});
});

test('a p99 of too few operations is in no ratio either', () => {
  assert.equal(compared({ result: { count: 60 } }, {}).p99, undefined);
  const many = { result: { count: 2000 } };
  assert.notEqual(compared(many, many).p99.ratio, null);
});

/** @param {CellRecord[]} a @param {CellRecord[]} b */
const pairOf = (a, b) => {
  const [found] = comparisonsAt(comparisonsOf(rowsOf([...a, ...b])), {}, 'throughput');
  return { ...found, text: found.why.map(whyText).join(', ') };
};
const SLOW = [100, 101, 100, 99, 100];
const QUICK = [300, 310, 305, 300, 302];

test('fewer than five repeats name no winner, whatever the ratio', () => {
  const c = pairOf(repeats([300, 310], { system: 'a' }), repeats([100, 101], { system: 'b' }));
  assert.equal(c.outcome, 'too few');
  assert.equal(c.n, 2);
  assert.ok(c.ratio && c.ratio.estimate > 2.9);
});

test('who has other data to list is compared where that cannot be why one is slower', () => {
  const of = (/** @type {string} */ system, /** @type {number} */ listed) =>
    repeats(system === 'a' ? QUICK : SLOW, { record: { system, listed } });
  assert.equal(pairOf(of('a', 16), of('b', 19)).outcome, 'winner');
  assert.equal(pairOf(of('a', 16), of('b', 22)).outcome, 'winner', '3 times, with 1.4 times the list');
  assert.match(pairOf(of('a', 16), of('b', 27)).text, /that is 16 ≠ 27$/, '3 times, with 1.7');
  assert.match(pairOf(of('a', 340), of('b', 5400)).text, /that is 340 ≠ 5400$/);
});

test('pipeline 40 against 1 is no ratio', () => {
  const a = repeats(QUICK, { system: 'a', parity: { pipelineDepth: 40 } });
  const c = pairOf(a, repeats(SLOW, { system: 'b' }));
  assert.deepEqual([c.outcome, c.ratio], ['not comparable', null]);
  assert.deepEqual(c.why, [{ code: 'unlike', key: 'pipelineDepth', a: 40, b: 1 }]);
});

test('a comparable key that is missing on one side is no ratio either', () => {
  const a = repeats(QUICK, { system: 'a', parity: { durability: undefined } });
  assert.deepEqual(pairOf(a, repeats(SLOW, { system: 'b' })).why, [{ code: 'unlike', key: 'durability' }]);
});

test('only repeats in which both are valid are paired', () => {
  const bad = aCell({ system: 'a', repeat: 6, ratePerSec: 9, ...because('littles_law') });
  const c = pairOf([...repeats(QUICK, { system: 'a' }), bad], repeats([...SLOW, 100], { system: 'b' }));
  assert.deepEqual([c.n, c.outcome], [5, 'winner']);
});

test('of operations that share a window nobody knows whose the CPU was', () => {
  const cells = repeats([100, 110], { result: { systemCpuUsPerOp: 4, generatorCpuUsPerOp: 2 } });
  const [{ workload, operations }] = cells;
  const [operation] = Object.keys(operations);
  const facts = (/** @type {string} */ order) =>
    /** @type {any} */ ([
      { id: workload, operations: { [operation]: { window: 'w' } }, windows: { w: { order } } },
    ]);
  const cpuOf = (/** @type {any} */ workloads) => {
    const [{ systemCpuUsPerOp, generatorCpuUsPerOp }] = rowsOf(cells, workloads);
    return [systemCpuUsPerOp?.median, generatorCpuUsPerOp?.median];
  };
  assert.deepEqual(cpuOf([]), [4, 2]);
  assert.deepEqual(cpuOf(facts('shares')), [4, 2], 'each has its part of one load');
  assert.deepEqual(cpuOf(facts('together')), [undefined, undefined]);
});
