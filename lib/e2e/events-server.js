/**
 * The least server that the workload `events` can be run against, honest or not: events in memory, no limits, no errors.
 * For tests of the driver and of its checks only.
 *
 *   node events-server.js <port> [<n>: acknowledge but do not store every n-th event, 0: none]
 *     [<port>: on which somebody else is asked what is stored, 0: nobody]
 *     [<file>: events are kept in it, and read from it at the start]
 *     [<n>: of those one in n is forgotten then, 0: none]
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, dropEvery, elsewhere] = process.argv.slice(2, 5).map(Number);
const [file, forgetEvery = '0'] = process.argv.slice(5);
/** @type {Map<string, any>} */
const byId = new Map();
/** @type {Set<import('node:http').ServerResponse>} */
const streams = new Set();
let taken = 0;

/** @param {any} event @returns {any} as it is stored from now on */
function keep(event) {
  const stored = { sequence: byId.size + 1, ...event };
  byId.set(event.id, stored);
  return stored;
}

if (file && existsSync(file)) {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  for (const [i, line] of lines.entries())
    if (forgetEvery === '0' || (i + 1) % Number(forgetEvery) !== 0) keep(JSON.parse(line));
}

/** @param {any} event @returns {boolean} whether it was new */
function take(event) {
  if (byId.has(event.id)) return false;
  taken++;
  if (dropEvery && taken % dropEvery === 0) return true;
  const stored = keep(event);
  if (file) appendFileSync(file, `${JSON.stringify(event)}\n`);
  for (const stream of streams) stream.write(`id: ${stored.sequence}\ndata: ${JSON.stringify(stored)}\n\n`);
  return true;
}

/** @param {string} path @param {any} body @returns {[number, object]} */
function post(path, body) {
  if (path === '/api/events')
    return take(body) ? [201, { status: 'stored' }] : [200, { status: 'duplicate' }];
  const duplicates = body.events
    .filter((/** @type {any} */ e) => !take(e))
    .map((/** @type {any} */ e) => e.id);
  return [200, { stored: body.events.length - duplicates.length, duplicates }];
}

/** @param {URL} url @returns {[number, object]} */
function get({ pathname, searchParams }) {
  if (pathname === '/ready') return [200, { status: 'ok' }];
  if (pathname === '/api/stats') return [200, { events: byId.size }];
  if (pathname === '/api/events') {
    const limit = Number(searchParams.get('limit'));
    const session = searchParams.get('session');
    const from = Number(searchParams.get('cursor') ?? 0);
    if (!session) return [200, { events: [...byId.values()].slice(0, limit), nextCursor: null }];
    const all = [...byId.values()].filter((e) => e.session === session);
    const next = from + limit < all.length ? String(from + limit) : null;
    return [200, { events: all.slice(from, from + limit), nextCursor: next }];
  }
  const event = byId.get(pathname.slice('/api/events/'.length));
  return event ? [200, event] : [404, {}];
}

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://local');
  const answer = (/** @type {[number, object]} */ [status, body]) => {
    const text = JSON.stringify(body);
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
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
  if (request.method !== 'POST') return answer(get(url));
  /** @type {Buffer[]} */
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => answer(post(url.pathname, JSON.parse(Buffer.concat(parts).toString()))));
}).listen(port, '127.0.0.1');
