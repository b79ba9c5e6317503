import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRng } from './rng.js';
import { fitUsl, scalabilityFrom, uslAt, uslPeak } from './usl.js';

const USERS = [1, 5, 20, 50, 100, 200, 500, 1000];

/** @param {number} seed @returns {{law: import('./usl.js').Usl, random: () => number, normal: () => number}} */
function worldOf(seed) {
  const random = createRng(seed);
  const between = (/** @type {number} */ low, /** @type {number} */ high) =>
    Math.exp(Math.log(low) + random() * Math.log(high / low));
  const law = { lambda: between(10, 50_000), sigma: between(0.005, 0.3), kappa: between(1e-6, 3e-4) };
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return { law, random, normal };
}

/** @param {ReturnType<typeof worldOf>} world @param {{noise: number, repeats: number}} how */
const measured = ({ law, normal }, { noise, repeats }) =>
  USERS.map((users) => ({
    users,
    byRepeat: new Map(
      Array.from({ length: repeats }, (_, r) => [r + 1, uslAt(law, users) * Math.exp(noise * normal())]),
    ),
  }));

test('whatever the law, exact data give λ, σ and κ back', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const { law } = worldOf(seed);
    const found = fitUsl(USERS.map((users) => ({ users, rate: uslAt(law, users) })));
    for (const key of /** @type {const} */ (['lambda', 'sigma', 'kappa']))
      assert.ok(
        Math.abs(Number(found?.[key]) / law[key] - 1) < 1e-6,
        `seed ${seed}: ${key} ${found?.[key]} for ${law[key]}`,
      );
  }
});

test('noisy data give them back within their intervals, which come from whole repeats and one seed', () => {
  const inside = { lambda: 0, sigma: 0, kappa: 0 };
  const worlds = 200;
  for (let seed = 1; seed <= worlds; seed++) {
    const world = worldOf(seed);
    const steps = measured(world, { noise: 0.02, repeats: 5 });
    const found = scalabilityFrom(steps);
    assert.ok(found && found.repeats === 5);
    for (const key of /** @type {const} */ (['lambda', 'sigma', 'kappa'])) {
      const { estimate, low, high } = found[key];
      assert.ok(low <= estimate && estimate <= high, `seed ${seed}: ${key} ${low} ${estimate} ${high}`);
      if (low <= world.law[key] && world.law[key] <= high) inside[key]++;
    }
    if (seed <= 3) assert.deepEqual(scalabilityFrom(steps), found);
  }
  // A bootstrap of five values is somewhat too narrow; far too narrow it must not be.
  for (const [key, n] of Object.entries(inside))
    assert.ok(n >= 0.75 * worlds, `${key}: inside in ${n} of ${worlds}`);
});

test('the peak lies where throughput is highest, and where nothing is lost to agreement there is none', () => {
  const law = { lambda: 1000, sigma: 0.02, kappa: 5e-5 };
  const peak = uslPeak(law);
  assert.equal(Math.round(peak), 140);
  assert.ok(uslAt(law, peak) > uslAt(law, peak * 0.9) && uslAt(law, peak) > uslAt(law, peak * 1.1));
  const contended = USERS.map((users) => ({
    users,
    byRepeat: new Map([[1, uslAt({ ...law, kappa: 0 }, users)]]),
  }));
  const found = scalabilityFrom(contended);
  assert.ok(found && found.peakUsers.estimate > 1e5);
  assert.ok(Math.abs(found.peakRate - 1000 / 0.02) < 600, 'no number of users exceeds λ/σ');
});

test('a system that does more than its share with more users has no negative contention', () => {
  const points = USERS.slice(0, 6).map((users) => ({ users, rate: 100 * users ** 1.1 }));
  const found = fitUsl(points);
  assert.ok(found && found.sigma >= 0 && found.kappa >= 0);
  assert.equal(fitUsl(points.slice(0, 2)), null);
  assert.equal(scalabilityFrom([]), null);
});
