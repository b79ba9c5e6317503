import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareFigures } from '../figures/compare.js';
import { figureOf } from '../figures/figure.js';
import { createRng } from '../stats/rng.js';
import { outcomeOf } from './outcome.js';

test('a winner lies beyond ±5 % with its whole interval, a tie inside, and the rest is inconclusive', () => {
  const of = (/** @type {number} */ low, /** @type {number} */ high, n = 5) =>
    outcomeOf({ mean: Math.log(Math.sqrt(low * high)), low: Math.log(low), high: Math.log(high), n });
  assert.deepEqual(of(1.06, 1.3), { outcome: 'winner', better: 'a' });
  assert.deepEqual(of(0.7, 0.9), { outcome: 'winner', better: 'b' });
  assert.deepEqual(of(0.97, 1.04).outcome, 'tie');
  assert.equal(of(0.9, 1.2).outcome, 'inconclusive');
  assert.equal(of(1.02, 1.2).outcome, 'inconclusive');
  assert.deepEqual(of(2, 3, 4), { outcome: 'too few', better: 'a' });
  assert.equal(outcomeOf({ mean: 0.07, low: 0.06, high: 0.08, n: 5 }, 0.1).outcome, 'tie', 'of two runs');
});

/** @typedef {import('../figures/figure.js').Figure | null} Known @param {Known} a @param {Known} b */
const ratioOf = (a, b) => compareFigures(a, b, { metric: 'throughput' });

/**
 * Values of one metric of a system, trial by trial.
 * @type {Record<string, (normal: () => number, random: () => number) => number>}
 */
const METRICS = {
  'CPU efficiency': (normal) => 350_000 * Math.exp(0.03 * normal()),
  throughput: (normal, random) => 100_000 * Math.exp(0.1 * normal()) * (random() < 0.15 ? 0.6 : 1),
  // A stall of the host in some windows, of any length.
  p99: (normal, random) => 0.8 * Math.exp(0.2 * normal()) * (random() < 0.2 ? 1 + 20 * random() : 1),
  memory: (normal) => 5e6 * Math.exp(0.01 * normal()),
};

test('a system against itself is the winner of at most 1 % of 2000 campaigns, in each metric alike', () => {
  for (const [name, draw] of Object.entries(METRICS)) {
    const random = createRng(name.length * 31);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const figure = (/** @type {number} */ trials) =>
      figureOf(Array.from({ length: trials }, (_, i) => [i + 1, draw(normal, random)]));
    for (const trials of [5, 8, 12]) {
      let winners = 0;
      for (let i = 0; i < 2000; i++)
        if (ratioOf(figure(trials), figure(trials))?.outcome === 'winner') winners++;
      assert.ok(winners <= 20, `${name}, ${trials} trials: ${winners} of 2000`);
    }
  }
});

test('of a system that is 3 % better nobody says that it wins, nor that the other one does, and the interval has the truth', () => {
  const campaigns = 1000;
  for (const [name, draw] of Object.entries(METRICS)) {
    const random = createRng(name.length * 17);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const figure = (/** @type {number} */ trials, by = 1) =>
      figureOf(Array.from({ length: trials }, (_, i) => [i + 1, by * draw(normal, random)]));
    for (const trials of [5, 8, 12]) {
      const count = { wins: 0, loses: 0, holds: 0 };
      for (let i = 0; i < campaigns; i++) {
        const found = ratioOf(figure(trials, 1.03), figure(trials));
        if (found?.outcome === 'winner') count[found.better === 'a' ? 'wins' : 'loses']++;
        if (Number(found?.ratio?.low) <= 1.03 && Number(found?.ratio?.high) >= 1.03) count.holds++;
      }
      const told = `${name}, ${trials} trials: ${JSON.stringify(count)} of ${campaigns}`;
      assert.ok(count.loses <= campaigns / 100, told);
      assert.ok(count.wins <= campaigns / 33, told);
      assert.ok(count.holds >= campaigns * 0.94, told);
    }
  }
});

test('a real difference of 30 % is found, of single metrics too', () => {
  const figure = (/** @type {number[]} */ values) => figureOf(values.map((v, i) => [i + 1, v]));
  const found = ratioOf(figure([1.28, 1.33, 1.3, 1.31, 1.27]), figure([1, 1.01, 1, 0.99, 1]));
  assert.deepEqual([found?.outcome, found?.better], ['winner', 'a']);
});
