import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as realtime from './realtime.js';

/** @import { Oracle } from '../types.d.ts' */

const BYTES = 40;
const COUNTERS = 10;
const SEED = 7;

/** The n-th text of a user: as the generator makes them, each says whose it is. */
const textOf = (/** @type {number} */ stream, /** @type {number} */ n) =>
  `${stream}:${n}:`.padEnd(BYTES, 'x');

/** @param {string} text */
function writerOf(text) {
  const [stream, n] = text.split(':').map(Number);
  return textOf(stream, n) === text ? { seed: SEED, stream, n } : null;
}

/** What was sent to each counter. */
function aTally() {
  const counts = {
    start: Array.from({ length: COUNTERS }, () => 0),
    sent: Array.from({ length: COUNTERS }, () => 0),
    acked: Array.from({ length: COUNTERS }, () => 0),
  };
  return {
    counts: () => counts,
    begin(/** @type {number} */ from, /** @type {number[]} */ values) {
      counts.start.splice(from, values.length, ...values);
    },
    ask(/** @type {number} */ key) {
      counts.sent[key]++;
      return (/** @type {number | null} */ value) => {
        const right = value === null || value === counts.start[key] + counts.acked[key] + 1;
        if (right) counts.acked[key]++;
        return right;
      };
    },
    share() {},
  };
}

/** @typedef {{author: number, body: string}} Message */

/**
 * A client that keeps counters and messages.
 * @param {{takesAll?: boolean, tells?: boolean, stores?: (message: Message, all: Message[]) => void, adds?: (key: number) => number}} [behaviour]
 *   `stores`: what it does with a message of the load; `adds`: which counter an increment of the load goes to
 */
function aClient({ takesAll = false, tells = true, stores, adds = (key) => key } = {}) {
  const counters = new Map();
  /** @type {Message[]} */
  const messages = [];
  return {
    messages,
    increment(/** @type {number} */ key, /** @type {number} */ by) {
      if (by < 1 && !takesAll) throw new Error('refused');
      const to = key < COUNTERS ? adds(key) : key;
      if (to >= 0) counters.set(to, (counters.get(to) ?? 0) + by);
      return tells ? (counters.get(key) ?? 0) : null;
    },
    createMessage(/** @type {number} */ author, /** @type {string} */ body) {
      if (body === '' && !takesAll) throw new Error('refused');
      if (body.length === BYTES && stores) stores({ author, body }, messages);
      else messages.push({ author, body });
    },
    counters: () => counters,
    mark: () => messages.length,
    messagesAfter(/** @type {number} */ mark, /** @type {(author: number, body: string) => void} */ visit) {
      for (const { author, body } of messages.slice(mark)) visit(author, body);
    },
    close() {},
  };
}

/**
 * Two users' load, and the check after it.
 * @param {ReturnType<typeof aClient>} client
 * @param {{doubtful?: number, counted?: boolean, wrong?: number}} [of] `doubtful`: how many of the first user's messages
 *   are in doubt and not acknowledged; `counted`: whether it is known how many were sent
 * @returns {Oracle}
 */
function load(client, { doubtful = 0, counted = true, wrong = 0 } = {}) {
  const tally = aTally();
  const context = { dataset: { messageBytes: BYTES }, tally, writersOf: () => writerOf };
  const start = realtime.before(client, context);
  for (let i = 0; i < 70; i++) realtime.perform(client, 'increment', i % COUNTERS, context, userOf(1));
  for (const user of [userOf(1), userOf(2)])
    for (let i = 0; i < 15; i++) realtime.perform(client, 'createMessage', i, context, user);
  const span = { seed: SEED, from: 0 };
  return realtime.after(client, context, start, {
    increment: { acked: 70, indeterminate: 0, wrong },
    createMessage: {
      ...{ acked: 30 - doubtful, indeterminate: doubtful },
      ...(counted
        ? { sent: [1, 2].map((stream) => ({ ...span, stream, count: 15, keys: 1, space: 1 })) }
        : {}),
      ...(doubtful > 0 ? { doubted: [{ ...span, stream: 1, count: doubtful }] } : {}),
    },
  });
}

/** @param {number} stream */
function userOf(stream) {
  let n = 0;
  return { stream, nextUuid: () => textOf(stream, n++) };
}

/** Does one thing to the tenth message, and stores the others. @param {(message: Message, all: Message[]) => void} act */
function once(act) {
  let n = 0;
  return aClient({ stores: (message, all) => (++n === 10 ? act(message, all) : all.push(message)) });
}

test('the state agrees when everything acknowledged is there, counters and messages apart', () => {
  for (const oracle of [
    load(aClient()),
    load(aClient({ tells: false })),
    load(aClient(), { counted: false }),
  ])
    assert.deepEqual(
      [oracle.ok, oracle.acked, oracle.stored, oracle.missing, oracle.surplus],
      [true, 100, 100, 0, 0],
    );
});

/** What is done to a message, and how many are missing and too many then. @type {[string, (message: Message, all: Message[]) => void, number, number][]} */
const LIES = [
  ['a lost message', () => {}, 1, 0],
  [
    'one that nobody sent in the place of another',
    (m, all) => all.push({ ...m, body: textOf(9, 9).replace('9', '0x') }),
    1,
    1,
  ],
  ['one beyond those that were sent', (m, all) => all.push({ ...m, body: textOf(m.author, 15) }), 1, 1],
  ['one that is there twice in the place of another', (_, all) => all.push({ ...all[all.length - 1] }), 1, 1],
  ['a text that is cut', (m, all) => all.push({ ...m, body: m.body.slice(0, -1) }), 1, 1],
  ['a text that is another one', (m, all) => all.push({ ...m, body: `${m.body.slice(0, -1)}y` }), 1, 1],
  ['another author', (m, all) => all.push({ ...m, author: m.author + 1 }), 1, 1],
  ['one more than was sent', (m, all) => all.push(m, { ...m }), 0, 1],
];

for (const [what, act, missing, surplus] of LIES)
  test(`messages are known by author and text: ${what} is found`, () => {
    const oracle = load(once(act));
    assert.deepEqual([oracle.ok, oracle.missing, oracle.surplus], [false, missing, surplus], oracle.detail);
    assert.match(oracle.detail, /are not there|that nobody sent/);
  });

test('counters are known by number: an increment that went to another one is found, though the sum is right', () => {
  let n = 0;
  const oracle = load(aClient({ tells: false, adds: (key) => (++n === 10 ? (key + 1) % COUNTERS : key) }));
  assert.deepEqual([oracle.ok, oracle.stored, oracle.missing, oracle.surplus], [false, 100, 1, 1]);
  assert.match(oracle.detail, /1 hold more than was sent to them, 1 less than was acknowledged/);
  assert.equal(load(aClient({ tells: false, adds: (key) => (++n % 20 === 0 ? -1 : key) })).ok, false, 'lost');
});

test('a value that a counter cannot have is a wrong answer', () => {
  const tally = aTally();
  const client = { ...aClient(), increment: () => 5 };
  const context = { dataset: { messageBytes: BYTES }, tally };
  assert.throws(
    () => realtime.perform(client, 'increment', 3, context, userOf(1)),
    /counter 3: unexpected value 5/,
  );
  const oracle = load(aClient(), { wrong: 3 });
  assert.deepEqual([oracle.ok, oracle.wrong], [false, 3]);
});

test('messages in doubt may be there or not, and hide no other one', () => {
  assert.equal(load(aClient(), { doubtful: 3 }).ok, true);
  let n = 0;
  const forgets = (/** @type {number} */ from, /** @type {number} */ to) =>
    aClient({ stores: (m, all) => (++n >= from && n <= to ? 0 : all.push(m)) });
  assert.equal(load(forgets(1, 3), { doubtful: 3 }).ok, true);
  n = 0;
  const oracle = load(forgets(4, 6), { doubtful: 3 });
  assert.deepEqual([oracle.ok, oracle.missing], [false, 3], 'those in doubt are there in their place');
});

test('a server that takes bad input, or stores other probes, does not pass the check before load', () => {
  const context = { tally: aTally() };
  assert.throws(
    () => realtime.before(aClient({ takesAll: true }), context),
    /an increment by 0 was acknowledged/,
  );
  const client = aClient();
  const create = client.createMessage;
  client.createMessage = (author, body) => create(author, body && `${body}!`);
  assert.throws(() => realtime.before(client, context), /1 messages: 7 probe!/);
});
