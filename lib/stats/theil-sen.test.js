import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRng } from './rng.js';
import { theilSen } from './theil-sen.js';

/**
 * @param {number} n @param {(x: number) => number} y
 */
function series(n, y) {
  return Array.from({ length: n }, (_, x) => ({ x, y: y(x) }));
}

test('the slope of a line is that of the line, and of a constant is exactly 0', () => {
  assert.deepEqual(theilSen(series(50, (x) => 3 * x + 7)), { estimate: 3, low: 3, high: 3 });
  assert.deepEqual(theilSen(series(50, () => 5)), { estimate: 0, low: 0, high: 0 });
  assert.equal(theilSen(series(3, (x) => x)), null);
});

test('seven points, by hand: the median of 21 slopes, and the 3rd and the 19th of them', () => {
  // The data of Sen (1968): Var(S) = 7 · 6 · 19 / 18, C = 13.05, ranks (21 − C) / 2 and (21 + C) / 2 + 1.
  const x = [1, 2, 3, 4, 10, 12, 18];
  const y = [9, 15, 19, 20, 45, 55, 78];
  const slope = theilSen(x.map((value, i) => ({ x: value, y: y[i] })));
  assert.deepEqual(slope, { estimate: 4, low: 11 / 3, high: 5 });
});

test('a quarter of outliers moves it little', () => {
  const random = createRng(4);
  const slope = theilSen(series(80, (x) => (random() < 0.25 ? 1000 * random() : 2 * x + random())));
  assert.ok(slope && Math.abs(slope.estimate - 2) < 0.4, JSON.stringify(slope));
});

test('its interval holds the true slope in about 95 of 100 campaigns', () => {
  const random = createRng(9);
  let covered = 0;
  for (let i = 0; i < 300; i++) {
    const slope = theilSen(series(40, (x) => 0.5 * x + 10 * (random() + random() - 1)));
    if (slope && slope.low <= 0.5 && 0.5 <= slope.high) covered++;
  }
  assert.ok(covered >= 275 && covered <= 298, `${covered} of 300`);
});

test('a long series is thinned, not left out', () => {
  const slope = theilSen(series(5000, (x) => 2 * x));
  assert.equal(slope?.estimate, 2);
});
