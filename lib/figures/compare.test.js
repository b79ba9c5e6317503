import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { REPORTS } from '../paths.js';
import { isRun, withRun } from '../record/archive.js';
import { createRng } from '../stats/rng.js';
import { measuredIn, ratioChangesBetween } from './changes.js';
import { between } from './compare.js';
import { keyOf } from './comparisons.js';
import { comparisonsOfStarts } from './side-by-side.js';

/** @param {number[]} logRatios of a over b, a start each @param {{a?: string, b?: string, ok?: boolean, slotMs?: number}} [of] */
function run(logRatios, { a = 'a', b = 'b', ok = true, slotMs = 0 } = {}) {
  const group = /** @type {any} */ ({
    workload: 'w',
    transport: 'resp',
    cells: [{ id: 'get.c1', stepId: 'c1', operation: 'get', parts: [], ...(slotMs ? { slotMs } : {}) }],
    pairs: [
      { a, b, kind: 'rivals', cells: ['get.c1'] },
      { a, b: a, kind: 'same', cells: ['get.c1'] },
    ],
  });
  const starts = logRatios.map((logRatio) => ({
    status: 'ok',
    systems: [{ system: 'a', oracle: { ok } }],
    pairs: [{ cell: 'get.c1', a, b, logRatio, operationsPerCpuSec: { a: 1, b: 1 } }],
  }));
  const comparisons = comparisonsOfStarts(group, /** @type {any} */ (starts)).filter(
    (c) => c.kind !== 'same',
  );
  const trials = [{ ...group, repeat: null }];
  return /** @type {any} */ ({ plan: { engine: 'native', trials }, comparisons });
}

const near = (/** @type {number} */ mean) => [-0.01, 0.01, 0, 0.005, -0.005].map((d) => mean + d);

test('a ratio that came out again is a tie, whichever system a run names first', () => {
  const [again] = ratioChangesBetween(run(near(0.6)), run(near(0.61)));
  assert.deepEqual([again.outcome, again.n, again.a], ['tie', 5, 'a']);
  assert.ok(Math.abs(Number(again.ratio?.estimate) - Math.exp(0.01)) < 1e-9);
  const [turned] = ratioChangesBetween(run(near(0.6)), run(near(-0.6), { a: 'b', b: 'a' }));
  assert.equal(turned.outcome, 'tie');
});

test('one that lies wholly beyond 10 % changed; in between nobody can tell', () => {
  assert.equal(ratioChangesBetween(run(near(0.6)), run(near(0.9)))[0].outcome, 'winner');
  assert.equal(ratioChangesBetween(run(near(0.6)), run(near(0.69)))[0].outcome, 'inconclusive');
});

test('loads in turns are not held against loads at the same moment, and that is said', () => {
  const turns = run(near(0.6), { slotMs: 50 });
  const [{ outcome, why, ratio }] = ratioChangesBetween(run(near(0.6)), turns);
  assert.deepEqual([outcome, why, ratio], ['not comparable', [{ code: 'loaded_otherwise' }], null]);
  assert.equal(ratioChangesBetween(turns, turns)[0].outcome, 'tie');
});

test('four starts, and a start with a wrong state, make no comparison; nor does another workload', () => {
  const few = (/** @type {any} */ after) => {
    const [{ outcome, n }] = ratioChangesBetween(run(near(0.6)), after);
    return [outcome, n];
  };
  assert.deepEqual(few(run(near(0.6).slice(1))), ['too few', 4], 'it says so, and is not silent');
  assert.deepEqual(few(run(near(0.6), { ok: false })), ['not comparable', 0]);
  const other = run(near(0.6));
  assert.deepEqual(ratioChangesBetween({ ...other, comparisons: [] }, other), []);
  const boxed = { ...other, plan: { ...other.plan, engine: 'docker' } };
  assert.deepEqual(ratioChangesBetween(other, boxed), [], 'processes and containers');
});

test('the same code twice: simulated pairs of runs on shared cores are called changed in at most 1 %', () => {
  const random = createRng(11);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let changed = 0;
  for (let i = 0; i < 1000; i++) {
    const starts = () => Array.from({ length: 5 }, () => 0.1 + 0.05 * normal());
    if (ratioChangesBetween(run(starts()), run(starts()))[0].outcome === 'winner') changed++;
  }
  assert.ok(changed <= 10, `${changed} of 1000`);
});

test('a load and a metric have one answer of two systems in each committed run, whichever way they were loaded', () => {
  let paired = 0;
  for (const name of readdirSync(REPORTS).filter((n) => isRun(join(REPORTS, n))))
    withRun(join(REPORTS, name), (data) => {
      const { comparisons } = measuredIn(data);
      const metricOf = (/** @type {import('../types.d.ts').Comparison} */ { metric }) =>
        metric === 'efficiency' ? 'cpu' : metric;
      const seen = new Set();
      for (const c of comparisons) {
        const id = [keyOf(c.load), metricOf(c), ...[c.a, c.b].sort()].join(' ');
        assert.ok(!seen.has(id), `${name}: ${id} twice`);
        seen.add(id);
        if (c.paired) paired++;
        const again = between([c], c.b, c.a);
        assert.equal(again?.outcome, c.outcome, 'and turned it is the same');
      }
    });
  assert.ok(paired > 50, `${paired} of systems that were loaded at once`);
});
