/**
 * Realtime: 70 % increments of counters and 30 % new messages, mixed by every user in a seeded row that is the same on
 * all systems; once on one hot counter and once spread over a thousand. Where a transport subscribes, every user also
 * follows the hot counter, and the time from commit to arrival is measured.
 *
 * Every message is known by its author and its text, which no other one has: the check of the state reads all of them, and
 * each counter.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { Sent, Span } from 'k6/x/measure'
 * @import { Keys, Oracle, RealtimeClient, WorkloadContext } from '../types.d.ts'
 */
import { strayed, sumOf } from '../counted.js';
import { answeredWrong } from './entities/expected.js';

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
  keys: { space: 'counters', tallied: true },
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
 * @param {string} operation
 * @returns {boolean} whether it adds to a counter, which its reply may tell
 */
export function adds(operation) {
  return operation === 'increment';
}

/**
 * One operation of the iteration drive.
 * @param {RealtimeClient} client
 * @param {string} operation
 * @param {number} key
 * @param {Pick<WorkloadContext, 'dataset' | 'tally'>} context
 * @param {Pick<Keys, 'stream' | 'nextUuid'>} keys
 * @returns {unknown} a wrong answer throws
 */
export function perform(client, operation, key, { dataset, tally }, keys) {
  if (!adds(operation)) return client.createMessage(keys.stream, keys.nextUuid(dataset.messageBytes));
  const mayBe = tally?.ask(key, true);
  const value = client.increment(key, 1);
  if (mayBe && !mayBe(value)) throw new Error(`counter ${key}: unexpected value ${value}`);
  return value;
}

/**
 * Before load: known values round-trip, bad input is refused, and the state that load will be added to is read.
 * @param {RealtimeClient} client
 * @param {Pick<WorkloadContext, 'tally'>} context
 * @returns {{sum: number, mark: unknown}} of the counters; and what tells messages of now from later ones
 * @throws when an answer is wrong
 */
export function before(client, { tally }) {
  const first = sumOf([...client.counters().values()]);
  const mark = client.mark();
  client.increment(PROBE_COUNTER, 1);
  client.increment(PROBE_COUNTER, 2);
  client.createMessage(7, 'probe');
  demandRefusal('an increment by 0', () => client.increment(PROBE_COUNTER, 0));
  demandRefusal('an empty message', () => client.createMessage(7, ''));
  const counters = client.counters();
  const sum = sumOf([...counters.values()]);
  /** @type {string[]} */
  const messages = [];
  client.messagesAfter(mark, (author, body) => messages.push(`${author} ${body}`));
  if (sum !== first + 3 || messages.join() !== '7 probe')
    throw new Error(
      `increments by 1 and 2 and one message made ${first} into ${sum}, and ${messages.length} messages: ${messages[0]}`,
    );
  tally?.begin(0, valuesOf(counters, tally));
  return { sum, mark: client.mark() };
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
 * @param {Map<number, number>} counters
 * @param {NonNullable<WorkloadContext['tally']>} tally
 * @returns {number[]} by key; 0 where there is none
 */
function valuesOf(counters, tally) {
  return tally.counts().start.map((_, key) => counters.get(key) ?? 0);
}

/** @typedef {{acked: number, indeterminate: number, wrong?: number, sent?: Sent[], doubted?: Span[]}} Total */

/**
 * After load: every counter holds what was acknowledged, and nothing that was never sent; every message is there once, as
 * it was sent, and no other one.
 * @param {RealtimeClient} client
 * @param {Pick<WorkloadContext, 'dataset' | 'tally' | 'writersOf'>} context
 * @param {{sum: number, mark: unknown}} start what `before` returned
 * @param {Record<string, Total>} totals
 * @returns {Oracle}
 */
export function after(client, context, start, totals) {
  const none = { acked: 0, indeterminate: 0 };
  const { increment = none, createMessage = none } = totals;
  const added = countersNow(client, context, start, increment);
  const written = messagesNow(client, context, start, createMessage);
  const { wrong: answered, told } = answeredWrong(totals);
  const problems = [...added.problems, ...written.problems];
  const wrong = added.over + written.strange + answered;
  return {
    ok: problems.length === 0 && answered === 0,
    acked: increment.acked + createMessage.acked,
    stored: added.stored + written.stored,
    indeterminate: increment.indeterminate + written.open,
    ...(wrong > 0 ? { wrong } : {}),
    missing: added.missing + written.missing,
    surplus: added.surplus + written.surplus,
    detail: `${problems.length > 0 ? `wrong: ${problems.join('; ')}` : 'each counter and each message against what was acknowledged'}${told}`,
  };
}

/**
 * @param {RealtimeClient} client
 * @param {Pick<WorkloadContext, 'tally'>} context
 * @param {{sum: number}} start
 * @param {Total} total
 */
function countersNow(client, { tally }, start, { acked, indeterminate }) {
  const counters = client.counters();
  const stored = sumOf([...counters.values()]) - start.sum;
  const { over, under, missing, surplus } = strayed(tally ? valuesOf(counters, tally) : [], tally);
  const lost = Math.max(0, acked - stored);
  const more = Math.max(0, stored - acked - indeterminate);
  return {
    ...{ stored, over },
    ...{ missing: Math.max(lost, missing ?? 0), surplus: Math.max(more, surplus ?? 0) },
    problems: [
      ...(lost + more > 0 ? [`the sum of the counters is off by ${lost + more}`] : []),
      ...(over + under > 0
        ? [
            `of ${counters.size} counters ${over} hold more than was sent to them, ${under} less than was acknowledged`,
          ]
        : []),
    ],
  };
}

/**
 * Reads all messages of the load. Those in doubt, which may be there or not, are left out of the account where it is known
 * which they are.
 * @param {RealtimeClient} client
 * @param {Pick<WorkloadContext, 'dataset' | 'writersOf'>} context
 * @param {{mark: unknown}} start
 * @param {Total} total
 */
function messagesNow(client, { dataset, writersOf }, { mark }, total) {
  const { acked, indeterminate, sent = [], doubted = [] } = total;
  const writerOf = writersOf(sent);
  const known = doubted.reduce((sum, { count }) => sum + count, 0) === indeterminate;
  const doubts = new Set(known ? doubted.flatMap(placesOf) : []);
  /** @type {Map<string, number>} */
  const ends = new Map();
  for (const { seed, stream, from, count } of sent) {
    const name = `${seed} ${stream}`;
    ends.set(name, Math.max(ends.get(name) ?? 0, from + count));
  }
  // Who is driven by iterations does not say how many there were.
  const counted = new Set(sent.map(({ seed }) => seed));
  /** @type {Set<string>} */
  const found = new Set();
  let [stored, strange, twice] = [0, 0, 0];
  client.messagesAfter(mark, (author, body) => {
    const writer = body.length === dataset.messageBytes ? writerOf(body) : null;
    const stream = `${writer?.seed} ${writer?.stream}`;
    const place = `${stream} ${writer?.n}`;
    const end = counted.has(writer?.seed ?? -1) ? (ends.get(stream) ?? 0) : Number.POSITIVE_INFINITY;
    if (!writer || writer.stream !== author || writer.n >= end) strange++;
    else if (found.has(place)) twice++;
    else if (!doubts.has(place)) stored++;
    found.add(place);
  });
  const open = known ? 0 : indeterminate;
  const missing = Math.max(0, acked - stored);
  const more = Math.max(0, stored - acked - open);
  const surplus = strange + twice + more;
  return {
    ...{ stored: stored + strange + twice, strange, open, missing, surplus },
    problems:
      missing + surplus > 0
        ? [
            `${missing} messages are not there, ${strange} are there that nobody sent or not as they were sent, ${twice} twice, ${more} unacknowledged`,
          ]
        : [],
  };
}

/** @param {Span} span @returns {string[]} */
function placesOf({ seed, stream, from, count }) {
  return Array.from({ length: count }, (_, i) => `${seed} ${stream} ${from + i}`);
}
