/**
 * Events: ingest in batches and one by one, and a mix of ingest, queries and live streams.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { Span } from 'k6/x/measure'
 * @import { EventsClient, IngestEvent, Keys, Oracle, WorkloadContext } from '../types.d.ts'
 */

export const facts = Object.freeze({
  title: 'Event ingest',
  operations: {
    batch: { main: true, writes: true, items: 'batchSize' },
    single: { items: 1 },
    /** Batches as in `batch`, beside them queries and clients of the live stream. */
    'mixed-batch': { window: 'mixed', items: 'batchSize' },
    'mixed-query': { window: 'mixed', users: 'queryClients' },
    'mixed-delivery': { window: 'mixed', users: 'streamClients', received: true },
  },
  windows: { mixed: { order: 'together' } },
  shown: { item: 'event' },
  pipelines: false,
  /** An acknowledgement waits for the disk, and with many users for their turn: long windows, few operations. */
  leadSec: 2,
  minWindowSec: 3,
  minOperations: 200,
  dataset: { batchSize: 50, queryClients: 2, streamClients: 4 },
});

const TYPES = ['click', 'view', 'error', 'metric', 'trace'];
const LEVELS = ['debug', 'info', 'warning', 'error'];
const SOURCES = 8;
const DATA_BYTES = 96;
const PAGE = 20;

/** Most events in doubt that are asked for one by one, within the minute that k6 has for it. */
const MOST_ASKED = 100_000;

/**
 * The event in one place of a batch. Sizes and the number of different names are those of a small service's log.
 * @param {number} place 0 … batchSize - 1
 * @param {{id: string, timestamp: string, session: string, data: string}} own
 * @returns {IngestEvent}
 */
export function eventOf(place, { id, timestamp, session, data }) {
  return {
    id,
    timestamp,
    source: `source-${place % SOURCES}`,
    session,
    type: TYPES[place % TYPES.length],
    level: LEVELS[place % LEVELS.length],
    payload: { n: place, data },
  };
}

/** The same event with the placeholders of the burst module in place of what differs between requests. */
export function eventTemplate(/** @type {number} */ place) {
  return eventOf(place, {
    id: '{uuid}',
    timestamp: '{now}',
    session: 'session-{stream}',
    data: `{value:${DATA_BYTES}}`,
  });
}

/** What is asked while events come in: the newest of one type. */
export const QUERY = Object.freeze({ type: TYPES[0], limit: PAGE });

/**
 * One operation of the iteration drive.
 * @param {EventsClient} client
 * @param {string} operation
 * @param {number} key
 * @param {WorkloadContext} context
 * @param {Keys} keys
 * @returns {Promise<unknown>} rejects on a wrong answer
 */
export async function perform(client, operation, key, { dataset }, keys) {
  if (operation === 'mixed-query') return client.page(QUERY);
  const timestamp = new Date().toISOString();
  const make = (/** @type {number} */ place) =>
    eventOf(place, {
      id: keys.nextUuid(),
      timestamp,
      session: 'session-iteration',
      data: keys.value(key, DATA_BYTES),
    });
  if (operation === 'single') return demand(client.single(make(0)), 'stored');
  const events = Array.from({ length: dataset.batchSize }, (_, place) => make(place));
  return demand(client.batch(events).stored, events.length);
}

/**
 * @template T
 * @param {T} got
 * @param {T} expected
 */
function demand(got, expected) {
  if (got !== expected) throw new Error(`expected ${expected}, answered ${got}`);
  return got;
}

/**
 * Before load: known events round-trip, a repeated one is reported and not stored again, and what is stored is counted.
 * @param {EventsClient} client
 * @returns {Promise<{total: number}>}
 * @throws when an answer is wrong
 */
export async function before(client) {
  const own = { timestamp: '2026-01-01T00:00:00.000Z', session: 'probe', data: 'probe' };
  const [first, second] = [0, 1].map((n) => eventOf(n, { ...own, id: crypto.randomUUID() }));
  const start = client.total();
  demand(client.single(first), 'stored');
  demand(client.single(first), 'duplicate');
  const mixed = client.batch([first, second]);
  demand(JSON.stringify(mixed.duplicates), JSON.stringify([first.id]));
  demand(mixed.stored, 1);
  for (const event of [first, second]) demandSame(client.event(event.id), event);
  demand(client.total(), start + 2);
  return { total: start + 2 };
}

/**
 * @param {IngestEvent | null} stored
 * @param {IngestEvent} sent
 */
function demandSame(stored, sent) {
  for (const field of /** @type {const} */ (['id', 'timestamp', 'source', 'session', 'type', 'level'])) {
    if (stored?.[field] !== sent[field])
      throw new Error(`${field}: sent ${sent[field]}, read ${stored?.[field]}`);
  }
  if (stored?.payload.n !== sent.payload.n || stored.payload.data !== sent.payload.data)
    throw new Error(`the payload of ${sent.id} is not what was sent`);
}

/**
 * After load: what is stored is what was acknowledged, and samples are read back. A sum would hide as many lost events
 * as there are unacknowledged ones that were stored: those are asked for by id and left out of the account.
 * @param {EventsClient} client
 * @param {WorkloadContext} context
 * @param {{total: number}} start
 * @param {Record<string, {acked: number, indeterminate: number, doubted?: Span[]}>} totals
 * @returns {Promise<Oracle>} `indeterminate`: events of which nobody could be asked
 */
export async function after(client, context, start, totals) {
  const { dataset } = context;
  /** @type {Record<string, import('../../lib/types.d.ts').OperationFacts>} */
  const sizes = facts.operations;
  let acked = 0;
  let indeterminate = 0;
  for (const [op, { items: size = 0 }] of Object.entries(sizes)) {
    const items = typeof size === 'string' ? dataset[size] : size;
    acked += (totals[op]?.acked ?? 0) * items;
    indeterminate += (totals[op]?.indeterminate ?? 0) * items;
  }
  const { total, found } = storedNow(client, doubtedIn(context, totals, indeterminate));
  const stored = total - start.total - (found ?? 0);
  const open = found === null ? indeterminate : 0;
  const problems = [
    ...(acked <= stored && stored <= acked + open ? [] : ['the number of events']),
    ...sampleProblems(client, context, indeterminate),
  ];
  const doubts = found === null ? '' : ` (of ${indeterminate} in doubt ${found} are stored)`;
  const detail = `number of stored events against acknowledged ones${doubts}; samples read back by id, and page by page`;
  return {
    ok: problems.length === 0,
    acked,
    stored,
    indeterminate: open,
    detail: problems.length === 0 ? detail : `wrong: ${problems.slice(0, 3).join('; ')}`,
  };
}

/**
 * @param {WorkloadContext} context
 * @param {Record<string, {doubted?: Span[]}>} totals
 * @param {number} indeterminate events
 * @returns {string[] | null} their ids; null where there are none, not all are known, or too many to be asked for
 */
function doubtedIn(context, totals, indeterminate) {
  const spans = Object.values(totals).flatMap(({ doubted = [] }) => doubted);
  const known = spans.reduce((sum, { count }) => sum + count, 0);
  return indeterminate > 0 && known === indeterminate && known <= MOST_ASKED ? context.uuidsOf(spans) : null;
}

/**
 * @param {EventsClient} client
 * @param {string[] | null} doubted
 * @returns {{total: number, found: number | null}} all stored events, and how many of the doubted are among them; null
 *   where that is not known, also because the server went on storing while it was asked
 */
function storedNow(client, doubted) {
  const total = client.total();
  if (!doubted) return { total, found: null };
  const found = client.countStored(doubted);
  const after = client.total();
  return { total: after, found: after === total ? found : null };
}

/**
 * Samples: the first batch of some users must be there whole, with what was sent; and paging may not repeat an id.
 * @param {EventsClient} client
 * @param {WorkloadContext} context
 * @param {number} indeterminate
 * @returns {string[]}
 */
function sampleProblems(client, context, indeterminate) {
  /** @type {string[]} */
  const problems = [];
  for (let stream = 1; stream <= Math.min(context.users, 12); stream++) {
    const keys = context.keysOf('batch', stream);
    if (!keys || client.event(keys.uuid(0)) === null) continue; // another user's, or driven by iterations
    const data = keys.value(keys.next(), DATA_BYTES);
    const size = context.dataset.batchSize;
    const stored = Array.from({ length: size }, (_, place) => client.event(keys.uuid(place)));
    const missing = stored.filter((e) => e === null).length;
    if (missing > 0) problems.push(`${missing} of a batch of ${size} are not there`);
    if (stored.some((e, place) => e && (e.payload.data !== data || e.payload.n !== place)))
      problems.push('an event is not what was sent');
    problems.push(...pageProblems(client, `session-${stream}`));
    if (stream >= 3 && indeterminate === 0) break;
  }
  return problems;
}

/**
 * @param {EventsClient} client
 * @param {string} session
 * @returns {string[]}
 */
function pageProblems(client, session) {
  const seen = new Set();
  let read = 0;
  /** @type {string | null} */
  let cursor = null;
  for (let page = 0; page < 3; page++) {
    /** @type {{events: IngestEvent[], nextCursor: string | null}} */
    const { events, nextCursor } = client.page({ session, limit: 500, ...(cursor ? { cursor } : {}) });
    for (const { id } of events) seen.add(id);
    read += events.length;
    cursor = nextCursor;
    if (cursor === null) break;
  }
  return seen.size === read ? [] : [`${read - seen.size} ids came twice`];
}
