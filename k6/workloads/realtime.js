/**
 * Realtime: 70 % increments of counters and 30 % new messages, mixed by every user in a seeded row that is the same on
 * all systems; once on one hot counter and once spread over a thousand. Where a transport subscribes, every user also
 * follows the hot counter, and the time from commit to arrival is measured.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { Keys, Oracle, RealtimeClient } from '../types.d.ts'
 */

export const facts = Object.freeze({
  title: 'Realtime',
  operations: {
    increment: { window: 'mix', share: 0.7, writes: true },
    createMessage: { window: 'mix', share: 0.3, writes: true },
    /** Users who follow the hot counter hear of it over the connection of their load. */
    delivery: { pushed: true },
  },
  windows: { mix: { order: 'shares' } },
  pipelines: false,
  /** Hundreds of users need a moment until all of them are at work. */
  leadSec: 3,
  keys: { space: 'counters' },
  cases: {
    hot: { dataset: { counters: 1 } },
    /** Who subscribes follows the hot counter. */
    spread: { dataset: { counters: 1000 }, transports: ['http', 'ws'] },
  },
  drive: { subscribed: 'burst' },
  /** A commit that a thousand users are told of takes its time, and is answered some dozens of times a second. */
  minOperations: 300,
  /** Bytes of a message's body, and how many counters there are where no case says so. */
  dataset: { messageBytes: 120, counters: 1000 },
});

/** A counter and a body outside the measured ones, for the round trip before load. */
const PROBE_COUNTER = 4_000_000;

/**
 * One operation of the iteration drive.
 * @param {RealtimeClient} client
 * @param {string} operation
 * @param {number} key
 * @param {{dataset: Record<string, number>}} context
 * @param {Pick<Keys, 'value'>} keys
 * @returns {unknown} a wrong answer throws
 */
export function perform(client, operation, key, { dataset }, keys) {
  if (operation === 'increment') return client.increment(key, 1);
  return client.createMessage(0, keys.value(key, dataset.messageBytes));
}

/**
 * Before load: known values round-trip, bad input is refused, and the state that load will be added to is read.
 * @param {RealtimeClient} client
 * @returns {{counters: number, messages: number}}
 * @throws when an answer is wrong
 */
export function before(client) {
  const first = stateOf(client);
  client.increment(PROBE_COUNTER, 1);
  client.increment(PROBE_COUNTER, 2);
  client.createMessage(7, 'probe');
  demandRefusal('an increment by 0', () => client.increment(PROBE_COUNTER, 0));
  demandRefusal('an empty message', () => client.createMessage(7, ''));
  const now = stateOf(client);
  if (now.counters !== first.counters + 3 || now.messages !== first.messages + 1) {
    throw new Error(
      `increments by 1 and 2 and one message made ${JSON.stringify(first)} into ${JSON.stringify(now)}`,
    );
  }
  return now;
}

/**
 * @param {string} what
 * @param {() => unknown} act
 */
function demandRefusal(what, act) {
  try {
    act();
  } catch {
    return;
  }
  throw new Error(`${what} was acknowledged`);
}

/**
 * After load: counters and messages hold what was acknowledged, and nothing that was never sent.
 * @param {RealtimeClient} client
 * @param {unknown} _context
 * @param {{counters: number, messages: number}} start what `before` returned
 * @param {Record<string, {acked: number, indeterminate: number}>} totals
 * @returns {Oracle}
 */
export function after(client, _context, start, totals) {
  const now = stateOf(client);
  const parts = [
    { name: 'sum of the counters', stored: now.counters - start.counters, total: totals.increment },
    { name: 'number of messages', stored: now.messages - start.messages, total: totals.createMessage },
  ].map(({ name, stored, total = { acked: 0, indeterminate: 0 } }) => ({ name, stored, ...total }));
  const wrong = parts.filter((p) => p.stored < p.acked || p.stored > p.acked + p.indeterminate);
  const sum = (/** @type {'acked' | 'stored' | 'indeterminate'} */ key) =>
    parts.reduce((n, p) => n + p[key], 0);
  return {
    ok: wrong.length === 0,
    acked: sum('acked'),
    stored: sum('stored'),
    indeterminate: sum('indeterminate'),
    detail:
      wrong.length === 0
        ? 'sum of the counters and number of messages against acknowledged operations'
        : wrong.map((p) => `${p.name}: ${p.stored} stored, ${p.acked} acknowledged`).join('; '),
  };
}

/** @param {RealtimeClient} client */
function stateOf(client) {
  return { counters: client.sumOfCounters(), messages: client.countMessages() };
}
