import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demandGates, onceScenarios, scenariosOf, scenariosUnder, sharesOf } from './script-scenarios.js';

const BROWSE = {
  executor: 'ramping-vus',
  stages: [{ target: 30 }, { target: 0 }],
  exec: 'browse',
  env: { A: '1' },
  tags: { kind: 'read' },
  startTime: '5s',
  gracefulStop: '2s',
};
const BUY = { executor: 'constant-arrival-rate', rate: 5, preAllocatedVUs: 10, exec: 'buy', env: null };

test('of a scenario its function, variables and tags stay, and users of the step take the place of its load', () => {
  const scenarios = scenariosOf({ scenarios: { browse: BROWSE, buy: BUY } });
  assert.deepEqual(scenariosUnder(scenarios, { users: 20, totalMs: 3500 }), {
    browse: {
      ...{ exec: 'browse', env: { A: '1' }, tags: { kind: 'read' }, gracefulStop: '2s' },
      ...{ executor: 'constant-vus', vus: 15, duration: '3500ms' },
    },
    buy: { exec: 'buy', executor: 'constant-vus', vus: 5, duration: '3500ms' },
  });
  const once = onceScenarios(scenarios);
  assert.deepEqual(once.buy, { exec: 'buy', executor: 'per-vu-iterations', vus: 1, iterations: 1 });
  assert.deepEqual(Object.keys(scenariosUnder(scenariosOf({ stages: [] }), { users: 1, totalMs: 1 })), [
    'default',
  ]);
});

test('at a rate each scenario has its part of it, in whole numbers of a longer time', () => {
  const scenarios = scenariosOf({ scenarios: { browse: BROWSE, buy: BUY } });
  const load = scenariosUnder(scenarios, { users: 40, ratePerSec: 100, totalMs: 3500 });
  assert.deepEqual(load.buy, {
    ...{ exec: 'buy', executor: 'constant-arrival-rate', duration: '3500ms' },
    ...{ rate: 1000, timeUnit: '40s', preAllocatedVUs: 10, maxVUs: 10 },
  });
  assert.deepEqual(
    [load.browse].map((/** @type {any} */ s) => [s.rate, s.timeUnit, s.maxVUs, s.gracefulStop]),
    [[3000, '40s', 30, '2s']],
  );
});

test('users are whole, none of the scenarios is without one, and none is lost', () => {
  for (let users = 3; users < 120; users++) {
    const weights = [1, 7, 40].map((weight) => ({ name: '', executor: '', weight, kept: {} }));
    const shares = sharesOf(weights, users);
    assert.equal(
      shares.reduce((n, x) => n + x, 0),
      users,
    );
    assert.ok(Math.min(...shares) >= 1, `${users}: ${shares}`);
  }
  const two = (/** @type {number[]} */ weights) =>
    sharesOf(
      weights.map((weight) => ({ name: '', executor: '', weight, kept: {} })),
      100,
    );
  assert.deepEqual(two([1, 1]), [50, 50]);
  assert.deepEqual(two([3, 1]), [75, 25]);
});

test('a threshold that could not be crossed is told, and others are left to k6', () => {
  const scenarios = { browse: BROWSE, buy: BUY };
  const demand = (/** @type {string} */ key, /** @type {string[]} */ options = []) =>
    demandGates('a.js', { scenarios, thresholds: { [key]: ['count<1'] } }, options);
  assert.throws(() => demand('dropped_iterations'), /dropped_iterations cannot be crossed/);
  assert.throws(() => demand('http_reqs{scenario:shop}'), /no scenario is called "shop"/);
  assert.throws(() => demand('http_reqs{kind:read,scenario: "x"}'), /no scenario is called "x"/);
  demand('http_reqs{scenario:buy}');
  demand('http_reqs{kind:read, scenario:"browse",a:b}');
  demand('http_reqs{my_scenario:none}');
  demandGates('a.js', { scenarios, thresholds: { dropped_iterations: ['count<1'] } }, [], true);
  demand('dropped_iterations', ['--no-thresholds']);
  demand('dropped_iterations', ['--no-thresholds=true']);
});
