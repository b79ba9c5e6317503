import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { readJson } from './body.js';
import { type Row, rowOf, rowsOf } from './event.js';
import { BATCH_BYTES, CONNECTIONS, EVENT_BYTES } from './limits.js';
import type { Memory } from './memory.js';
import { complain } from './output.js';
import { idOf, lastEventId, noParameters, pageQuery, statsMinutes } from './parameters.js';
import { Problem, problemOf } from './problem.js';
import type { Reader } from './reader.js';
import { STREAM_HEADERS, type Stream } from './stream.js';
import type { Writer } from './writer.js';

export interface Service {
  writer: Writer;
  reader: Reader;
  stream: Stream;
  synchronous: string;
  /** Seconds that a client may take to send a request; for twice as long it may take nothing of an answer. */
  patienceSec: number;
  /** Of bodies and answers. */
  memory: Memory;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The query, without its question mark. */
  search: string;
  /** What follows `/api/events/`. */
  rest: string;
}

type Handler = (service: Service, exchange: Exchange) => void;
type Methods = Record<string, Handler>;

function send(response: ServerResponse, status: number, json: string, location?: string): void {
  const headers = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(json))];
  if (location !== undefined) headers.push('Location', location);
  response.writeHead(status, headers);
  response.end(json);
}

/**
 * Sends what was read from the store; it takes its share of the memory until it is sent.
 * @throws {Problem} overloaded
 */
function sendRead({ memory }: Service, response: ServerResponse, json: string): void {
  const share = memory.share();
  response.once('close', share.release);
  share.grow(Buffer.byteLength(json));
  send(response, 200, json);
}

function sendProblem({ response }: Exchange, error: unknown, headers: Record<string, string> = {}): void {
  if (response.headersSent || response.destroyed) return;
  const problem = problemOf(error);
  if (problem.status >= 500) complain(problem.message);
  const json = problem.document();
  response.writeHead(problem.status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(json),
    ...headers,
  });
  response.end(json);
}

/** Reads a body, stores its rows and answers once they are committed. */
function store(
  { writer, memory }: Service,
  exchange: Exchange,
  limitBytes: number,
  rowsIn: (body: unknown) => Row[],
  answer: (rows: Row[], duplicates: Row[]) => void,
): void {
  noParameters(exchange.search);
  const share = memory.share();
  const refuse = (problem: unknown) => {
    share.release();
    sendProblem(exchange, problem);
  };
  readJson(exchange.request, limitBytes, share, (problem, body) => {
    if (problem !== null) {
      refuse(problem);
      return;
    }
    try {
      const rows = rowsIn(body);
      writer.submit(rows, (error, duplicates) => {
        share.release();
        if (error) sendProblem(exchange, error);
        else answer(rows, duplicates);
      });
    } catch (error) {
      refuse(error);
    }
  });
}

const createEvent: Handler = (service, exchange) =>
  store(
    service,
    exchange,
    EVENT_BYTES,
    (body) => [rowOf(body)],
    ([row], duplicates) => {
      const id = row?.id;
      if (duplicates.length > 0) send(exchange.response, 200, `{"id":"${id}","status":"duplicate"}`);
      else send(exchange.response, 201, `{"id":"${id}","status":"stored"}`, `/api/events/${id}`);
    },
  );

const createEvents: Handler = (service, exchange) =>
  store(service, exchange, BATCH_BYTES, rowsOf, (rows, duplicates) => {
    const ids = duplicates.length === 0 ? '' : `"${duplicates.map((row) => row.id).join('","')}"`;
    send(exchange.response, 200, `{"stored":${rows.length - duplicates.length},"duplicates":[${ids}]}`);
  });

const listEvents: Handler = (service, { response, search }) =>
  sendRead(service, response, service.reader.page(pageQuery(search)));

const getEvent: Handler = (service, { response, search, rest }) => {
  noParameters(search);
  const id = idOf(rest);
  const event = service.reader.event(id);
  if (event === undefined) throw new Problem('not-found', `no event has the id ${id}`);
  sendRead(service, response, event);
};

const getStats: Handler = (service, { response, search }) =>
  sendRead(service, response, service.reader.stats(statsMinutes(search)));

const streamEvents: Handler = ({ stream }, { request, response, search }) => {
  noParameters(search);
  const after = lastEventId(request.headers['last-event-id'] as string | undefined);
  if (request.method === 'HEAD') response.writeHead(200, STREAM_HEADERS).end();
  else stream.join(response, after);
};

const getHealth: Handler = ({ synchronous }, { response, search }) => {
  noParameters(search);
  send(response, 200, `{"status":"ok","synchronous":"${synchronous}"}`);
};

const ROUTES = new Map<string, Methods>([
  ['/api/events/batch', { POST: createEvents }],
  ['/api/events', { GET: listEvents, POST: createEvent }],
  ['/api/stats', { GET: getStats }],
  ['/api/stream', { GET: streamEvents }],
  ['/healthz', { GET: getHealth }],
]);
const EVENT: Methods = { GET: getEvent };
const EVENT_PATH = '/api/events/';

/** @throws {Problem} not-found */
function methodsOf(path: string): Methods {
  const methods = ROUTES.get(path);
  if (methods) return methods;
  const rest = path.startsWith(EVENT_PATH) ? path.slice(EVENT_PATH.length) : '';
  if (rest === '' || rest.includes('/')) throw new Problem('not-found', `no resource has the path ${path}`);
  return EVENT;
}

function dispatch(service: Service, request: IncomingMessage, response: ServerResponse): void {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const exchange = {
    request,
    response,
    search: mark < 0 ? '' : url.slice(mark + 1),
    rest: path.slice(EVENT_PATH.length),
  };
  try {
    const methods = methodsOf(path);
    const handler = methods[request.method === 'HEAD' ? 'GET' : (request.method ?? '')];
    if (handler) {
      handler(service, exchange);
      return;
    }
    const allowed = Object.keys(methods)
      .flatMap((m) => (m === 'GET' ? ['GET', 'HEAD'] : [m]))
      .join(', ');
    const problem = new Problem('method-not-allowed', `this resource takes ${allowed}`);
    sendProblem(exchange, problem, { Allow: allowed });
  } catch (error) {
    sendProblem(exchange, error);
  }
}

/** Ends a connection on which no request has come that could be answered in order. */
function endBroken({ code }: NodeJS.ErrnoException, socket: Duplex, { patienceSec }: Service): void {
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') {
    const line = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    socket.end(`HTTP/1.1 ${line}\r\nConnection: close\r\n\r\n`);
    return;
  }
  const json = new Problem('request-timeout', `the limit is ${patienceSec} s`).document();
  const head = `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(json)}`;
  socket.end(`HTTP/1.1 408 Request Timeout\r\n${head}\r\nConnection: close\r\n\r\n${json}`);
}

/** @returns a server that is not listening yet */
export function createService(service: Service): Server {
  const patienceMs = service.patienceSec * 1000;
  const times = {
    keepAliveTimeout: 60_000,
    headersTimeout: patienceMs,
    requestTimeout: patienceMs,
    connectionsCheckingInterval: Math.min(patienceMs / 4, 5000),
  };
  const server = createServer(times, (request, response) => {
    // While stopping, a connection ends with its answer.
    if (!server.listening) response.shouldKeepAlive = false;
    dispatch(service, request, response);
  });
  server.maxConnections = CONNECTIONS;
  // Of an answer that nobody takes; longer than for a request, whose end is an answer.
  server.setTimeout(2 * patienceMs);
  server.on('clientError', (error, socket) => endBroken(error as NodeJS.ErrnoException, socket, service));
  return server;
}
