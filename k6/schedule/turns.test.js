import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepsOf } from '../../lib/plan/steps.js';
import { plan } from './by-time.js';
import { windowGroups } from './facts.js';
import { stepFor } from './steps.js';

/** @type {any} */
const profile = { warmupSec: 2, drive: 'iteration', dataset: { keys: 10 }, steps: [] };
/** @type {any} */
const step = { id: 'c10', model: 'closed', vus: 10, durationSec: 9 };
const turns = ['write', 'write', 'read'];
/** @type {any} */
const facts = {
  id: 'w',
  title: 'W',
  operations: { write: { window: 'round', writes: true }, read: { window: 'round' } },
  windows: { round: { order: 'turns', turns } },
  drive: 'burst',
  pipelines: false,
};

test('operations that take turns share one window, and every user performs them in that order', () => {
  const { windows, scenarios } = plan(stepFor(step, facts, profile), profile, facts);
  const [warmup, measured, ...rest] = windows;
  assert.equal(rest.length, 0);
  assert.deepEqual([warmup.turns, warmup.phase], [turns, 'warmup']);
  assert.deepEqual(
    [measured.operations, measured.turns, measured.users, measured.durationSec, measured.drive],
    [['write', 'read'], turns, 10, 9, 'burst'],
  );
  assert.deepEqual(Object.keys(scenarios), ['c10_warmup', 'c10_measure_turns']);
  assert.deepEqual(windowGroups(facts, step), [{ order: 'turns', operations: ['write', 'read'], turns }]);
});

test('a step that asks for one operation has its users perform nothing else', () => {
  const { windows } = plan({ ...step, focus: true }, profile, facts);
  assert.deepEqual(
    windows.map((w) => w.turns),
    [['write'], ['write']],
  );
});

test('a workload of turns leaves out arrival rates, pipelines and counts, and has its own drive', () => {
  const steps = [
    step,
    { ...step, id: 'deep', depth: 16 },
    { ...step, id: 'open', model: 'open' },
    { id: 'counted', model: 'closed', vus: 1, operations: 100 },
  ];
  const own = stepsOf(facts, { ...profile, steps }, null);
  assert.deepEqual(
    own.map((s) => [s.id, s.drive]),
    [['c10', 'burst']],
  );
  const { drive: _, windows: __, ...others } = { ...facts, operations: { write: {}, read: {} } };
  assert.equal(stepsOf(others, { ...profile, steps }, null).length, 3);
});
