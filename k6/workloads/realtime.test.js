import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as realtime from './realtime.js';

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
