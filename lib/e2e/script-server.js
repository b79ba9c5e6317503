import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';

/**
 * A server that nobody here has a client for: HTTP, WebSockets and gRPC, which counts what it is asked. Scripts of k6 are
 * tried against it, and its counters say what they really did.
 */

/** As of RFC 6455. */
const ACCEPT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * @param {{tls?: {key: string, cert: string}}} [options]
 * @returns {Promise<{port: number, host: string, asked: Record<string, number>, total: () => number, stop: () => Promise<void>}>}
 *   `asked`: requests by path, `ws` and `ws-messages` of WebSockets
 */
export async function startServer({ tls } = {}) {
  /** @type {Record<string, number>} */
  const asked = {};
  const count = (/** @type {string} */ what) => {
    asked[what] = (asked[what] ?? 0) + 1;
    return asked[what];
  };
  /** @type {Set<import('node:stream').Duplex>} */
  const sockets = new Set();
  const handle = (/** @type {import('node:http').IncomingMessage} */ q, /** @type {any} */ r) =>
    answer(q, r, count);
  const server = tls ? createTlsServer(tls, handle) : createServer(handle);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket) => upgrade(request, socket, count));
  const port = await listen(server);
  return {
    port,
    host: `127.0.0.1:${port}`,
    asked,
    total: () => Object.values(asked).reduce((n, x) => n + x, 0),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** @param {import('node:net').Server} server @returns {Promise<number>} its port */
function listen(server) {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port),
    ),
  );
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {(what: string) => number} count
 */
function answer(request, response, count) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  const nth = count(pathname);
  const [, kind, argument] = pathname.split('/');
  const parts = /** @type {Buffer[]} */ ([]);
  request.on('data', (data) => parts.push(data));
  request.on('end', () => {
    const body = Buffer.concat(parts).toString();
    const send = (/** @type {number} */ status, /** @type {object} */ content, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(content));
    };
    if (kind === 'status') return send(Number(argument), { status: argument });
    if (kind === 'flaky') return send(nth % Number(argument) === 0 ? 503 : 200, { nth });
    if (kind === 'slow') return setTimeout(() => send(200, { waited: argument }), Number(argument));
    if (kind === 'redirect') return send(302, {}, { location: '/ok' });
    if (kind === 'cookie')
      return send(200, { cookie: request.headers.cookie ?? '' }, { 'set-cookie': 'seen=1' });
    if (kind === 'login') return send(200, { token: 'let-me-in' });
    if (kind === 'private') return send(request.headers.authorization === 'Bearer let-me-in' ? 200 : 401, {});
    if (kind === 'drop') return request.socket.destroy();
    if (kind === 'page') {
      response.setHeader('content-type', 'text/html');
      return response.end(
        '<html><title>Shop</title><a href="/ok">there</a><form action="/ok"></form></html>',
      );
    }
    return send(200, {
      id: nth,
      path: pathname,
      query: Object.fromEntries(searchParams),
      method: request.method,
      body,
    });
  });
}

/**
 * `/ws` says what it is told, `/ws/refused` refuses, `/ws/drop` is gone after the first message, `/ws/hello` speaks first,
 * ten times a second.
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:stream').Duplex} socket
 * @param {(what: string) => number} count
 */
function upgrade({ url, headers }, socket, count) {
  count('ws');
  socket.on('error', () => {});
  if (url === '/ws/refused') return socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
  const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${ACCEPT}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  );
  if (url === '/ws/hello') {
    const timer = setInterval(() => socket.write(frameOf(0x81, Buffer.from('hello'))), 100);
    socket.once('close', () => clearInterval(timer));
  }
  /** @type {Buffer} */
  let rest = Buffer.alloc(0);
  socket.on('data', (/** @type {Buffer} */ data) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const frame = firstFrame(rest);
      if (!frame) return;
      rest = rest.subarray(frame.bytes);
      if (frame.opcode === 8) return socket.end(frameOf(0x88, frame.payload));
      if (frame.opcode === 9) socket.write(frameOf(0x8a, frame.payload));
      if (frame.opcode > 2) continue;
      count('ws-messages');
      if (url === '/ws/drop') return socket.destroy();
      socket.write(frameOf(0x80 | frame.opcode, frame.payload));
    }
  });
}

/** @param {number} head @param {Buffer} payload shorter than 126 bytes */
function frameOf(head, payload) {
  return Buffer.concat([Buffer.from([head, payload.length]), payload]);
}

/**
 * @param {Buffer} data
 * @returns {{opcode: number, payload: Buffer, bytes: number} | null} null while it is not whole; of a client, and shorter than
 *   126 bytes
 */
function firstFrame(data) {
  if (data.length < 6) return null;
  const length = data[1] & 0x7f;
  if (data.length < 6 + length) return null;
  const payload = Buffer.from(data.subarray(6, 6 + length)).map((byte, i) => byte ^ data[2 + (i % 4)]);
  return { opcode: data[0] & 0x0f, payload: Buffer.from(payload), bytes: 6 + length };
}

/** What {@link startCalls} speaks. */
export const PROTO = `syntax = "proto3";
package shop;
message Item { int32 status = 1; }
service Shop { rpc Get (Item) returns (Item); }
`;

/**
 * gRPC without a library: `shop.Shop/Get` answers with the status that it is asked for.
 * @returns {Promise<{host: string, asked: () => number, stop: () => void}>}
 */
export async function startCalls() {
  let asked = 0;
  const server = createHttp2Server();
  /** @type {Set<import('node:http2').ServerHttp2Session>} */
  const sessions = new Set();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream) => {
    const parts = /** @type {Buffer[]} */ ([]);
    stream.on('error', () => {});
    stream.on('data', (/** @type {Buffer} */ data) => parts.push(data));
    stream.on('end', () => {
      asked++;
      // A byte and four of length, then field 1 as a number below 128.
      const status = Buffer.concat(parts)[6] ?? 0;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(status) }));
      stream.end(status === 0 ? Buffer.alloc(5) : undefined);
    });
  });
  const port = await listen(server);
  return {
    host: `127.0.0.1:${port}`,
    asked: () => asked,
    stop: () => {
      server.close();
      for (const session of sessions) session.destroy();
    },
  };
}
