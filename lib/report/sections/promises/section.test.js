import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backgroundsOf } from '../../../figures/backgrounds.js';
import { rowsOf, wholesOf } from '../../../figures/rows.js';
import { aCell } from '../../../judge/testing.js';
import { plainText } from '../../table.js';
import { recordsOf, rowsUnder } from '../../testing.js';
import { backgroundAnswers, backgroundTables } from '../time/background.js';
import { section as timeSection } from '../time/section.js';
import { section } from './section.js';

/** @import { CellRecord, Plan, Step, SystemPromise } from '../../../types.d.ts' */

const STEPS = {
  c1: { id: 'c1', model: /** @type {const} */ ('closed'), vus: 1, durationSec: 5 },
  c10: { id: 'c10', model: /** @type {const} */ ('closed'), vus: 10, durationSec: 5 },
  x10: { id: 'x10', model: /** @type {const} */ ('closed'), vus: 1, durationSec: 5, dataset: { scale: 10 } },
};
const STEADY = { ...STEPS.c1, id: 'steady', dataset: { thinkMs: 0 } };
const STEADY_X10 = { ...STEPS.c1, id: 'steady-x10', dataset: { thinkMs: 0, scale: 10 } };
const DEPTHS = { workload: 'relations', dataset: { thinkMs: 0 } };
/** @type {SystemPromise[]} */
const PROMISES = [
  {
    ...{ title: 'growth', metric: 'p95', load: { workload: 'relations', users: 10 } },
    ...{ against: { users: 1 }, atMost: 3 },
  },
  { title: 'failures', metric: 'failures', load: { workload: 'relations', users: 10 }, atMost: 0 },
  {
    ...{ title: 'depth', metric: 'mean', load: { ...DEPTHS, operation: 'three' } },
    ...{ against: { operation: 'two' }, atMost: 2.5 },
  },
  {
    ...{ title: 'level', metric: 'levelCost', load: { ...DEPTHS, dataset: { thinkMs: 0, scale: 10 } } },
    ...{ against: { dataset: { thinkMs: 0 } }, atMost: 1.5 },
  },
  { title: 'soon', metric: 'p95', load: { workload: 'relations', users: 10 }, atMost: 10 },
];

/** @param {object} [more] @returns {Plan} */
function planOf(more = {}) {
  const system = (/** @type {string} */ id) => ({
    id,
    title: id.toUpperCase(),
    role: 'system',
    engine: 'native',
    origin: 'reference',
    durability: { policy: 'fsync' },
    promises: PROMISES,
  });
  return /** @type {any} */ ({
    profile: { drive: 'iteration', seed: 1, steps: Object.values(STEPS) },
    workloads: [
      {
        id: 'relations',
        title: 'Relations',
        shown: { suite: 'Entities' },
        operations: {
          two: { shown: { query: 'getTwo', depth: 2, label: 'a → b' } },
          three: { shown: { depth: 3, label: 'a → b → c' } },
          beside: { shown: { depth: 3, label: 'a → b → c', beside: 'd' } },
        },
      },
    ],
    systems: [system('alpha'), system('beta')],
    trials: [],
    ...more,
  });
}

/**
 * @param {string} system
 * @param {Step} step
 * @param {Record<string, number>} means ms by operation
 * @param {{p95?: number, repeat?: number, codes?: string[], failed?: number}} [more]
 * @returns {CellRecord}
 */
function cellOf(system, step, means, { p95 = 4, repeat = 1, codes = [], failed = 0 } = {}) {
  const reasons = codes.map((code) => ({ code }));
  const template = aCell({ reasons }).operations.get;
  const latency = /** @type {NonNullable<typeof template.serviceMs>} */ (template.serviceMs);
  const operations = Object.fromEntries(
    Object.entries(means).map(([op, mean]) => [
      op,
      {
        ...template,
        errors: { ...template.errors, server: failed },
        count: 1000,
        ratePerSec: 200,
        serviceMs: { ...latency, mean, p95: mean * 2 },
      },
    ]),
  );
  const cell = aCell({ system, repeat, reasons, vus: step.vus, record: { operations, step } });
  return {
    ...cell,
    workload: 'relations',
    transport: 'http',
    wholeMs: { ...latency, mean: 2, p50: 1.5, p95, max: 9 },
  };
}

const MEANS = { two: 1, three: 2, beside: 2.3 };

/** @param {(repeat: number) => CellRecord[]} ofRepeat @param {number} [repeats] */
function cells(ofRepeat, repeats = 5) {
  return Array.from({ length: repeats }, (_, i) => ofRepeat(i + 1)).flat();
}

/** @param {string} system @param {number} p95 under ten users @param {object} [more] */
function sound(system, p95, more = {}) {
  return cells((repeat) => [
    cellOf(system, STEPS.c1, MEANS, { repeat, p95: 4 }),
    cellOf(system, STEPS.c10, MEANS, { repeat, p95: p95 + repeat / 10, ...more }),
    cellOf(system, STEPS.x10, { two: 1, three: 2.1, beside: 2.4 }, { repeat }),
  ]);
}

/** @param {Plan} plan @param {CellRecord[]} measured @returns {Record<string, string>[]} */
function promisesOf(plan, measured) {
  return (
    section({ plan, rows: rowsOf(measured), wholes: wholesOf(measured) })
      ?.tables?.flatMap(recordsOf)
      .map((r) => ({ ...r, promise: r.promise.split(' (')[0] })) ?? []
  );
}

test('where users think, depths are compared on the step without a pause', () => {
  const steps = [...Object.values(STEPS), STEADY, STEADY_X10];
  const plan = planOf({ profile: { drive: 'iteration', seed: 1, dataset: { thinkMs: 500 }, steps } });
  const measured = cells((repeat) => [
    ...sound('alpha', 8).filter((c) => c.repeat === repeat),
    cellOf('alpha', STEADY, { two: 0.5, three: 0.7, beside: 0.8 }, { repeat }),
    cellOf('alpha', STEADY_X10, { two: 0.5, three: 0.8, beside: 0.8 }, { repeat }),
  ]);
  const growth = promisesOf(plan, measured).find((l) => l.promise === 'level');
  assert.equal(growth?.['measured (95 % CI)'], '1.50 (1.50 – 1.50)');
});

/** @param {CellRecord[]} measured @returns {Record<string, string>} promise to verdict, of alpha */
function verdicts(measured) {
  const rows = promisesOf(planOf(), measured).filter((l) => l.system === 'ALPHA');
  return Object.fromEntries(rows.map((l) => [l.promise, l.verdict]));
}

test('a limit is judged by the whole interval', () => {
  assert.deepEqual(verdicts(sound('alpha', 8)), {
    growth: 'met',
    failures: 'met',
    depth: 'met',
    level: 'met',
    soon: 'met',
  });
  assert.equal(verdicts(sound('alpha', 20)).growth, 'not met');
  assert.equal(verdicts(sound('alpha', 20)).soon, 'not met', 'a figure is held as a ratio is');
  const noisy = cells((repeat) => [
    cellOf('alpha', STEPS.c1, MEANS, { repeat }),
    cellOf('alpha', STEPS.c10, MEANS, { repeat, p95: repeat % 2 === 0 ? 9 : 14 }),
  ]);
  assert.equal(verdicts(noisy).growth, 'inconclusive: the interval holds the limit');
  assert.equal(verdicts(noisy).level, undefined, 'without its step there is no row');
  const few = cells((repeat) => sound('alpha', 8).filter((c) => c.repeat === repeat), 3);
  assert.deepEqual(new Set(Object.values(verdicts(few))), new Set(['inconclusive: 3 of 5 repeats']));
});

test('one failed operation is one too many', () => {
  const ofRepeat = (/** @type {number} */ repeat) => [
    cellOf('alpha', STEPS.c10, MEANS, {
      repeat,
      failed: repeat === 3 ? 1 : 0,
      codes: repeat === 3 ? ['errors'] : [],
    }),
  ];
  assert.equal(verdicts(cells(ofRepeat)).failures, 'not met');
  assert.equal(verdicts(cells(ofRepeat, 3)).failures, 'not met', 'what was counted needs no interval');
  assert.equal(verdicts(cells(ofRepeat, 2)).failures, 'inconclusive: 2 of 5 repeats', 'none failed so far');
  const doubted = sound('alpha', 8).map((c) => ({
    ...c,
    verdict: {
      status: /** @type {const} */ ('DEGRADED'),
      reasons: [{ code: /** @type {const} */ ('soak_unclear') }],
    },
  }));
  assert.match(
    verdicts(doubted).failures,
    /^inconclusive: the soak was too short/,
    'what holds for the whole cell holds for it',
  );
});

test('where the generator took part, only an upper bound can meet a limit', () => {
  const bound = (/** @type {string[]} */ base, /** @type {string[]} */ loaded, /** @type {number} */ p95) =>
    verdicts(
      cells((repeat) => [
        cellOf('alpha', STEPS.c1, MEANS, { repeat, codes: base }),
        cellOf('alpha', STEPS.c10, MEANS, { repeat, p95, codes: loaded }),
      ]),
    ).growth;
  assert.equal(bound([], ['set_by_client'], 8), 'met');
  assert.match(bound([], ['set_by_client'], 20), /^inconclusive/);
  assert.match(bound(['set_by_client'], ['set_by_client'], 8), /^inconclusive/);
  assert.equal(
    bound([], ['unattributed'], 8),
    'met',
    'of which nobody was seen to be the limit: at most this, too',
  );
  assert.match(bound([], ['soak_unclear'], 8), /^inconclusive/);
});

test('a background load is compared with the same load without, in pairs, and its arrivals are shown', () => {
  const step = (/** @type {string} */ id, /** @type {object} */ more = {}) => ({ ...STEPS.c10, id, ...more });
  const busy = { background: { ratePerSec: 50 } };
  const measured = cells((repeat) =>
    ['1', '2'].flatMap((n) => [
      // A runtime that warms up halves its latency from step to step: idle 8, busy 4, busy 2, idle 1, and a quarter more.
      cellOf('alpha', step(`idle-${n}`), MEANS, { repeat, p95: (n === '1' ? 8 : 1) * repeat }),
      {
        ...cellOf('alpha', step(`busy-${n}`, busy), MEANS, { repeat, p95: (n === '1' ? 5 : 2.5) * repeat }),
        ...{
          background: {
            title: 'rows changed',
            targetPerSec: 50,
            ratePerSec: 49,
            count: 400,
            mostLag: 3,
            drainMs: 60,
            latencyMs: { p50: 9, p90: 11, p99: 20, max: 30 },
          },
        },
      },
    ]),
  );
  const busyIn = (/** @type {CellRecord[]} */ cells) => backgroundsOf(wholesOf(cells));
  const viewOf = (/** @type {CellRecord[]} */ cells) =>
    timeSection({ plan: planOf(), backgrounds: busyIn(cells) });
  const view = viewOf(measured);
  const busyPart = /With and without: rows changed/;
  const effectOn = (/** @type {string} */ metric, of = measured) =>
    /** @type {const} */ (['first', 'rest'])
      .flatMap((part) => backgroundTables(planOf(), busyIn(of), part))
      .flatMap(({ rows }) => rows.map((row) => row.map(plainText)))
      .find(([what]) => what.endsWith(metric))
      ?.slice(1);
  assert.deepEqual(effectOn('p95, ms'), [
    ...['8.49', '10.6', '1.25 (1.25 – 1.25)'],
    ...['0.12 (0.12 – 0.13)', 'higher while busy'],
  ]);
  assert.equal(effectOn('p50, ms')?.at(-1), 'tie (within ±5 %)');
  assert.deepEqual(
    rowsUnder(view, busyPart, 1).map((arrival) => Object.values(arrival)),
    [['Relations', 'ALPHA', '50', '98.0 %', '9.00', '20.0', '30.0', '3.00', '60.0']],
  );
  const few = measured.filter((c) => c.repeat < 3);
  assert.equal(effectOn('p95, ms', few)?.at(-1), 'too few repeats (2 of 5)');
  assert.deepEqual(backgroundAnswers(planOf(), busyIn(measured)), [
    '**ALPHA, Relations: a cost** with 50 rows changed a second in the background. Over all turns p95 rises by 25 % (95 % CI 25–25 %). Throughput falls by 0 % (95 % CI 0–0 %). A change takes 9.00 ms to arrive, 20.0 ms at p99.',
  ]);
  // What the changes leave behind makes it slower at rest, too.
  const slower = measured.map((cell) =>
    cell.step.id === 'idle-2' ? { ...cell, operations: scaled(cell.operations, 0.5) } : cell,
  );
  assert.match(
    backgroundAnswers(planOf(), busyIn(slower))[0],
    /At rest again after the changes, throughput is 50 % lower than at rest before them \(95 % CI 50–50 %\)\. Part of that is what the changes have left, such as rows\./,
  );
  // Who took the same turns with nothing beside it tells how much of that the load itself has done.
  const control = slower
    .filter((cell) => cell.step.id.startsWith('idle'))
    .map((cell) => ({ ...cell, system: 'beta', title: 'BETA' }));
  assert.match(
    backgroundAnswers(planOf(), busyIn([...slower, ...control]))[0],
    /than at rest before them \(95 % CI 50–50 %\)\. BETA, with nothing beside it, is 50 % slower there, too\. A change/,
  );
  const rowsOfFirst = backgroundTables(planOf(), busyIn([...slower, ...control]), 'first')[0].rows;
  assert.deepEqual(
    rowsOfFirst.map((row) => [row.at(-2), row.at(-1)].map((cell) => plainText(cell ?? ''))),
    [
      ['0.50 (0.50 – 0.50)', 'higher while busy'],
      ['0.12 (0.12 – 0.13)', 'higher while busy'],
    ],
  );
  const none = measured.filter((c) => !c.step.id.startsWith('idle'));
  assert.match(
    backgroundAnswers(planOf(), busyIn(none))[0],
    /no figure of the cost\*\* with 50 rows changed a second in the background\. A change/,
  );
});

/**
 * @template {Record<string, {ratePerSec: number}>} O
 * @param {O} operations
 * @param {number} factor
 * @returns {O} with other rates
 */
function scaled(operations, factor) {
  return /** @type {O} */ (
    Object.fromEntries(
      Object.entries(operations).map(([op, o]) => [op, { ...o, ratePerSec: o.ratePerSec * factor }]),
    )
  );
}
