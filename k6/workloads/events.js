/**
 * Events: ingest in batches and one by one, and a mix of ingest, queries and live streams.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { Sent, Span } from 'k6/x/measure'
 * @import { EventsClient, IngestEvent, Keys, Oracle, Origin, WorkloadContext } from '../types.d.ts'
 */
import { answeredWrong } from './entities/expected.js';

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
export async function perform(client, operation, key, { dataset, checksAnswers }, keys) {
  if (operation === 'mixed-query') {
    const page = client.page(QUERY);
    if (!checksAnswers) return page;
    const { events } = page;
    return demand(events.length > 0 && events.every((event) => event.type === QUERY.type), true);
  }
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
 * @returns {Promise<{total: number, at: string}>}
 * @throws when an answer is wrong
 */
export async function before(client) {
  const at = new Date().toISOString();
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
  return { total: start + 2, at };
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
  if (stored?.payload?.n !== sent.payload.n || stored.payload.data !== sent.payload.data)
    throw new Error(`the payload of ${sent.id} is not what was sent`);
}

/** The clocks of several generators may be apart by so much. */
const CLOCKS_MS = 60_000;

/**
 * What is wrong with one event, as somebody was told of it: all but its moment follows from its id.
 * @param {IngestEvent | null} event
 * @param {{whose: (uuid: string) => Origin | null, dataset: Record<string, number>, since: string}} known `since`: older
 *   events may be of another load
 * @returns {string | null}
 */
function eventProblem(event, { whose, dataset, since }) {
  if (!event?.id) return 'an event without an id';
  const origin = whose(event.id);
  if (!origin) return event.timestamp >= since ? 'an event that nobody sent' : null;
  // Its moment is when it was sent, and other machines' clocks may be apart.
  if (Date.parse(event.timestamp) < Date.parse(since) - CLOCKS_MS) return 'an event of before the load';
  const { stream, n, value } = origin;
  const size = sizeOf(origin.op, dataset);
  const sent = eventOf(n % size, {
    ...{ id: event.id, timestamp: event.timestamp, session: `session-${stream}` },
    data: value(Math.floor(n / size), DATA_BYTES),
  });
  try {
    demandSame(event, sent);
    return null;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * @param {string} op
 * @param {Record<string, number>} dataset
 * @returns {number} events of an operation
 */
function sizeOf(op, dataset) {
  /** @type {Record<string, import('../../lib/types.d.ts').OperationFacts>} */
  const operations = facts.operations;
  const { items = 0 } = operations[op];
  return typeof items === 'string' ? dataset[items] : items;
}

/**
 * What is wrong with the newest events of a filter: one that is not what was sent, an id that comes twice, another order
 * than theirs, or a gap: of a batch, which is stored whole, all that the filter takes are there, but of the oldest one.
 * @param {IngestEvent[]} events
 * @param {Parameters<typeof eventProblem>[1] & {takes: (place: number) => boolean}} known
 * @returns {string | null}
 */
function pageProblem(events, known) {
  const { whose, dataset, takes } = known;
  /** @type {Map<string, {found: number, wanted: number, timestamp: string}>} */
  const batches = new Map();
  const oldest = events[events.length - 1]?.timestamp ?? '';
  if (new Set(events.map((event) => event?.id)).size < events.length) return 'an id comes twice';
  for (const [at, event] of events.entries()) {
    const problem = eventProblem(event, known);
    if (problem) return problem;
    const next = events[at + 1];
    if (next && !(event.timestamp > next.timestamp || isLater(event, next)))
      return 'the newest events do not come first';
    const origin = whose(event.id);
    if (!origin) continue;
    const size = sizeOf(origin.op, dataset);
    if (!takes(origin.n % size)) return 'an event that was not asked for';
    const name = `${origin.op} ${origin.stream} ${Math.floor(origin.n / size)}`;
    const batch = batches.get(name) ?? {
      found: 0,
      wanted: wantedOf(size, takes),
      timestamp: event.timestamp,
    };
    batch.found++;
    batches.set(name, batch);
  }
  for (const { found, wanted, timestamp } of batches.values())
    if (timestamp > oldest && found < wanted)
      return `${wanted - found} events of a batch are missing in a page`;
  return null;
}

/** @param {IngestEvent} event @param {IngestEvent} next */
function isLater(event, next) {
  return (
    event.timestamp === next.timestamp &&
    (event.sequence === undefined || Number(event.sequence) > Number(next.sequence))
  );
}

/** @param {number} size @param {(place: number) => boolean} takes */
function wantedOf(size, takes) {
  return Array.from({ length: size }, (_, place) => place).filter(takes).length;
}

/** Clocks that are held against each other may be apart by so much. */
const APART_MS = 50;

/**
 * What is wrong with replies that were kept under the load.
 * @param {{op: string, body: string, newestMs: number | null}[]} samples
 * @param {WorkloadContext} context
 * @param {Record<string, {acked: number, sent?: Sent[]}>} totals
 * @param {{at: string}} start without a warm-up a page may reach back to what was stored before it
 * @returns {{op: string, problem: string}[]}
 */
export function judge(samples, { dataset, sendersOf }, totals, { at }) {
  const whose = sendersOf(totals);
  if (!whose) return [];
  const known = {
    whose,
    dataset,
    since: at,
    takes: (/** @type {number} */ place) => place % TYPES.length === 0,
  };
  const isFull = (totals.batch?.acked ?? 0) * wantedOf(dataset.batchSize, known.takes) >= PAGE;
  return samples.flatMap(({ op, body, newestMs }) => {
    const problem = op === 'mixed-query' ? queried(body, newestMs) : streamed(body);
    return problem === null ? [] : [{ op, problem }];
  });

  /** @param {string} body @param {number | null} newestMs */
  function queried(body, newestMs) {
    const events = parsed(body)?.events;
    if (!Array.isArray(events) || (isFull && events.length !== PAGE))
      return `a page of ${events?.length} events in place of ${PAGE}`;
    if (newestMs !== null && !(Date.parse(events[0]?.timestamp) >= newestMs - APART_MS))
      return 'a page is older than what had been acknowledged when it was asked for';
    return pageProblem(events, known);
  }

  /** @param {string} body */
  function streamed(body) {
    return eventProblem(parsed(body), known);
  }
}

/** @param {string} text @returns {any} null for what is no JSON */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * After load: what is stored is what was acknowledged, and samples are read back. A sum would hide as many lost events
 * as there are unacknowledged ones that were stored: those are asked for by id and left out of the account. Nor does it
 * tell lost events that others have taken the place of: some of all are asked for by id, and held against what was sent.
 * @param {EventsClient} client
 * @param {WorkloadContext} context
 * @param {{total: number, at: string}} start
 * @param {Record<string, {acked: number, indeterminate: number, failed: number, wrong?: number, sent?: Sent[], doubted?: Span[]}>} totals
 * @returns {Promise<Oracle>} `indeterminate`: events of which nobody could be asked
 */
export async function after(client, context, start, totals) {
  const { dataset } = context;
  let acked = 0;
  let indeterminate = 0;
  for (const op of Object.keys(facts.operations)) {
    acked += (totals[op]?.acked ?? 0) * sizeOf(op, dataset);
    indeterminate += (totals[op]?.indeterminate ?? 0) * sizeOf(op, dataset);
  }
  const { total, found } = storedNow(client, doubtedIn(context, totals, indeterminate));
  const stored = total - start.total - (found ?? 0);
  const open = found === null ? indeterminate : 0;
  const problems = [
    ...(acked <= stored && stored <= acked + open ? [] : ['the number of events']),
    ...sampleProblems(client, context, start, totals),
  ];
  // An id that no operation was acknowledged for makes a gap in the stream, too.
  const { 'mixed-batch': mixed, 'mixed-delivery': delivered, ...others } = totals;
  const { wrong, told } = answeredWrong({
    ...others,
    ...(mixed?.failed ? {} : { delivered: delivered ?? {} }),
  });
  const doubts = found === null ? '' : ` (of ${indeterminate} in doubt ${found} are stored)`;
  const detail = `number of stored events against acknowledged ones${doubts}; samples read back by id, and page by page`;
  const first = context.problems?.[0];
  return {
    ok: problems.length === 0 && wrong === 0,
    acked,
    stored,
    indeterminate: open,
    ...(wrong > 0 ? { wrong } : {}),
    detail: `${problems.length === 0 ? detail : `wrong: ${problems.slice(0, 3).join('; ')}`}${told}${first ? `: ${first}` : ''}`,
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

/** So many events are asked for by id, and so many batches whole. */
const ASKED = 1500;
const WHOLE = 10;

/** Sessions that are read page by page: so many, and so many pages. */
const SESSIONS = 3;
const PAGES = 3;

/**
 * Samples: events of all operations, the first and the last ones among them, must be there with what was sent; and pages
 * must have all of them, in order.
 * @param {EventsClient} client
 * @param {WorkloadContext} context
 * @param {{at: string}} start
 * @param {Record<string, {failed: number, sent?: Sent[]}>} totals
 * @returns {string[]}
 */
function sampleProblems(client, context, { at }, totals) {
  const { dataset } = context;
  const whose = context.sendersOf(totals);
  if (!whose) return []; // driven by iterations
  const known = { whose, dataset, since: at, takes: () => true };
  /** @type {Map<string, number>} */
  const problems = new Map();
  const found = (/** @type {string | null} */ problem) => {
    if (problem !== null) problems.set(problem, (problems.get(problem) ?? 0) + 1);
  };
  const failed = Object.values(totals).some((total) => total.failed > 0);
  const ids = context.uuidsOf(chosenSpans(totals, dataset));
  for (const event of client.events(ids)) {
    if (event !== null) found(eventProblem(event, known));
    else if (!failed) found('an acknowledged event is not there');
  }
  const streams = new Set(Object.values(totals).flatMap(({ sent = [] }) => sent.map((s) => s.stream)));
  for (const stream of [...streams].slice(0, SESSIONS))
    found(pageProblem(pagesOf(client, { session: `session-${stream}` }), known));
  found(pageProblem(pagesOf(client, {}), known));
  return [...problems].map(([problem, times]) => (times === 1 ? problem : `${problem} (${times} times)`));
}

/**
 * Places in the sequences of ids: the first and the last operation of each, others spread over all, and some whole ones.
 * @param {Record<string, {sent?: Sent[]}>} totals
 * @param {Record<string, number>} dataset
 * @returns {Span[]}
 */
function chosenSpans(totals, dataset) {
  const all = Object.entries(totals).flatMap(([op, { sent = [] }]) =>
    sent.map((span) => ({
      ...span,
      size: sizeOf(op, dataset),
      operations: span.count / sizeOf(op, dataset),
    })),
  );
  const sum = all.reduce((n, span) => n + span.operations, 0);
  const each = Math.max(1, Math.floor(sum / ASKED));
  /** @type {Span[]} */
  const chosen = [];
  let at = 0;
  let whole = 0;
  for (const { seed, stream, from, size, operations } of all) {
    for (let i = 0; i < operations; i++, at++) {
      const isEdge = i === 0 || i >= operations - 1;
      if (at % each !== 0 && !(isEdge && chosen.length < 2 * ASKED)) continue;
      // A place of its own in each batch; and all places of some.
      const isWhole = isEdge && i > 0 && whole++ < WHOLE;
      const place = (i * 7919 + stream * 104_729) % size;
      chosen.push({ seed, stream, from: from + i * size + (isWhole ? 0 : place), count: isWhole ? size : 1 });
    }
  }
  return chosen;
}

/**
 * @param {EventsClient} client
 * @param {Record<string, string>} filter
 * @returns {IngestEvent[]} of the first pages
 */
function pagesOf(client, filter) {
  /** @type {IngestEvent[]} */
  const all = [];
  /** @type {string | null} */
  let cursor = null;
  for (let page = 0; page < PAGES; page++) {
    /** @type {{events: IngestEvent[], nextCursor: string | null}} */
    const { events, nextCursor } = client.page({ ...filter, limit: 500, ...(cursor ? { cursor } : {}) });
    all.push(...events);
    cursor = nextCursor;
    if (cursor === null) break;
  }
  return all;
}
