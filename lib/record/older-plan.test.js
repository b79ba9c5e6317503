import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentPlan } from './older-plan.js';

test('the settings of a system in an older plan are read by today’s name', () => {
  const older = { runId: 'r', systems: [{ id: 'alpha', knobs: { appendonly: 'no' } }] };
  assert.deepEqual(currentPlan(older).systems, [{ id: 'alpha', settings: { appendonly: 'no' } }]);
  const current = { runId: 'r', systems: [{ id: 'alpha', settings: { appendonly: 'no' } }] };
  assert.deepEqual(currentPlan(current), current);
});
