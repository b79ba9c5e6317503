import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPaced, paceOf, rateOf } from './pace.js';

/** @type {any} */
const step = { id: 'open', model: 'open', vus: 4, ratePerSec: 100 };
const facts = { operations: { write: { share: 0.7 }, note: { share: 0.3 } } };
const nothing = { ratePerSec: null, ratesPerSec: {} };

test('only what is measured in the open model keeps a schedule', () => {
  assert.equal(isPaced({ step, phase: 'measure' }), true);
  assert.equal(isPaced({ step, phase: 'warmup' }), false);
  assert.equal(isPaced({ step: { ...step, model: 'closed' }, phase: 'measure' }), false);
});

test('a rate is the operation’s own, or its share of that of all; what is asked for comes before the step', () => {
  assert.equal(rateOf(step, 'write', facts, nothing), 70);
  assert.equal(rateOf(step, 'write', { operations: { write: {} } }, nothing), 100);
  assert.equal(rateOf(step, 'write', facts, { ...nothing, ratePerSec: 200 }), 140);
  assert.equal(rateOf(step, 'write', facts, { ratePerSec: 200, ratesPerSec: { write: 5 } }), 5);
  assert.throws(
    () => rateOf({ ...step, ratePerSec: undefined }, 'write', facts, nothing),
    /the open step "open" needs -e RATE_PER_SEC=…/,
  );
});

test('users take turns in the schedule', () => {
  assert.deepEqual(
    [1, 4, 5].map((user) => paceOf(step, 100, 0, user).offset),
    [0, 3, 0],
  );
});
