import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inverse } from '../../figures/compare.js';
import { figureOf, scaled } from '../../figures/figure.js';
import { aCell } from '../../judge/testing.js';
import { loadTablesOf } from '../entries.js';
import { section as cost } from '../sections/cost/section.js';
import { heroOf } from '../sections/first-screen/hero.js';
import { answerOf } from '../sections/first-screen/verdict.js';
import { refusedAnswers, rivallessAnswers } from '../sections/gaps/answer.js';
import { section as gaps } from '../sections/gaps/section.js';
import { section as ladder } from '../sections/ladder/section.js';
import { markdownTable } from '../table.js';
import { rowsUnder } from '../testing.js';
import { matricesOf, matrixTable } from './index.js';
import { whereText } from './labels.js';

/** @import { SideBySideSummary } from '../../figures/side-by-side.js' */

const plan = /** @type {any} */ ({
  systems: [
    { id: 'a', title: 'Alpha' },
    { id: 'b', title: 'Beta' },
    { id: 'c', title: 'Gamma' },
  ],
  workloads: [{ id: 'w', title: 'Work', operations: { get: {} }, keys: { space: 'keys' } }],
  profile: { steps: [], drive: 'burst', thresholds: {} },
});
const cells = ['get.c1', 'get.c50-p16'].map((id, i) => ({
  id,
  stepId: id,
  operation: 'get',
  parts: [],
  connections: i === 0 ? 1 : 50,
  depth: i === 0 ? 1 : 16,
}));
plan.trials = [{ workload: 'w', repeat: null, cells, systems: ['a', 'b', 'c'] }];
const ahead = (/** @type {'a' | 'b'} */ winner, /** @type {number} */ ratio) => ({
  outcome: 'winner',
  winner,
  better: winner,
  ratio: { estimate: ratio, low: ratio - 0.02, high: ratio + 0.02 },
  starts: 5,
});
const tie = {
  outcome: 'tie',
  winner: null,
  better: 'a',
  ratio: { estimate: 1.01, low: 0.98, high: 1.04 },
  starts: 5,
};
const open = {
  outcome: 'inconclusive',
  winner: null,
  better: 'a',
  ratio: { estimate: 1.04, low: 0.98, high: 1.08 },
  starts: 12,
};

/** @param {string} a @param {string} b @param {any[]} verdicts @param {string} [kind] @returns {any[]} */
const comparisons = (a, b, verdicts, kind = 'rivals') =>
  verdicts.map(({ outcome, better, ratio, starts, why = [] }, i) => ({
    ...{ a, b, kind, outcome, why, metric: 'efficiency', paired: true, bound: null, n: starts },
    load: { workload: 'w', transport: 'resp', step: cells[i].stepId, operation: 'get' },
    cell: cells[i].id,
    ratio: ratio && (better === 'a' ? ratio : inverse(ratio)),
    better: ratio && better,
    medians: { a: 350_000, b: 175_000 },
  }));

/** @param {string} system @param {number} median @param {'lower' | null} bound @param {string} who @param {string} [transport] */
const alone = (system, median, bound, who, transport = 'resp') => ({
  ...{ system, workload: 'w', transport, operation: 'get', usable: 5, rankable: true },
  step: { id: 'get.c1', model: 'closed', vus: 1 },
  ...{ failure: null, quotable: true, why: [], codes: [] },
  ratePerSec: { median, bound },
  serviceMs: { mean: null, p50: { median: 0.05 }, p95: null, p99: { median: 0.1 } },
  systemCpuUsPerOp: null,
  generatorCpuUsPerOp: { median: 0.5 },
  parity: aCell().parity,
  tried: { done: 1, failed: 0 },
  setBy: { who, shares: {} },
});

/** @param {any} of @param {SideBySideSummary[]} sideBySide @returns {any} */
const runOf = (of, ...sideBySide) => ({
  ...{ plan: of, wholes: [], lifecycle: [], kills: [], beside: [], sideBySide, matrices: [] },
  rows: sideBySide.flatMap((own, paired) =>
    /** @type {any} */ (own).alone.map((/** @type {any} */ row) => ({ ...row, paired })),
  ),
  ...{ measured: [], records: [] },
  comparisons: sideBySide.flatMap((own) => own.comparisons),
});

/** @param {any} run @returns {any} what its page is made from */
const pageOf = (run) => ({ ...run, loads: loadTablesOf(run) });

/** @param {object} [over] @returns {SideBySideSummary} */
function summary(over = {}) {
  return /** @type {any} */ ({
    group: {
      workload: 'w',
      transport: 'resp',
      systems: ['a', 'b', 'c'],
      twinOf: 'a',
      pairs: [
        { a: 'a', b: 'b', kind: 'rivals' },
        { a: 'a', b: 'c', kind: 'rivals' },
        { a: 'b', b: 'c', kind: 'rivals' },
        { a: 'a', b: 'a', kind: 'same' },
      ],
      cells,
    },
    starts: 5,
    failures: [],
    comparisons: [
      ...comparisons('a', 'b', [ahead('b', 1.2), ahead('b', 2.08)]),
      ...comparisons('a', 'c', [tie, open]),
      ...comparisons('b', 'c', [ahead('a', 1.19), ahead('a', 2)]),
    ],
    same: comparisons('a', 'a', [tie], 'same'),
    alone: [alone('a', 17_200, null, 'waits'), alone('b', 18_000, 'lower', 'generator')],
    spinning: [],
    memory: [],
    state: { acked: 123_456, wrong: [] },
    host: { foreignCores: 0.9, stealShare: 0.03 },
    trust: 'held',
    ...over,
  });
}

/** @param {SideBySideSummary[]} sideBySide */
const matricesIn = (...sideBySide) => matricesOf(runOf(plan, ...sideBySide));

test('the first screen says who is ahead, on what and by how much', () => {
  const matrices = matricesIn(summary());
  assert.deepEqual(answerOf(plan, matrices), [
    '**Beta is up to 2.00× more CPU-efficient than all others** on both loads (Work, 50 users × pipeline 16; 95 % CI 1.98–2.02).',
    '**Alpha and Gamma tie** in CPU efficiency on 1 of 2 loads.',
  ]);
  const text = markdownTable(matrixTable(plan, matrices[0]));
  assert.match(text, /\| Work \| outcome \(95 % CI\) \| Alpha \| Beta \| Gamma \|/);
  assert.match(
    text,
    /\| 1 user, CPU per operation, µs \| ✅ \*\*Beta\*\* 1\.19× \(1\.17–1\.21\) lower \| 2\.86 \| \*\*5\.71\*\* \| 5\.71 \|/u,
  );
});

test('what each keeps in memory after the loads is a row of its own, where no cell measures it', () => {
  const memory = Object.entries({ a: 5, b: 6, c: 5 }).map(([system, mib]) => ({
    system,
    rssBytes: figureOf([1, 2, 3, 4, 5].map((n) => [n, mib * 1024 ** 2 + n])),
  }));
  const [matrix] = matricesIn(summary({ memory }));
  const row = markdownTable(matrixTable(plan, matrix)).trim().split('\n').at(-1) ?? '';
  assert.match(
    row,
    /^\| memory after these loads, MiB \| ✅ \*\*Alpha\*\* 17 % \(17–17 %\) and \*\*Gamma\*\* 17 % \(17–17 %\) less than Beta \| \*\*5\.00\*\* \| 6\.00 \| \*\*5\.00\*\* \|$/,
  );
  // It is no load.
  assert.match(
    answerOf(plan, [matrix])[1],
    /\*\*Alpha and Gamma tie\*\* in CPU efficiency on 1 of 2 loads\.$/,
  );
  const less = memory.map((m) => (m.system === 'b' ? { ...m, rssBytes: scaled(m.rssBytes, 0.5) } : m));
  const [won] = matricesIn(summary({ memory: less }));
  assert.equal(won.questions.at(-1)?.leads[0].winner, 'b');
  const inCells = {
    ...plan,
    trials: [...plan.trials, { repeat: 1, cells: [{ role: 'system', workload: 'w', step: {} }] }],
  };
  const [other] = matricesOf(runOf(inCells, summary({ memory })));
  assert.ok(other.questions.every(({ dimension }) => dimension !== 'memory'));
});

test('who is ahead of its rivals alone is not said to be ahead of systems under other promises', () => {
  // Gamma promises something else: it has a figure, and no rival.
  const own = summary({
    comparisons: [
      ...comparisons('a', 'b', [ahead('b', 1.2), ahead('b', 2.08)]),
      ...comparisons('a', 'c', [ahead('b', 3), ahead('b', 3)], 'price'),
    ],
  });
  const matrices = matricesIn(own);
  assert.deepEqual(answerOf(plan, matrices), [
    '**Beta is up to 2.08× more CPU-efficient than Alpha** on both loads (Work, 50 users × pipeline 16; 95 % CI 2.06–2.10).',
  ]);
  assert.match(
    markdownTable(matrixTable(plan, matrices[0])),
    /\| ✅ \*\*Beta\*\* 1\.20× \(1\.18–1\.22\) lower than Alpha \|/,
  );
});

test('who wins and who ties stand in two sentences, and a system without any has no column', () => {
  const own = summary({
    comparisons: [
      ...comparisons('a', 'b', [ahead('a', 1.2), ahead('a', 1.3)]),
      ...comparisons('a', 'c', [ahead('a', 3), ahead('a', 3)]),
      ...comparisons('b', 'c', [ahead('a', 2.5), tie]),
    ],
  });
  assert.deepEqual(answerOf(plan, matricesIn(own)), [
    '**Alpha is up to 1.30× more CPU-efficient than all others** on both loads (Work, 50 users × pipeline 16; 95 % CI 1.28–1.32).',
    '**Beta and Gamma tie** in CPU efficiency on 1 of 2 loads.',
  ]);
  const two = summary({ comparisons: comparisons('a', 'b', [tie, tie]) });
  assert.match(
    markdownTable(matrixTable(plan, matricesIn(two)[0])),
    /\| Work \| outcome \(95 % CI\) \| Alpha \| Beta \|/,
  );
});

test('ties and what is open are answers, too', () => {
  const pair = (/** @type {any[]} */ verdicts) => {
    const own = summary({ comparisons: comparisons('a', 'b', verdicts) });
    return answerOf(plan, matricesIn(own))[0];
  };
  assert.equal(pair([tie, open]), '**Alpha and Beta tie** in CPU efficiency on 1 of 2 loads.');
});

test('a server of this project stands beside products, last and faded, and never wins', () => {
  const ours = {
    ...plan,
    systems: plan.systems.map((/** @type {any} */ s) => ({
      ...s,
      origin: s.id === 'b' ? 'reference' : 'upstream',
    })),
  };
  const own = summary();
  const matrices = matricesOf(runOf(ours, own));
  const text = markdownTable(matrixTable(ours, matrices[0]));
  assert.match(text, /\| Alpha \| Gamma \| Beta, no product \|/);
  assert.match(
    text,
    /\| 1 user, CPU per operation, µs \| ➖ tie \(within ±5 %\) \| 2\.86 \| 5\.71 \| \*5\.71\* \|/,
  );
  assert.doesNotMatch(answerOf(ours, matrices).join(' '), /Beta/);
  const [first] = matrices[0].questions.map(({ leads }) => leads.map(({ winner }) => winner));
  assert.ok(!first.includes('b'));
});

test('a run in which a system was ahead of itself names nobody', () => {
  const why = [{ code: 'noise_ahead' }];
  const barred = comparisons('a', 'b', [ahead('b', 1.2), ahead('b', 2)]).map((c) => ({
    ...{ ...c, why, outcome: 'not comparable' },
  }));
  const own = summary({ trust: 'ahead', comparisons: barred });
  assert.match(
    refusedAnswers(plan, [own], barred)[0],
    /^\*\*Work: no winner\*\*, because a system differed from itself/,
  );
  assert.equal(
    answerOf(plan, matricesIn(own))[0],
    '**No winner**: not comparable on 2 comparisons (the noise check of this run failed).',
  );
  const unsure = summary({ trust: 'untested', comparisons: [] });
  const noise = barred.map((c) => ({ ...c, paired: false, why: [{ code: 'noise_untested' }] }));
  const [untested] = refusedAnswers(plan, [unsure], noise);
  assert.match(untested, /no winner\*\*, because the noise check has too few samples/);
});

test('one start shows trends and names nobody', () => {
  const trend = {
    outcome: 'too few',
    winner: null,
    better: 'b',
    ratio: { estimate: 1.5, low: 1.5, high: 1.5 },
    starts: 1,
  };
  const few = summary({ starts: 1, comparisons: comparisons('a', 'b', [trend, trend]) });
  assert.equal(answerOf(plan, matricesIn(few))[0], '**No winners**: a winner needs 5 usable repeats (Work).');
  assert.match(
    markdownTable(matrixTable(plan, matricesIn(few)[0])),
    /too few repeats \(1 of 5\): Beta 1\.50×/,
  );
});

test('what each system did alone is a ladder, and its CPU beside who needs less of it stands in the costs', () => {
  const run = pageOf(runOf(plan, summary()));
  const [alone] = (ladder(run)?.tables ?? []).map(markdownTable);
  assert.match(alone, /17.?200 · – · 0\.0500 · – · 0\.100 \| ≥ 18.?000 · – · 0\.0500 · – · 0\.100 \| – \|/u);
  assert.match(alone, /Alpha: server waiting \(disk, lock, network\); Beta: load generator/);
  const [row] = rowsUnder(cost(run), /^CPU per operation$/);
  assert.equal(row.Alpha, '– · 0.500');
  assert.match(row['winner (95 % CI)'], /^✅ Beta 1\.19× \(1\.17–1\.21\) lower$/);
});

test('a system that has no rival is nobody’s base, on the page and in the picture', () => {
  const pairs = [
    { a: 'b', b: 'c', kind: 'rivals', cells: [] },
    { a: 'b', b: 'b', kind: 'same', cells: [] },
  ];
  const own = summary({
    group: { ...summary().group, twinOf: 'b', pairs },
    comparisons: comparisons('b', 'c', [ahead('a', 1.19), ahead('a', 2)]),
  });
  const said = '**Alpha** is not comparable with the others: it promises another durability (not known).';
  assert.deepEqual(rivallessAnswers(plan, [own], []), [said]);
  assert.deepEqual(rivallessAnswers(plan, [summary()], []), []);
  const hero = heroOf(
    { ...plan, systems: plan.systems.map((/** @type {any} */ s) => ({ ...s, role: 'system' })) },
    matricesIn(own),
  );
  assert.equal(hero?.model.title, 'CPU efficiency, compared with Gamma (Work)');
  assert.equal(hero?.model.unit, 'Gamma = 1×', 'the slower one of two that nobody knows');
  assert.deepEqual(
    hero?.model.series.map(({ name }) => name),
    ['Beta'],
    'who has no rival is in no picture',
  );
});

test('without a start the first screen says why', () => {
  const none = summary({ starts: 0, failures: ['b did not start'] });
  assert.deepEqual(refusedAnswers(plan, [none], []), ['**Work: no start was measured**: b did not start.']);
  const interrupted = summary({ starts: 0, failures: [] });
  assert.deepEqual(refusedAnswers(plan, [interrupted], []), ['**Work: no start was measured**.']);
});

test('a server that spins when idle is compared by throughput alone, and the page says so', () => {
  const why = [{ code: 'spins_when_idle' }];
  const barred = { outcome: 'not comparable', better: null, ratio: null, starts: 0, why };
  const own = summary({ spinning: ['b'], comparisons: comparisons('a', 'b', [barred, barred]) });
  const told = { ...plan, absent: [], repeats: 5, engine: 'native' };
  assert.match(
    String(gaps(runOf(told, own)).text),
    /- Beta takes CPU without any load, .* by throughput alone\.$/m,
  );
  const [matrix] = matricesIn(own);
  assert.match(
    markdownTable(matrixTable(plan, matrix)),
    /not comparable: one of them takes CPU without any load/,
  );
});

test('where versions promise unlike things over a transport, it is said of that one, and the other one is named', () => {
  const over = (/** @type {string} */ transport, /** @type {object} */ group) => ({
    group: { ...summary().group, systems: ['a', 'b'], transport, ...group },
  });
  const http = summary({
    ...over('http', { pairs: summary().group.pairs.slice(0, 1) }),
    alone: [alone('a', 1, null, 'waits', 'http')],
    comparisons: comparisons('a', 'b', [ahead('b', 1.2), tie]).map((c) => ({
      ...c,
      load: { ...c.load, transport: 'http' },
    })),
  });
  const ws = summary({
    ...over('ws', { pairs: [] }),
    alone: [alone('a', 1, null, 'waits', 'ws')],
    comparisons: [],
    same: [],
    trust: 'untested',
  });
  const matrices = matricesIn(http, ws);
  assert.deepEqual(
    matrices.map((m) => m.title),
    ['Work'],
  );
  const told = {
    ...plan,
    systems: ['none', 'fsync'].map((policy, i) => ({
      ...plan.systems[i],
      durability: { policy, meaning: '' },
    })),
  };
  assert.deepEqual(rivallessAnswers(told, [http, ws], []), [
    '**Alpha** and **Beta** are not comparable over ws: they promise different durability (Alpha: memory only, Beta: synced before each reply).',
  ]);
  assert.equal(ladder(pageOf(runOf(told, http, ws)))?.tables.length, 2, 'what each does alone');
});

test('two cases of a load have a name each', () => {
  const own = summary();
  const named = own.group.cells.map((cell, i) => ({
    ...cell,
    connections: 20,
    depth: 1,
    case: ['hot', 'cold'][i],
  }));
  const cased = { ...plan, trials: [{ ...plan.trials[0], cells: named }] };
  const [{ questions }] = matricesOf(runOf(cased, { ...own, group: { ...own.group, cells: named } }));
  assert.deepEqual(questions.filter((q) => q.dimension === 'efficiency').map(whereText), [
    'Work, 20 users, hot',
    'Work, 20 users, cold',
  ]);
});
