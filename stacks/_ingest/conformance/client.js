import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';

/**
 * @typedef {{name: string, run: (server: Server) => Promise<void>}} Case one test of the contract
 * @typedef {{status: number, headers: Headers, text: string, json: any}} Answer
 * @typedef {ReturnType<typeof connect>} Server
 */

/** Names that no other test and no other run uses. */
export function fresh(/** @type {string} */ what) {
  return `${what}-${randomUUID().slice(0, 8)}`;
}

/**
 * @param {Record<string, unknown>} [over] fields; undefined leaves one out
 * @returns {Record<string, any>} a valid event
 */
export function event(over = {}) {
  const whole = {
    id: randomUUID(),
    timestamp: '2026-03-01T12:00:00.000Z',
    source: 'parity',
    session: 'parity',
    type: 'parity',
    level: 'info',
    payload: { n: 1 },
    ...over,
  };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
}

/**
 * @param {number} count
 * @param {(i: number) => Record<string, unknown>} [over]
 */
export function events(count, over = () => ({})) {
  return Array.from({ length: count }, (_, i) => event(over(i)));
}

/**
 * @param {string} url of a server
 */
export function connect(url) {
  /**
   * @param {string} path
   * @param {RequestInit} [init]
   * @returns {Promise<Answer>}
   */
  const call = async (path, init) => {
    const signal = AbortSignal.timeout(20_000);
    const response = await fetch(`${url}${path}`, { redirect: 'manual', signal, ...init });
    const text = await response.text();
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  };
  /**
   * @param {string} path
   * @param {BodyInit} body as it is
   * @param {Record<string, string>} [headers]
   */
  const post = (path, body, headers = { 'content-type': 'application/json' }) =>
    call(path, { method: 'POST', body, headers });
  return {
    url,
    call,
    post,
    one: (/** @type {unknown} */ body) => post('/api/events', JSON.stringify(body)),
    batch: (/** @type {unknown[]} */ list) => post('/api/events/batch', JSON.stringify({ events: list })),
    get: (/** @type {string} */ path) => call(path),
    page: (/** @type {Record<string, string | number>} */ query) =>
      call(`/api/events?${new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]))}`),
  };
}

/**
 * An answer that is a problem document of this kind.
 * @param {Answer} answer
 * @param {number} status
 * @param {string} kind
 * @param {string} [pointer]
 */
export function assertProblem({ status: got, headers, json }, status, kind, pointer) {
  assert.equal(got, status, JSON.stringify(json));
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json\b/);
  assert.equal(json.type, `urn:ingest:problem:${kind}`);
  assert.equal(json.status, status);
  assert.ok(json.title.length > 0 && json.detail.length > 0);
  assert.equal(json.pointer, pointer);
}

/**
 * @typedef {{id: number, event: any}} Message
 * @typedef {{take: (count: number) => Promise<Message[]>, ended: Promise<void>, close: () => void}} Stream
 */

/**
 * @param {Server} server
 * @param {{lastEventId?: number}} [options]
 * @returns {Promise<Stream>} once the head of the answer is here
 */
export function openStream({ url }, { lastEventId } = {}) {
  const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': String(lastEventId) };
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/api/stream`, { headers, agent: false });
    request.once('error', reject);
    request.once('response', (response) => {
      assert.equal(response.statusCode, 200);
      assert.match(response.headers['content-type'] ?? '', /^text\/event-stream\b/);
      resolve(reading(response, () => request.destroy()));
    });
    request.end();
  });
}

/**
 * @param {import('node:http').IncomingMessage} response
 * @param {() => void} close
 * @returns {Stream}
 */
function reading(response, close) {
  /** @type {Message[]} */
  const messages = [];
  let wake = () => {};
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (text) => {
    const parts = (rest + text).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(part) ?? [];
      if (id !== undefined) messages.push({ id: Number(id), event: JSON.parse(data) });
    }
    wake();
  });
  const ended = new Promise((resolve) => {
    response.once('error', resolve);
    response.once('close', resolve);
  });
  const take = async (/** @type {number} */ count) => {
    const until = Date.now() + 15_000;
    while (messages.length < count) {
      assert.ok(Date.now() < until, `${messages.length} of ${count} messages came`);
      await new Promise((resolve) => {
        wake = () => resolve(undefined);
        setTimeout(resolve, 100);
      });
    }
    return messages.splice(0, count);
  };
  return { take, close, ended: ended.then(() => {}) };
}
