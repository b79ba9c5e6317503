import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvText } from './csv.js';
import { figuresActionBenchmark, figuresBmf, figuresCsv } from './figures.js';
import { junitXml } from './junit.js';
import { junitProblems } from './testing.js';

test('JUnit’s XML is well-formed, has its elements alone, and counts right', () => {
  const xml = junitXml(
    'a "run" & <more>',
    [
      { classname: 'counters.own', name: 'get, 8 connections', out: 'throughput: 1 < 2' },
      { classname: 'counters.own', name: 'put', failure: { message: 'p99>+15%', text: 'a\u0007b\ud800' } },
      { classname: 'counters.own', name: 'ping', skipped: 'too few\nrepeats' },
    ],
    { before: 'x', limits: 'throughput<-10%' },
  );
  assert.deepEqual(junitProblems(xml), []);
  assert.match(
    xml,
    /<testsuite name="a &quot;run&quot; &amp; &lt;more&gt;" tests="3" failures="1" errors="0" skipped="1">/,
  );
  assert.match(xml, /<failure type="limit" message="p99&gt;\+15%">ab<\/failure>/);
  assert.match(xml, /<skipped message="too few repeats"\/>/);
});

test('what is not JUnit is found', () => {
  const right = junitXml('x', [{ classname: 'c', name: 'n', failure: { message: 'm' } }]);
  for (const [from, to] of [
    ['<testcase classname="c" name="n">', '<testcase classname="c">'],
    ['type="limit"', 'kind="limit"'],
    ['</testcase>', ''],
    ['message="m"', 'message="a<b"'],
    [' errors="0" skipped', ' skipped'],
    ['<failure', '<system-out>y</system-out><failure'],
  ])
    assert.notDeepEqual(junitProblems(right.replace(from, to)), [], to);
});

test('a value of CSV keeps to its field, and no spreadsheet computes it', () => {
  assert.equal(
    csvText(
      ['a', 'b'],
      [
        ['x,y', 1.5],
        ['say "no"', null],
        ['=1+1', true],
        ['line\nbreak', ''],
        ...['\n=1', '\u200b=1', '\ufeff +1', '\uff1d1'].map((formula) => [formula, null]),
        ['a\u001b[31m\u0007\u202eb', null],
      ].map(([a, b]) => ({ a, b })),
    ),
    'a,b\r\n"x,y",1.5\r\n"say ""no""",\r\n\'=1+1,true\r\n"line\nbreak",\r\n' +
      "'=1,\r\n'=1,\r\n'+1,\r\n'\uff1d1,\r\na [31m b,\r\n",
  );
});

/** @param {number} median @param {number} [n] @returns {any} */
const figure = (median, n = 5) => ({
  median,
  low: median * 0.9,
  high: median * 1.1,
  n,
  bound: null,
  rankable: true,
  why: [],
});
/** @type {any} */
const figures = {
  run: 'r',
  profile: 'p',
  loads: [
    {
      ...{ system: 'alpha', workload: 'counters', transport: 'resp', step: 'c100', operation: 'get' },
      ...{ connections: 100, depth: 1, failure: null },
      figures: { throughput: figure(1000), p99: figure(2), cpu: figure(5, 1), memory: null },
    },
    {
      system: 'b',
      workload: 'w',
      step: 's',
      operation: 'o',
      connections: 1,
      failure: 'it died',
      figures: {},
    },
  ],
};

test('CSV has the figures of each load and then each comparison, with the system that it names', () => {
  const of = (/** @type {object} */ more) => ({
    ...{ a: 'alpha', b: 'b', kind: 'rivals', metric: 'p99', paired: false, medians: { a: 2, b: 4 } },
    load: { workload: 'counters', transport: 'resp', step: 'c100', operation: 'get' },
    ...{ ratio: { estimate: 0.5, low: 0.4, high: 0.6 }, n: 5, bound: null, outcome: 'winner', better: 'a' },
    ...{ why: [], ...more },
  });
  const refused = of({
    ratio: null,
    n: 0,
    outcome: 'not comparable',
    better: null,
    why: [{ code: 'unlike' }],
  });
  const text = figuresCsv({ ...figures, comparisons: /** @type {any} */ ([of({}), refused]) });
  const [heads, ...lines] = text
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  const rows = lines.map((cells) => Object.fromEntries(heads.map((head, i) => [head, cells[i]])));
  assert.ok(lines.every((cells) => cells.length === heads.length));
  assert.deepEqual(
    rows.map(({ system, metric, median, against }) => [system, metric, median, against]),
    [
      ...[
        ['alpha', 'throughput', '1000', ''],
        ['alpha', 'p99', '2', ''],
        ['alpha', 'cpu', '5', ''],
      ],
      ...[
        ['b', '', '', ''],
        ['alpha', 'p99', '', 'b'],
        ['alpha', 'p99', '', 'b'],
      ],
    ],
  );
  const [won, unlike] = rows.slice(-2);
  assert.deepEqual(
    [won.connections, won.ratio, won.ratio_low, won.ratio_high, won.outcome, won.winner, won.why],
    ['100', '0.5', '0.4', '0.6', 'winner', 'alpha', ''],
  );
  assert.deepEqual(
    [unlike.ratio, unlike.outcome, unlike.winner, unlike.why],
    ['', 'not comparable', '', 'unlike'],
  );
});

test('Bencher’s metric format has a benchmark for each load, with its interval, and nothing of what failed', () => {
  const [[name, measures], ...others] = Object.entries(figuresBmf(figures));
  assert.deepEqual(others, []);
  assert.match(name, /^alpha: .*get.*100/);
  assert.deepEqual(measures.throughput, { value: 1000, lower_value: 900, upper_value: 1100 });
  assert.deepEqual(measures.cpu, { value: 5 }, 'one repeat has no interval');
  assert.equal(measures.memory, undefined, 'what was not measured is not 0');
});

test('github-action-benchmark gets what is better when it is smaller, each with its unit', () => {
  const all = figuresActionBenchmark(figures);
  assert.deepEqual(
    all.map(({ unit, value, range = null }) => [unit, value, range]),
    [
      ['ms', 2, '1.80 – 2.20'],
      ['µs', 5, null],
    ],
  );
  assert.match(all[0].name, /^alpha: .*: p99$/);
});
