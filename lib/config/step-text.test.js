import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeOfLoad, shapeText, stepText } from './step-text.js';

test('a load at a fixed rate says its rate, and one that is killed how it ends', () => {
  const rate = { model: 'open', vus: 20, ratePerSec: 1000 };
  const steps = [
    { id: 'paced', ...rate, kill: true },
    { id: 'cut', ...rate, kill: true, powerLoss: true },
    { id: 'saturated', model: 'closed', vus: 20, kill: true },
    { id: 'fast', model: 'open', vus: 100, ratePerSec: 12000 },
    { id: 'share', model: 'open', vus: 100, fractionOfKnee: 0.25, mostPerSec: 10000 },
  ];
  const plan = /** @type {any} */ ({ profile: { steps }, trials: [], options: {} });
  assert.deepEqual(
    steps.map(({ id }) => stepText(plan, id).replace(/\s/g, ' ')),
    [
      '20 users, 1000 op/s, kill -9',
      '20 users, 1000 op/s, power cut',
      '20 users, kill -9',
      '100 users, 12 000 op/s',
      '100 users, 25 % of saturation, at most 10 000 op/s',
    ],
  );
});

test('an operation with users of its own is told with these, beside those of the step', () => {
  const steps = [{ id: 'c40', model: 'closed', vus: 40 }];
  const plan = /** @type {any} */ ({ profile: { steps }, trials: [], options: {} });
  const facts = /** @type {any} */ ({
    operations: { batch: {}, query: { users: 'queryClients' } },
    dataset: { queryClients: 2 },
  });
  const told = ['batch', 'query', ''].map((op) => shapeText(shapeOfLoad(plan, facts, op, 'c40')));
  assert.deepEqual(told, ['40 users', '2 users, beside 40 users', '40 users']);
});
