/**
 * The least server that the workload `events` can be run against, honest or not: events in memory, no limits, no errors.
 * For tests of the driver and of its checks only.
 *
 *   node events-server.js <port> [<n>: acknowledge but do not store every n-th event, 0: none]
 *     [<port>: on which somebody else is asked what is stored, 0: nobody]
 *     [<file>: events are kept in it, and read from it at the start]
 *     [<n>: of those one in n is forgotten then, 0: none] [<lie>]
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { every } from './every.js';

const [port, dropEvery, elsewhere] = process.argv.slice(2, 5).map(Number);
const [file, forgetEvery = '0', lie] = process.argv.slice(5);
/** For an answer to a load that is lied to: it asks for no speed, and leaves the machine to what is tested beside. */
const ANSWER_MS = lie === undefined ? 0 : 25;
/** @typedef {Record<string, any>} Event */
/** @type {Map<string, Event>} */
const byId = new Map();
/** Newest last, by what they are asked for: `type click`, `session a`, `all`. @type {Map<string, Event[]>} */
const lists = new Map();
/** @type {Set<import('node:http').ServerResponse>} */
const streams = new Set();
let taken = 0;

/**
 * Lies are told to the load alone, which has no name (User-Agent), and begin when it has stored some events.
 * @typedef {object} Lie
 * @property {(events: Event[], n: number) => Event[]} [page] in place of what is right
 * @property {(events: Event[]) => Event[]} [pageOfSession] to everybody
 * @property {(event: Event, n: number) => Event[]} [store] what is stored in place of what came
 * @property {(events: Event[], n: number) => Event[]} [batch] the same of a request
 * @property {(events: Event[], n: number) => Event[]} [stream] what of a request is told
 */
const HONEST_EVENTS = 200;
const changed = (/** @type {Event[]} */ events, /** @type {(event: Event) => Event} */ change) =>
  events.map((event) => ({ ...event, ...change(event) }));
const cut = (/** @type {Event} */ event) => ({
  payload: { ...event.payload, data: String(event.payload.data).slice(0, 3) },
});
const invented = (/** @type {Event} */ event) => ({ ...event, id: randomUUID() });
/** @type {{at: number, events: Event[]}[]} */
const earlier = [];
/** @type {Event[]} */
let held = [];

/** @type {Record<string, Lie>} */
const LIES = {
  none: {},
  // By value.
  'page-empty': { page: () => [] },
  'page-one': { page: (events) => events.map(() => events[0]) },
  'page-type': { page: (events) => changed(events, () => ({ type: 'view' })) },
  'page-cut': { page: (events) => changed(events, cut) },
  'page-session': { page: (events) => changed(events, () => ({ session: 'session-1' })) },
  'page-invented': { page: (events) => [...events.slice(0, -1), invented(events[0])] },
  'page-half': {
    page: (events) => [...events.filter((_, i) => i % 2 === 0), ...events.slice(events.length / 2)],
  },
  'page-short': { page: (events) => events.slice(0, events.length / 2) },
  'page-rare': { page: (events, n) => (every(n, 10) ? changed(events, cut) : events) },
  'sessions-half': { pageOfSession: (events) => events.filter((_, i) => i % 2 === 0) },
  'stored-cut': { store: (event) => changed([event], cut) },
  'stored-level': { store: (event) => changed([event], () => ({ level: 'debug' })) },
  'stored-source': { store: (event) => changed([event], () => ({ source: 'source-0' })) },
  'stored-session': { store: (event) => changed([event], () => ({ session: 'session-1' })) },
  'stored-time': { store: (event) => changed([event], () => ({ timestamp: '2026-01-01T00:00:00.000Z' })) },
  'stream-cut': { stream: (events) => changed(events, cut) },
  // By order and time.
  'page-oldest': { page: (events) => [...events].reverse() },
  'page-swapped': { page: ([a, b, ...rest]) => (rest.length > 0 ? [...rest, a, b] : [a, b].filter(Boolean)) },
  'page-stale': {
    page: (events) => {
      const now = Date.now();
      earlier.push({ at: now, events });
      while (earlier.length > 1 && earlier[1].at < now - 500) earlier.shift();
      return earlier[0].events;
    },
  },
  'stream-swapped': { stream: (events) => [...events].reverse() },
  // By loss.
  'loses-some': { store: (event, n) => (every(n, 100) ? [] : [event]) },
  'loses-last': {
    batch: (events) => {
      const before = held;
      held = events;
      return before;
    },
  },
  'replaces-batch': { batch: (events, n) => (every(n, 50) ? events.map(invented) : events) },
  'replaces-event': { store: (event, n) => [every(n, 50) ? invented(event) : event] },
  doubles: { store: (event, n) => (every(n, 50) ? [event, invented(event)] : [event]) },
  'stream-loses': { stream: (events, n) => (every(n, 10) ? [] : events) },
  'stream-loses-event': { stream: (events) => events.slice(1) },
  'stream-doubles': { stream: (events, n) => (every(n, 10) ? [...events, ...events] : events) },
};
const told = LIES[lie ?? 'none'];
if (!told) throw new Error(`no lie "${lie}"`);
/** @type {Record<string, number>} */
const counts = {};
const counted = (/** @type {string} */ kind) => {
  counts[kind] = (counts[kind] ?? 0) + 1;
  return counts[kind];
};

/** @param {Event} event @returns {Event} as it is stored from now on */
function keep(event) {
  /** @type {Event} */
  const stored = { sequence: byId.size + 1, ...event };
  byId.set(event.id, stored);
  for (const name of ['all', `type ${event.type}`, `session ${event.session}`]) {
    const list = lists.get(name) ?? [];
    lists.set(name, list);
    let at = list.length;
    while (at > 0 && list[at - 1].timestamp > stored.timestamp) at--;
    list.splice(at, 0, stored);
  }
  return stored;
}

if (file && existsSync(file)) {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  for (const [i, line] of lines.entries())
    if (forgetEvery === '0' || (i + 1) % Number(forgetEvery) !== 0) keep(JSON.parse(line));
}

/** @param {Event[]} events of one request @param {boolean} underLoad @returns {Event[]} those that were there already */
function take(events, underLoad) {
  const lies = underLoad && byId.size > HONEST_EVENTS;
  const duplicates = events.filter((event) => byId.has(event.id));
  let kept = events.filter((event) => !byId.has(event.id) && !(dropEvery && ++taken % dropEvery === 0));
  if (lies && told.batch) kept = told.batch(kept, counted('batch'));
  if (lies && told.store) kept = kept.flatMap((event) => told.store?.(event, counted('event')) ?? []);
  let news = kept.map(keep);
  if (file) for (const event of kept) appendFileSync(file, `${JSON.stringify(event)}\n`);
  if (lies && told.stream) news = told.stream(news, counted('stream'));
  const text = news.map((event) => `id: ${event.sequence}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  for (const stream of streams) stream.write(text);
  return duplicates;
}

/** @param {string} path @param {any} body @param {boolean} underLoad @returns {[number, object]} */
function post(path, body, underLoad) {
  if (path === '/api/events')
    return take([body], underLoad).length === 0
      ? [201, { status: 'stored' }]
      : [200, { status: 'duplicate' }];
  const duplicates = take(body.events, underLoad).map((event) => event.id);
  return [200, { stored: body.events.length - duplicates.length, duplicates }];
}

/** @param {URL} url @param {boolean} underLoad @returns {[number, object]} */
function get({ pathname, searchParams }, underLoad) {
  if (pathname === '/ready') return [200, { status: 'ok' }];
  if (pathname === '/api/stats') return [200, { events: byId.size }];
  if (pathname === '/api/events') {
    const [by] = ['type', 'session'].filter((name) => searchParams.has(name));
    const list = lists.get(by ? `${by} ${searchParams.get(by)}` : 'all') ?? [];
    const end = list.length - Number(searchParams.get('cursor') ?? 0);
    const from = Math.max(0, end - Number(searchParams.get('limit')));
    let events = list.slice(from, end).reverse();
    if (by === 'session' && told.pageOfSession) events = told.pageOfSession(events);
    if (underLoad && told.page && byId.size > HONEST_EVENTS) events = told.page(events, counted('page'));
    return [200, { events, nextCursor: from > 0 ? String(list.length - from) : null }];
  }
  const event = byId.get(pathname.slice('/api/events/'.length));
  return event ? [200, event] : [404, {}];
}

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://local');
  const underLoad = request.headers['user-agent'] === undefined;
  const answer = (/** @type {[number, object]} */ [status, body]) => {
    const text = JSON.stringify(body);
    const send = () =>
      response
        .writeHead(status, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        })
        .end(text);
    if (underLoad && ANSWER_MS > 0) setTimeout(send, ANSWER_MS);
    else send();
  };
  if (url.pathname === '/api/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    streams.add(response);
    request.on('close', () => streams.delete(response));
    return;
  }
  if (request.method !== 'POST' && elsewhere && url.pathname !== '/ready') {
    response.writeHead(302, { location: `http://127.0.0.1:${elsewhere}${url.pathname}` }).end();
    return;
  }
  if (request.method !== 'POST') return answer(get(url, underLoad));
  /** @type {Buffer[]} */
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => answer(post(url.pathname, JSON.parse(Buffer.concat(parts).toString()), underLoad)));
}).listen(port, '127.0.0.1');
