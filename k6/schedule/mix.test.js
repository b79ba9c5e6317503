import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facts } from '../workloads/realtime.js';
import { plan } from './by-time.js';
import { windowGroups } from './facts.js';
import { stepsByCase } from './steps.js';

/** @type {any} */
const profile = { warmupSec: 2, drive: 'burst', dataset: {} };
/** @type {any} */
const step = { id: 'c10', model: 'closed', vus: 10, durationSec: 8 };
const mix = {
  operations: {
    write: { window: 'mix', share: 0.7, writes: true },
    note: { window: 'mix', share: 0.3 },
    heard: { pushed: true },
  },
  windows: { mix: { order: /** @type {const} */ ('shares') } },
};
const shares = { write: 0.7, note: 0.3 };
/** @param {any} facts @param {any} step */
const groups = (facts, step) => windowGroups(facts, step).map((g) => g.operations);

test('a mix has one window, which all its operations share with the same users', () => {
  const { windows, scenarios, seconds } = plan(step, profile, mix);
  assert.deepEqual(
    windows.map((w) => [w.phase, w.operations, w.users, w.durationSec, w.mix]),
    [
      ['warmup', ['write', 'note'], 10, 2, shares],
      ['measure', ['write', 'note'], 10, 8, shares],
    ],
  );
  assert.deepEqual(Object.keys(scenarios), ['c10_warmup', 'c10_measure_write_note']);
  const [, measured] = windows;
  assert.ok(Math.abs(measured.startSec + 0.1 + 8 + 0.3 - seconds) < 1e-9);
});

test('a mix keeps its one window in the open model', () => {
  assert.deepEqual(groups(mix, { ...step, model: 'open' }), [['write', 'note']]);
});

test('a kill is measured by the operation that writes', () => {
  const kill = { ...step, kill: true };
  assert.deepEqual(groups({ operations: { read: {}, put: { writes: true } } }, kill), [['put']]);
  assert.deepEqual(groups({ operations: { put: {}, read: {} } }, kill), [['put']]);
  assert.deepEqual(groups(mix, kill), [['write', 'note']]);
});

test('each step is measured once in each case, with its dataset', () => {
  const ids = (/** @type {string} */ transport) =>
    stepsByCase(
      /** @type {any} */ (facts),
      [step, { ...step, id: 'c10-iterations', drive: 'iteration' }],
      transport,
    ).map((s) => s.id);
  assert.deepEqual(ids('http'), ['c10-hot', 'c10-iterations-hot', 'c10-spread', 'c10-iterations-spread']);
  assert.deepEqual(ids('subscribed'), ['c10-hot'], 'only what the transport can');
  const [hot] = stepsByCase(/** @type {any} */ (facts), [step], 'ws');
  assert.deepEqual([hot.case, hot.dataset], ['hot', { counters: 1 }]);
  assert.deepEqual(stepsByCase({}, [step], 'ws'), [step], 'a workload without cases keeps its steps');
});
