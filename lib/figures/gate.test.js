import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pairedTrials } from '../config/trials.js';
import { REPORTS } from '../paths.js';
import { isRun, withRun } from '../record/archive.js';
import { readPlan } from '../record/run-folder.js';
import { createRng } from '../stats/rng.js';
import { changesBetween, measuredIn } from './changes.js';
import { figureOf } from './figure.js';
import { crossings, demandJudgeable, limitsOf } from './gate.js';

/** @import { Measured } from './changes.js' */

const KEYS = Object.fromEntries(
  [
    ...['transport', 'client', 'connections', 'pipelineDepth', 'clientPattern', 'model', 'targetPerSec'],
    ...['durability', 'cpuLimit', 'memoryLimit', 'engine', 'generatorCpus'],
  ].map((key) => [key, 'alike']),
);

const CONDITIONS = /** @type {any} */ ({ parity: KEYS, step: {}, targetPerSec: null });

/**
 * @param {number[]} rates one for each repeat
 * @param {Partial<Measured>} [more]
 * @returns {Measured}
 */
function load(rates, { failure = null, ...more } = {}) {
  const of = (/** @type {number[]} */ values) => figureOf(values.map((v, i) => [i + 1, v]));
  return {
    ...{ workload: 'counters', transport: 'resp', system: 'own', step: 'c8', operation: 'get' },
    ...{ connections: 8, depth: 1, failure, keys: CONDITIONS, sideBySide: false },
    figures: failure
      ? {}
      : { throughput: of(rates), p99: of(rates.map((r) => 1e6 / r)), cpu: of(rates.map((r) => 1e5 / r)) },
    ...more,
  };
}

/** @param {Measured[]} measured */
const run = (...measured) => /** @type {any} */ ({ measured, comparisons: [], plan: {} });

/** @param {import('./changes.js').ChangedRow} row @param {string} metric @returns {string} better, worse, or what it is else */
const wordOf = ({ changes }, metric) =>
  changes[metric].outcome === 'winner'
    ? changes[metric].better === 'a'
      ? 'better'
      : 'worse'
    : changes[metric].outcome;
const both = (/** @type {Measured} */ a, /** @type {Measured} */ b) =>
  changesBetween({ run: run(a), system: null }, { run: run(b), system: null });

test('a limit is a metric, a direction and a share, and nothing else is one', () => {
  assert.deepEqual(limitsOf('throughput<-10%, p99>+15%'), [
    { text: 'throughput<-10%', metric: 'throughput', limit: 0.9 },
    { text: 'p99>+15%', metric: 'p99', limit: 1.15 },
  ]);
  assert.deepEqual(limitsOf(null), []);
  for (const [text, message] of /** @type {[string, RegExp][]} */ ([
    ['', /--fail-on is empty/],
    ['p99', /--fail-on p99: no limit/],
    ['p99>15', /no limit/],
    ['latency>+5%', /unknown metric "latency"/],
    ['toString>+5%', /no limit|unknown metric/],
    ['throughput>+5%', /throughput is worse when it falls/],
    ['throughput<+5%', /throughput is worse when it falls/],
    ['p99<-5%', /p99 is worse when it grows/],
    ['throughput<-100%', /nothing falls by 100 %/],
    [`cpu>+${'9'.repeat(400)}%`, /a gate that nothing can cross/],
  ]))
    assert.throws(() => limitsOf(text), message, text);
});

test('a limit is crossed only where the whole interval lies beyond it', () => {
  const steady = load([100, 101, 99, 100, 100]);
  const slower = both(steady, load([80, 81, 79, 80, 80]));
  assert.deepEqual(
    crossings(slower, limitsOf('throughput<-10%,p99>+15%,cpu>+40%')).map((c) => c.what),
    ['throughput<-10%', 'p99>+15%'],
  );
  assert.equal(wordOf(slower[0], 'throughput'), 'worse');
  const noisy = both(steady, load([60, 120, 85, 110, 80]));
  assert.deepEqual(crossings(noisy, limitsOf('throughput<-10%')), []);
  assert.equal(wordOf(noisy[0], 'throughput'), 'inconclusive');
  assert.equal(wordOf(both(steady, steady)[0], 'throughput'), 'tie');
  assert.equal(wordOf(both(steady, load([120, 121, 119, 120, 120]))[0], 'p99'), 'better');
});

test('a load that has no figure any more crosses, one that never had does not', () => {
  const fine = load([100, 100, 100, 100, 100]);
  const gone = load([], { failure: 'failed: it did not start' });
  const limits = limitsOf('cpu>+10%');
  assert.match(crossings(both(fine, gone), limits)[0].what, /no figure any more: failed: it did not start/);
  assert.deepEqual(crossings(both(gone, gone), limits), []);
});

test('a gate that could not have failed is refused, with why', () => {
  const limits = limitsOf('throughput<-10%');
  const few = both(load([100, 100]), load([50, 50]));
  assert.throws(() => demandJudgeable(few, limits), /no load has a throughput that may be compared/);
  assert.deepEqual(crossings(few, limits), []);
  const unlike = both(
    load([1, 1, 1, 1, 1]),
    load([1, 1, 1, 1, 1], { keys: { ...CONDITIONS, parity: { ...KEYS, durability: 'fsync' } } }),
  );
  assert.throws(
    () => demandJudgeable(unlike, limits),
    (/** @type {any} */ e) => e.detail.some((/** @type {string} */ d) => d.includes('durability')),
  );
  demandJudgeable(both(load([1, 1, 1, 1, 1]), load([1, 1, 1, 1, 1])), limits);
});

test('the same command twice: open steps at shares of maxima that came out nearly alike are one load', () => {
  const at = (/** @type {number} */ rate, /** @type {number | undefined} */ fractionOfKnee = 0.5) => {
    const targetPerSec = figureOf([[1, rate]]);
    const parity = { ...KEYS, targetPerSec: rate };
    return load([100, 101, 99, 100, 100], {
      keys: /** @type {any} */ ({ parity, step: { fractionOfKnee }, targetPerSec }),
    });
  };
  assert.equal(wordOf(both(at(30_000), at(31_500))[0], 'throughput'), 'tie');
  const unlike = (/** @type {number} */ a, /** @type {number} */ b) => [
    { code: 'unlike', key: 'targetPerSec', a, b },
  ];
  assert.deepEqual(both(at(30_000), at(45_000))[0].refusal, unlike(30_000, 45_000));
  assert.deepEqual(both(at(30_000, 0.5), at(31_500, 0.7))[0].refusal, unlike(30_000, 31_500));
});

test('a run against itself is a tie in every metric that it has, of repeats and of starts', () => {
  for (const sideBySide of [false, true]) {
    const own = run(load([100, 101, 99, 100, 100], { sideBySide }));
    const [row] = changesBetween({ run: own, system: null }, { run: own, system: null });
    const words = ['throughput', 'p99', 'cpu'].map((metric) => wordOf(row, metric));
    assert.deepEqual(words, ['tie', 'tie', 'tie'], JSON.stringify(row.changes.cpu));
  }
});

/**
 * Runs of twelve loads and five repeats each, whose repeats scatter by 2 %.
 * @param {number} effect of the later run's throughput
 * @param {number} campaigns
 * @returns {number} how many of them the gate stops
 */
function stopped(effect, campaigns) {
  const random = createRng(99);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const repeats = (/** @type {number} */ mean) =>
    Array.from({ length: 5 }, () => mean * Math.exp(0.02 * normal()));
  const limits = limitsOf('throughput<-5%');
  const loads = (/** @type {number} */ mean) =>
    Array.from({ length: 12 }, (_, i) => load(repeats(mean), { step: `s${i}` }));
  let count = 0;
  for (let i = 0; i < campaigns; i++) {
    const rows = changesBetween(
      { run: run(...loads(1000)), system: null },
      { run: run(...loads(1000 * effect)), system: null },
    );
    if (crossings(rows, limits).length > 0) count++;
  }
  return count;
}

test('a tenth less is stopped in nine of ten tries, the same at most once in twenty', () => {
  assert.ok(stopped(0.9, 20) >= 18);
  assert.ok(stopped(1, 20) <= 1);
});

test('where repeats measure each system alone, starts have no rows of their own', () => {
  const runs = readdirSync(REPORTS).filter((name) => isRun(join(REPORTS, name)));
  /** @type {(boolean | undefined)[]} */
  const seen = [];
  for (const run of runs)
    withRun(join(REPORTS, run), (data) => {
      const groups = pairedTrials(readPlan(data));
      if (groups.length === 0) return;
      const own = measuredIn(data).measured.filter(({ sideBySide }) => sideBySide);
      for (const { workload, alone } of groups) {
        const rows = own.filter((row) => row.workload === workload);
        assert.equal(rows.length > 0, alone !== false, `${run}: ${workload}`);
        seen.push(alone);
      }
    });
  assert.ok(seen.includes(false) && seen.some((alone) => alone !== false), 'both kinds are published');
});
