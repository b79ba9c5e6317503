import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_LOOK, lookAt } from '../stats/interval.js';
import { createRng } from '../stats/rng.js';
import { compareTrials, upright, winnerOf } from './compare.js';
import { isDecided } from './side-by-side.js';

/** SD of a start, as measured side by side on shared cores: from quiet to compilers on all of them. */
const NOISES = [0.01, 0.03, 0.05, 0.08];

/**
 * A campaign as a run goes through it: it stops at the first look that decides.
 * @param {() => number} draw the difference of a start
 * @param {number} [most] starts
 */
function campaign(draw, most = 12) {
  /** @type {number[]} */
  const seen = [];
  while (seen.length < most) {
    seen.push(draw());
    const comparison = judgeStarts(seen);
    if (isDecided(comparison)) return comparison;
  }
  return judgeStarts(seen);
}

/** @param {number[]} differences */
const judgeStarts = (differences) => compareTrials({ a: 'a', b: 'b', metric: 'efficiency' }, differences);

/** @param {number} seed */
function normals(seed) {
  const random = createRng(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

test('one system against itself is called the winner in at most 1 % of 2000 campaigns, also where starts go on', () => {
  for (const [noise, most] of [...NOISES.map((n) => [n, 12]), [0.05, 40], [0.08, 40]]) {
    const normal = normals(Math.round(noise * 1000));
    const words = Array.from({ length: 2000 }, () => campaign(() => noise * normal(), most).outcome);
    const ahead = words.filter((w) => w === 'winner').length;
    assert.ok(ahead <= 20, `noise ${noise}: ${ahead} of 2000`);
  }
});

test('without the correction for looking several times, or with slices taken for starts, it would be called so too often', () => {
  // The check of the check: what the rule guards against does happen.
  const normal = normals(7);
  let open = 0;
  for (let i = 0; i < 2000; i++) {
    const ofStart = 0.08 * normal();
    // Four slices of one start share what the start brought along.
    const slices = Array.from({ length: 12 }, (_, k) => (k % 4 === 0 ? ofStart : ofStart) + 0.005 * normal());
    if (judgeStarts(slices).outcome === 'winner') open++;
  }
  assert.ok(open > 20, `only ${open} of 2000`);
});

test('twins with 2 and 3, or 2.0 and 2.2 µs of work: the ratio lies inside the interval, and the quicker one is ahead', () => {
  for (const factor of [1.5, 1.1])
    for (const noise of [0.01, 0.02, 0.03]) {
      const normal = normals(11);
      const all = Array.from({ length: 400 }, () => campaign(() => Math.log(factor) + noise * normal(), 20));
      const inside = all.filter(({ ratio }) => Number(ratio?.low) <= factor && factor <= Number(ratio?.high));
      const ahead = all.filter((c) => c.outcome === 'winner' && winnerOf(c) === 'a').length;
      assert.ok(inside.length >= 360, `${factor}, noise ${noise}: inside in ${inside.length} of 400`);
      assert.ok(ahead >= 320, `${factor}, noise ${noise}: ahead in ${ahead} of 400`);
    }
});

test('a neighbour, always or now and then, names no false winner of two that are loaded at the same moment', () => {
  const noise = 0.03;
  const wins = (/** @type {number} */ seed, /** @type {boolean} */ sameMoment) => {
    const [normal, random] = [normals(seed), createRng(seed)];
    // What one piece of time costs: half of the CPU is somebody else's in a third of all seconds, and caches with it.
    const moment = () => (random() < 1 / 3 ? Math.log(0.6) : 0);
    const words = Array.from({ length: 2000 }, () =>
      campaign(() => {
        const a = moment();
        return a - (sameMoment ? a : moment()) + noise * normal();
      }),
    );
    return words.filter(({ outcome }) => outcome === 'winner').length;
  };
  const [beside, after] = [wins(3, true), wins(3, false)];
  assert.ok(beside <= 20, `${beside} of 2000`);
  // The check of the check: one after another the same neighbour does name winners.
  assert.ok(after > 20, `only ${after} of 2000`);
});

test('the ratio of the better one is at least 1, whichever side it is on', () => {
  const behind = judgeStarts([-0.7, -0.71, -0.69, -0.7, -0.7]);
  assert.deepEqual([behind.outcome, winnerOf(behind)], ['winner', 'b']);
  const ratio = /** @type {import('../types.d.ts').Interval} */ (upright(behind).ratio);
  assert.ok(Math.abs(ratio.estimate - Math.exp(0.7)) < 0.01);
  assert.ok(ratio.low > 1 && ratio.low < ratio.high);
});

test('a tie lies inside ±5 %, and the interval of what is inconclusive beyond it', () => {
  assert.equal(judgeStarts([0.01, 0, -0.01, 0.005, 0]).outcome, 'tie');
  const open = judgeStarts([0.02, 0.06, 0.03, 0.07, 0.04]);
  assert.equal(open.outcome, 'inconclusive');
  const { low, high } = /** @type {import('../types.d.ts').Interval} */ (open.ratio);
  assert.ok(low < 1.05 && high > 1.05 && high < 1.12, `${low} ${high}`);
});

test('fewer starts than the first look show a trend and name nobody', () => {
  const few = judgeStarts([0.7, 0.69]);
  assert.deepEqual([few.outcome, winnerOf(few), few.better], ['too few', null, 'a']);
  assert.equal(judgeStarts([]).ratio, null);
  assert.equal(FIRST_LOOK, 5);
});

test('starts between two looks wait for the next one, and past the last one looks go on', () => {
  assert.equal(lookAt(4), null);
  assert.equal(lookAt(7)?.starts, 5);
  assert.equal(lookAt(12)?.starts, 12);
  assert.deepEqual([lookAt(15)?.starts, lookAt(16)?.starts, lookAt(21)?.starts], [12, 16, 20]);
});
