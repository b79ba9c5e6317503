import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as realtime from '../workloads/realtime.js';
import { facts } from '../workloads/realtime.js';
import { scenariosOf, stepSeconds, stepsByCase, windowGroups, windowsOf } from './schedule.js';

/** @type {any} */
const profile = { warmupSec: 2, drive: 'burst', dataset: {} };
/** @type {any} */
const step = { id: 'c10', model: 'closed', vus: 10, durationSec: 8 };
const mix = { operations: ['write', 'note', 'heard'], mix: { write: 0.7, note: 0.3 }, received: ['heard'] };

test('a mix has one window, which all its operations share with the same users', () => {
  const windows = windowsOf(profile, step, mix);
  assert.deepEqual(
    windows.map((w) => [w.phase, w.operations, w.users, w.durationSec, w.mix]),
    [
      ['warmup', ['write', 'note'], 10, 2, mix.mix],
      ['measure', ['write', 'note'], 10, 8, mix.mix],
    ],
  );
  assert.deepEqual(Object.keys(scenariosOf(windows)), ['c10_warmup', 'c10_measure_write_note']);
  const [, measured] = windows;
  assert.ok(Math.abs(measured.startSec + 0.1 + 8 + 0.3 - stepSeconds(profile, step, mix)) < 1e-9);
});

test('a mix keeps its one window in the open model', () => {
  assert.deepEqual(windowGroups(mix, { ...step, model: 'open' }), [['write', 'note']]);
});

test('a kill is measured by the operation that writes', () => {
  const kill = { ...step, kill: true };
  assert.deepEqual(windowGroups({ operations: ['read', 'put'], writes: 'put' }, kill), [['put']]);
  assert.deepEqual(windowGroups({ operations: ['put', 'read'] }, kill), [['put']]);
  assert.deepEqual(windowGroups(mix, kill), [['write', 'note']]);
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

/** A client that keeps real counts, and forgets every n-th write. */
function aClient({ forgetsEvery = Number.POSITIVE_INFINITY, takesAll = false } = {}) {
  let counters = 0;
  let messages = 0;
  let writes = 0;
  const forgotten = () => ++writes % forgetsEvery === 0;
  return {
    increment(/** @type {number} */ _, /** @type {number} */ by) {
      if (by < 1 && !takesAll) throw new Error('refused');
      if (!forgotten()) counters += by;
    },
    createMessage(/** @type {number} */ _, /** @type {string} */ body) {
      if (body === '' && !takesAll) throw new Error('refused');
      if (!forgotten()) messages++;
    },
    sumOfCounters: () => counters,
    countMessages: () => messages,
    close() {},
  };
}

/** @param {ReturnType<typeof aClient>} client @param {number} [indeterminate] */
function load(client, indeterminate = 0) {
  const start = realtime.before(client);
  const keys = { value: () => 'x' };
  const context = { dataset: { messageBytes: 1 } };
  for (let i = 0; i < 70; i++) realtime.perform(client, 'increment', i, context, keys);
  for (let i = 0; i < 30; i++) realtime.perform(client, 'createMessage', i, context, keys);
  return realtime.after(client, {}, start, {
    increment: { acked: 70, indeterminate },
    createMessage: { acked: 30, indeterminate: 0 },
  });
}

test('the state agrees when everything acknowledged is there, counters and messages apart', () => {
  assert.deepEqual(load(aClient()).ok, true);
  assert.deepEqual([load(aClient()).acked, load(aClient()).stored], [100, 100]);
});

test('one lost write in fifty is found, and one that was never acknowledged too', () => {
  const lost = load(aClient({ forgetsEvery: 50 }));
  assert.equal(lost.ok, false);
  assert.match(lost.detail, /stored, 70 acknowledged/);
  const client = aClient();
  const start = realtime.before(client);
  client.increment(0, 1);
  assert.equal(realtime.after(client, {}, start, {}).ok, false);
});

test('a server that takes bad input does not pass the check before load', () => {
  assert.throws(() => realtime.before(aClient({ takesAll: true })), /an increment by 0 was acknowledged/);
});
