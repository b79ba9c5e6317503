/**
 * The workload `realtime` over the HTTP API and over WebSocket, subprotocol v1.json.
 * @import { RealtimeClient, Target } from '../../k6/types.d.ts'
 */
import http from 'k6/http';
import { converse as converseOver } from '../../k6/drives/conversation.js';
import { DATABASE } from './names.js';

/** Messages are read by their numbers, so many at a time; after a restart some numbers are left out. */
const PAGE = 16_384;
const MOST_GAPS = 64;

const API = `/v1/database/${DATABASE}`;
const SUBPROTOCOL = 'v1.json.spacetimedb';

/** What the server says when a transaction of ours was committed or refused; only its caller gets these messages. */
const COMMITTED = '"TransactionUpdate":{"status":{"Committed"';
const REFUSED = '"TransactionUpdate":{"status":{';

/** Arguments of the reducers, with the placeholders of the burst module. */
function argumentsOf(/** @type {Record<string, number>} */ dataset) {
  return { increment: '[{key},1]', createMessage: `[{stream},"{uuid:${dataset.messageBytes}}"]` };
}

const REDUCERS = { increment: 'increment', createMessage: 'create_message' };

/** @param {Target} target */
export function burst(target) {
  const address = `${target.host}:${target.port}`;
  if (target.transport === 'http') {
    // Without a token every call would make an identity of its own.
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${newToken(target)}` };
    return { protocol: 'http', address, headers, timeoutMs: 60_000 };
  }
  const subscribes = target.transport === 'subscribed';
  return {
    protocol: 'ws',
    address,
    timeoutMs: 60_000,
    path: pathOf(subscribes),
    subprotocol: SUBPROTOCOL,
    greeting: subscribes ? [SUBSCRIPTION] : [],
    ready: subscribes ? '"InitialSubscription"' : '"IdentityToken"',
  };
}

/**
 * `confirmed`: acknowledged when it is on disk; versions before 1.4 do not know it and pass it over. `light`: what
 * others commit comes without their call.
 * @param {boolean} light
 */
function pathOf(light) {
  return `${API}/subscribe?compression=None&confirmed=true${light ? '&light=true' : ''}`;
}

const SUBSCRIPTION = JSON.stringify({
  Subscribe: { query_strings: ['SELECT * FROM counter WHERE id = 0'], request_id: 0 },
});

/**
 * The hot counter as a row: `[0,<moment of its transaction>,<value>]`.
 * @param {Target} target
 */
export function pushes({ transport }) {
  if (transport !== 'subscribed') return null;
  return {
    contains: '"TransactionUpdateLight"',
    momentAfter: '"inserts":["[0,',
    perMs: 1000,
    valueAfter: ',',
  };
}

/**
 * A reducer returns nothing: what is sent to each counter is counted, and found in the state after the load.
 * @param {Target} target
 * @param {unknown} _workload
 * @param {Record<string, number>} dataset
 * @returns {Record<string, Record<string, unknown>>}
 */
export function templates(target, _workload, dataset) {
  const of = target.transport === 'http' ? httpTemplate : callTemplate;
  return Object.fromEntries(
    Object.entries(argumentsOf(dataset)).map(([op, args]) => [
      op,
      {
        ...of(REDUCERS[/** @type {keyof typeof REDUCERS} */ (op)], args),
        ...(op === 'increment' ? { tally: 'counted' } : {}),
      },
    ]),
  );
}

/** @param {string} reducer @param {string} args */
function httpTemplate(reducer, args) {
  return { method: 'POST', path: `${API}/call/${reducer}`, body: args, status: 200 };
}

/**
 * Arguments travel as JSON inside a JSON string. A refusal carries no usable number, so replies are taken in order.
 * @param {string} reducer
 * @param {string} args
 */
function callTemplate(reducer, args) {
  const message = `{"CallReducer":{"reducer":"${reducer}","args":${JSON.stringify(args)},"request_id":{seq},"flags":0}}`;
  return { message, success: COMMITTED, failure: `${REFUSED}"Failed"` };
}

/**
 * A virtual user in k6's own JavaScript over WebSocket; over HTTP the iteration drive uses {@link open}.
 * @param {Target} target
 * @param {import('../../k6/types.d.ts').Turns} turns
 * @param {Record<string, number>} dataset
 * @returns {boolean} whether it took place: the transport has sockets
 */
export function converse(target, turns, dataset) {
  if (target.transport === 'http') return false;
  converseOver(`ws://${target.host}:${target.port}${pathOf(false)}`, SUBPROTOCOL, turns, {
    ready: '"IdentityToken"',
    succeeded: COMMITTED,
    answered: REFUSED,
    message: ({ op, key, author, text }, n) =>
      JSON.stringify({
        CallReducer: {
          reducer: REDUCERS[/** @type {keyof typeof REDUCERS} */ (op)],
          args: JSON.stringify(op === 'increment' ? [key, 1] : [author, text(dataset.messageBytes)]),
          request_id: n,
          flags: 0,
        },
      }),
  });
  return true;
}

/**
 * @param {Target} target
 * @returns {string}
 */
function newToken(target) {
  const answer = http.post(`http://${target.host}:${target.port}/v1/identity`, null, { timeout: '10s' });
  return /** @type {any} */ (right(answer).json()).token;
}

/**
 * @param {Target} target
 * @returns {RealtimeClient}
 */
export function open(target) {
  const base = `http://${target.host}:${target.port}${API}`;
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${newToken(target)}` };
  const post = (/** @type {string} */ path, /** @type {string} */ body) =>
    right(http.post(`${base}${path}`, body, { headers, timeout: '30s' }));
  const call = (/** @type {string} */ reducer, /** @type {unknown[]} */ args) =>
    post(`/call/${reducer}`, JSON.stringify(args));
  const rows = (/** @type {string} */ query) => /** @type {any} */ (post('/sql', query).json())[0].rows;
  const createMessage = (/** @type {number} */ author, /** @type {string} */ body) =>
    call(REDUCERS.createMessage, [author, body]);
  return {
    increment(counter, by) {
      call(REDUCERS.increment, [counter, by]);
      return null;
    },
    createMessage,
    counters: () =>
      new Map(rows('SELECT id, value FROM counter').map((/** @type {[number, number]} */ row) => row)),
    // The newest number of a message is that of one that is written now.
    mark() {
      const body = `mark ${crypto.randomUUID()}`;
      createMessage(0, body);
      return rows(`SELECT id FROM message WHERE body = '${body}'`)[0][0];
    },
    messagesAfter(mark, visit) {
      const [[count]] = rows(`SELECT COUNT(*) AS n FROM message WHERE id > ${mark}`);
      let read = 0;
      for (let from = mark, gaps = 0; read < count && gaps < MOST_GAPS; from += PAGE) {
        const page = rows(`SELECT author, body FROM message WHERE id > ${from} AND id <= ${from + PAGE}`);
        for (const [author, body] of page) visit(author, body);
        read += page.length;
        gaps = page.length === 0 ? gaps + 1 : 0;
      }
    },
    close: () => {},
  };
}

/**
 * @template {import('k6/http').Response} R
 * @param {R} answer
 * @returns {R}
 */
function right(answer) {
  if (answer.status === 200) return answer;
  if (answer.status === 0) throw new Error(answer.error);
  throw new Error(`the server answered ${answer.status}: ${String(answer.body).slice(0, 200)}`);
}

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
