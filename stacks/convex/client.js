/**
 * The workload `realtime` over the HTTP API and over the sync protocol (WebSocket, JSON).
 * @import { RealtimeClient, Target, Turns } from '../../k6/types.d.ts'
 */
import http from 'k6/http';
import { converse as converseOver } from '../../k6/drives/conversation.js';

/** Version of the client whose protocol is spoken; it stands in the path of the sync protocol. */
const CLIENT_VERSION = '1.48.0';
/** All tries of a mutation met a conflict: none was committed. */
const UNDONE = ['OptimisticConcurrencyControlFailure'];
const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Documents that one page of a check reads; a query may read some thousands. */
const PAGE = 4000;
const MAX_PAGES = 100_000;

/** @param {Target} target */
export function burst({ host, port, transport }) {
  const address = `${host}:${port}`;
  if (transport === 'http') return { protocol: 'http', address, headers: JSON_TYPE, timeoutMs: 60_000 };
  return {
    protocol: 'ws',
    address,
    timeoutMs: 60_000,
    path: `/api/${CLIENT_VERSION}/sync`,
    greeting: greeting('{uuid}', transport === 'subscribed'),
    ready: '"type":"Transition"',
  };
}

/**
 * Every connection is a session of its own: the server takes a repeated (session, request) for a repetition and does
 * not run it again. An empty set of queries is answered too, which says that the session is ready.
 * @param {string} sessionId
 * @param {boolean} subscribes to the hot counter
 * @returns {string[]}
 */
function greeting(sessionId, subscribes) {
  const query = { type: 'Add', queryId: 0, udfPath: 'workload:getCounter', args: [{ name: 'c0' }] };
  return [
    {
      type: 'Connect',
      sessionId,
      connectionCount: 0,
      lastCloseReason: 'InitialConnect',
      clientTs: 0,
    },
    { type: 'ModifyQuerySet', baseVersion: 0, newVersion: 1, modifications: subscribes ? [query] : [] },
  ].map((m) => JSON.stringify(m));
}

/**
 * A new value of the hot counter; who increased it gets it too. What a session hears before the counter's first increment,
 * that there is none, tells no value.
 * @param {Target} target
 */
export function pushes({ transport }) {
  if (transport !== 'subscribed') return null;
  return { contains: '"updatedAt":', momentAfter: '"updatedAt":', perMs: 1, valueAfter: '"value":' };
}

/**
 * @param {Target} target
 * @param {unknown} _workload
 * @param {Record<string, number>} dataset
 * @returns {Record<string, Record<string, unknown>>}
 */
export function templates({ transport }, _workload, { messageBytes }) {
  const of = transport === 'http' ? httpTemplate : mutationTemplate;
  return {
    increment: { ...of('workload:increment', '{"name":"c{key}","by":1}'), tally: 'adds' },
    createMessage: of('workload:createMessage', `{"author":{stream},"body":"{uuid:${messageBytes}}"}`),
  };
}

/**
 * A function that throws answers 200 with `"status":"error"`: the body decides. What the backend itself refuses, write
 * conflicts above all, is a 503 with a `code`; over WebSocket it closes with 1013 and that code as the reason.
 * @param {string} path
 * @param {string} args
 */
function httpTemplate(path, args) {
  return {
    method: 'POST',
    path: '/api/mutation',
    body: `{"path":"${path}","args":${args},"format":"json"}`,
    status: 200,
    contains: '"status":"success"',
    failure: '"status":"error"',
    valueAfter: '"value":',
    kindAfter: '"code":"',
    notApplied: UNDONE,
  };
}

/** @param {string} path @param {string} args */
function mutationTemplate(path, args) {
  return {
    message: `{"type":"Mutation","requestId":{seq},"udfPath":"${path}","args":[${args}]}`,
    success: '"success":true',
    failure: '"success":false',
    valueAfter: '"result":',
    idAfter: '"requestId":',
    notApplied: UNDONE,
  };
}

/**
 * @param {Target} target
 * @param {Turns} turns
 * @param {Record<string, number>} dataset
 * @returns {boolean}
 */
export function converse({ host, port, transport }, turns, { messageBytes }) {
  if (transport === 'http') return false;
  converseOver(`ws://${host}:${port}/api/${CLIENT_VERSION}/sync`, '', turns, {
    greeting: greeting(crypto.randomUUID(), false),
    ready: '"type":"Transition"',
    answered: '"MutationResponse"',
    succeeded: '"success":true',
    value: /"result":(\d+)/,
    message: ({ op, key, author, text }, requestId) =>
      JSON.stringify({
        type: 'Mutation',
        requestId,
        udfPath: `workload:${op}`,
        args: [op === 'increment' ? { name: `c${key}`, by: 1 } : { author, body: text(messageBytes) }],
      }),
  });
  return true;
}

/**
 * @param {Target} target
 * @returns {RealtimeClient}
 */
export function open({ host, port }) {
  const call = (
    /** @type {'mutation' | 'query'} */ kind,
    /** @type {string} */ name,
    /** @type {object} */ args,
  ) => {
    const body = JSON.stringify({ path: `workload:${name}`, args, format: 'json' });
    return value(
      http.post(`http://${host}:${port}/api/${kind}`, body, { headers: JSON_TYPE, timeout: '30s' }),
    );
  };
  const pages = (
    /** @type {string} */ name,
    /** @type {object} */ args,
    /** @type {(row: any) => void} */ visit,
  ) => {
    /** @type {string | null} */
    let cursor = null;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = call('query', name, { ...args, paginationOpts: { numItems: PAGE, cursor } });
      for (const row of answer.rows) visit(row);
      if (answer.isDone) return;
      cursor = answer.continueCursor;
    }
    throw new Error(`${name}: more than ${MAX_PAGES} pages`);
  };
  return {
    increment: (counter, by) => call('mutation', 'increment', { name: `c${counter}`, by }),
    createMessage: (author, body) => call('mutation', 'createMessage', { author, body }),
    counters() {
      const all = new Map();
      pages('counters', {}, ({ name, value }) => all.set(Number(name.slice(1)), value));
      return all;
    },
    mark: () => call('query', 'newestMessage', {}),
    messagesAfter: (mark, visit) =>
      pages('messagesAfter', { moment: mark }, ({ author, body }) => visit(author, body)),
    close: () => {},
  };
}

/**
 * @param {import('k6/http').Response} answer
 * @returns {any}
 */
function value(answer) {
  if (answer.status === 0) throw new Error(answer.error);
  const body = /** @type {any} */ (answer.status === 200 ? answer.json() : null);
  if (body?.status === 'success') return body.value;
  throw new Error(`answered ${answer.status}: ${String(answer.body).slice(0, 200)}`);
}

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
