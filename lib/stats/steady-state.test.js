import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRng } from './rng.js';
import { steadyState } from './steady-state.js';

/** @param {number[]} rates */
function of(rates) {
  return steadyState(
    rates.map((count, t) => ({ t, count, errors: 0, p50Ms: 1, p95Ms: 1, p99Ms: 1, maxMs: 1 })),
  );
}

const random = createRng(11);
const noisy = (/** @type {(t: number) => number} */ shape) =>
  Array.from({ length: 31 }, (_, t) => Math.round(shape(t) * (0.95 + 0.1 * random())));

test('the same throughput all along is steady, whatever its noise', () => {
  for (let i = 0; i < 50; i++) assert.equal(of(noisy(() => 1000))?.kind, 'steady');
});

test('a slow decline and a slow rise are drifts', () => {
  const down = of(noisy((t) => 1000 - 12 * t));
  assert.equal(down?.kind, 'drifting');
  assert.ok(down && down.change < -0.3 && down.change > -0.6, String(down?.change));
  assert.equal(of(noisy((t) => 700 + 12 * t))?.kind, 'drifting');
});

test('a collapse is named with its second, and a pause that ends is none', () => {
  const result = of(noisy((t) => (t < 17 ? 1000 : 200)));
  assert.equal(result?.kind, 'collapsed');
  assert.equal(result?.second, 17);
  assert.ok(result && Math.abs(result.change + 0.8) < 0.05);
  assert.notEqual(of(noisy((t) => (t >= 10 && t < 14 ? 100 : 1000)))?.kind, 'collapsed');
});

test('a window of few seconds, or of nothing, shows no trend', () => {
  assert.equal(of([5, 5, 5]), null);
  assert.equal(of(Array.from({ length: 30 }, () => 0)), null);
});
