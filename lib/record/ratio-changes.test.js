import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRng } from '../stats/rng.js';
import { ratioChangesBetween } from './ratio-changes.js';

/** @param {number[]} logRatios of a over b, a start each @param {{a?: string, b?: string, ok?: boolean, slotMs?: number}} [of] */
function run(logRatios, { a = 'a', b = 'b', ok = true, slotMs = 0 } = {}) {
  const group = {
    workload: 'w',
    transport: 'resp',
    cells: [{ id: 'get.c1', ...(slotMs ? { slotMs } : {}) }],
    pairs: [
      { a, b, kind: 'rivals', cells: ['get.c1'] },
      { a, b: a, kind: 'same', cells: ['get.c1'] },
    ],
  };
  const records = logRatios.map((logRatio) => ({
    status: 'ok',
    systems: [{ system: 'a', oracle: { ok } }],
    pairs: [{ cell: 'get.c1', a, b, logRatio }],
  }));
  return /** @type {any} */ ([{ group, records }]);
}

const near = (/** @type {number} */ mean) => [-0.01, 0.01, 0, 0.005, -0.005].map((d) => mean + d);

test('a ratio that came out again is a tie, whichever system a run names first', () => {
  const [again] = ratioChangesBetween(run(near(0.6)), run(near(0.61)));
  assert.deepEqual([again.word, again.n, again.a], ['tie', 5, 'a']);
  assert.ok(Math.abs(Number(again.ratio?.estimate) - Math.exp(0.01)) < 1e-9);
  const [turned] = ratioChangesBetween(run(near(0.6)), run(near(-0.6), { a: 'b', b: 'a' }));
  assert.equal(turned.word, 'tie');
});

test('one that lies wholly beyond 10 % changed; in between nobody can tell', () => {
  assert.equal(ratioChangesBetween(run(near(0.6)), run(near(0.9)))[0].word, 'changed');
  assert.equal(ratioChangesBetween(run(near(0.6)), run(near(0.69)))[0].word, 'open');
});

test('loads in turns are not held against loads at the same moment, and that is said', () => {
  const turns = run(near(0.6), { slotMs: 50 });
  const [{ word, ratio }] = ratioChangesBetween(run(near(0.6)), turns);
  assert.deepEqual([word, ratio], ['loaded otherwise', null]);
  assert.equal(ratioChangesBetween(turns, turns)[0].word, 'tie');
});

test('four starts, and a start with a wrong state, make no comparison; nor does another workload', () => {
  const few = (/** @type {any} */ after) => {
    const [{ word, n, ratio }] = ratioChangesBetween(run(near(0.6)), after);
    return [word, n, ratio];
  };
  assert.deepEqual(
    few(run(near(0.6).slice(1))),
    ['too few starts', 4, null],
    'it says so, and is not silent',
  );
  assert.deepEqual(few(run(near(0.6), { ok: false })), ['too few starts', 0, null]);
  const [other] = run(near(0.6));
  assert.deepEqual(ratioChangesBetween([], [other]), []);
  const boxed = [{ ...other, engine: 'docker' }];
  assert.deepEqual(
    ratioChangesBetween([{ ...other, engine: 'native' }], boxed),
    [],
    'processes and containers',
  );
});

test('the same code twice: simulated pairs of runs on shared cores are called changed in at most 1 %', () => {
  const random = createRng(11);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let changed = 0;
  for (let i = 0; i < 1000; i++) {
    const starts = () => Array.from({ length: 5 }, () => 0.1 + 0.05 * normal());
    if (ratioChangesBetween(run(starts()), run(starts()))[0].word === 'changed') changed++;
  }
  assert.ok(changed <= 10, `${changed} of 1000`);
});
