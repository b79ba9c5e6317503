/** What may stand at the address that a user gives with --endpoint, by mistake or to do harm. */
import assert from 'node:assert/strict';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { createServer as createTls } from 'node:tls';
import { hasControls } from '../controls.js';
import { askServer } from './ask.js';
import { attachExternal } from './external.js';

/** @type {Set<import('node:net').Socket>} */
const sockets = new Set();
after(() => {
  for (const socket of sockets) socket.destroy();
});

/** @param {import('node:net').Server} server @returns {Promise<number>} its port */
async function listening(server) {
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  after(() => server.close());
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

/** @param {(socket: import('node:net').Socket) => void} serve @returns {Promise<number>} */
const serving = (serve) => listening(createServer(serve));

/** @param {string | Buffer} text the answer to every question */
const answering = (text) => serving((socket) => socket.on('data', () => socket.write(text)));

/** @param {string} text @param {number} everyMs */
const dripping = (text, everyMs) =>
  serving((socket) => {
    let at = 0;
    const timer = setInterval(() => socket.write(text[at++ % text.length]), everyMs);
    socket.on('close', () => clearInterval(timer));
  });

/** @param {string} head @param {string} part repeated as fast as it is taken */
const endless = (head, part) =>
  serving((socket) =>
    socket.once('data', () => {
      socket.write(head);
      const more = () => {
        while (!socket.destroyed && socket.write(part.repeat(1000)));
      };
      socket.on('drain', more);
      more();
    }),
  );

const RESP = { ready: { tcp: { send: 'PING\r\n', expect: '+PONG\r\n' }, timeoutSec: 1 } };
const HTTP = { ready: { http: { path: '/health', status: 200 }, timeoutSec: 1 } };

/**
 * @param {typeof RESP | typeof HTTP} check
 * @param {number} port
 */
async function attach(check, port) {
  const scheme = check === HTTP ? 'http' : 'resp';
  const stack = /** @type {any} */ ({
    ...{ id: 'some', base: 'some', folder: '/nowhere' },
    manifest: { endpoint: { url: `${scheme}://{host}:{port}`, port: 1 }, ...check },
  });
  const { signal } = new AbortController();
  return attachExternal(stack, { url: `${scheme}://127.0.0.1:${port}`, signal });
}

/** @type {[string, typeof RESP | typeof HTTP, () => Promise<number>, RegExp][]} */
const STRANGERS = [
  [
    'a mail server',
    RESP,
    () => serving((s) => void s.write('220 mail ESMTP\r\n')),
    /as a mail or file server: 220 mail ESMTP\)/,
  ],
  [
    'a server of HTTP',
    RESP,
    () => listening(createHttp((_, response) => response.end())),
    /it speaks HTTP: HTTP\/1\.1 400 Bad Request\)/,
  ],
  [
    'a server of TLS',
    RESP,
    () => listening(createTls(() => {})),
    /\((it speaks TLS, which the load generator does not support|.*closed|.*ECONNRESET)\)/,
  ],
  [
    'an alert of TLS',
    RESP,
    () => answering(Buffer.from([0x15, 3, 3, 0, 2, 2, 70])),
    /\(it speaks TLS, which the load generator does not support\)/,
  ],
  ['a byte now and then', RESP, () => dripping('+PONG\r\n', 700), /does not answer at resp:[^(]*\(\+/],
  ['an endless reply', RESP, () => endless('', '-x'), /does not answer at .*…\)/],
  ['half a frame', RESP, () => serving((s) => s.on('data', () => s.end('+PO'))), /\(\+PO\)/],
  ['a frame that is none', RESP, () => answering('*-9\r\n$zz\r\n\0\u001b[31m'), /does not answer at /],
  ['silence', RESP, () => serving(() => {}), /\(no answer in 2 s\)/],
  ['a closed door', RESP, () => serving((s) => s.destroy()), /\((the connection was closed|.*ECONNRESET)\)/],
  [
    'one that wants a password',
    RESP,
    () => answering('-NOAUTH Authentication required.\r\n'),
    /\(-NOAUTH Authentication required\.\)/,
  ],
  ['a server of RESP', HTTP, () => answering('-ERR unknown command\r\n'), /it does not speak HTTP/],
  [
    'a mail server for HTTP',
    HTTP,
    () => serving((s) => void s.write('220 mail ESMTP\r\n')),
    /(it does not speak HTTP|as a mail or file server)/,
  ],
  [
    'a server of TLS for HTTP',
    HTTP,
    () => answering(Buffer.from([0x15, 3, 3, 0, 2, 2, 70])),
    /it (speaks TLS|does not speak HTTP)/,
  ],
  [
    'a redirect',
    HTTP,
    () => listening(createHttp((_, r) => r.writeHead(302, { location: 'http://other.invalid/' }).end())),
    /\(HTTP 302, to http:\/\/other\.invalid\/\)/,
  ],
  [
    'heads that never end',
    HTTP,
    () => endless('HTTP/1.1 200 OK\r\n', 'x: y\r\n'),
    /does not answer at http:/,
  ],
  [
    'a head that comes a byte now and then',
    HTTP,
    () => dripping('HTTP/1.1 200 OK\r\n\r\n', 700),
    /does not answer at http:.*\(.*(timeout|aborted)/i,
  ],
  [
    'half a head',
    HTTP,
    () => serving((s) => s.on('data', () => s.end('HTTP/1.1 200'))),
    /does not answer at http:/,
  ],
];

/** Whoever asks waits for the most part, and so all are asked at once. */
const AT_ONCE = Object.freeze({ concurrency: true, timeout: 300_000 });

test(
  'what answers at an address in another way than it is asked is one line that says what it is, and what to do',
  AT_ONCE,
  async (t) => {
    const asked = STRANGERS.map(([name, check, start, message]) =>
      t.test(name, async () => {
        const port = await start();
        await assert.rejects(attach(check, port), (/** @type {any} */ error) => {
          assert.equal(error.name, 'BenchError', error.stack);
          assert.equal(error.exitCode, 3);
          assert.match(error.message, message);
          assert.equal(hasControls(error.message), false, error.message);
          assert.ok(error.message.length < 500, `${error.message.length} characters`);
          assert.equal(error.hint, 'start it, or correct --endpoint some=URL');
          return true;
        });
      }),
    );
    await Promise.all(asked);
  },
);

test('an endless body after a right head is not read to its end', { timeout: 120_000 }, async () => {
  const port = await endless('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n', 'x');
  assert.ok(await attach(HTTP, port));
});

test('a redirect to another host is not followed', { timeout: 120_000 }, async () => {
  let asked = 0;
  const other = await serving((socket) => {
    asked++;
    socket.end();
  });
  const port = await listening(
    createHttp((_, r) => r.writeHead(307, { location: `http://127.0.0.1:${other}/` }).end()),
  );
  await assert.rejects(attach(HTTP, port), /HTTP 307/);
  assert.equal(asked, 0);
});

test(
  'an endless, slow or malformed answer to the version question counts as no answer',
  AT_ONCE,
  async (t) => {
    const resp = { resp: { version: ['some_version'] } };
    const http = { http: { path: '/', version: 'version' } };
    const own = { tcp: { send: 'version\n', version: '^ok (\\S+)$' } };
    const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n';
    /** @type {[string, object, () => Promise<number>][]} */
    const cases = [
      ['a text without end', resp, () => endless('$999999999999\r\n', 'x')],
      ['lines without end', resp, () => endless('', 'x')],
      ['a byte now and then', resp, () => dripping('$5\r\nhello\r\n', 700)],
      ['a list of a million million', resp, () => answering('*1000000000000\r\n')],
      ['lists in lists', resp, () => answering('*1\r\n'.repeat(50_000))],
      ['a size that is no number', resp, () => answering('$zz\r\nabc\r\n')],
      ['a list that is no number', resp, () => answering('*zz\r\n')],
      ['HTTP', resp, () => answering('HTTP/1.1 400 Bad Request\r\n\r\n')],
      ['an answer of its own without end', own, () => endless('', 'x')],
      ['a body without end', http, () => endless(OK, 'x')],
      ['a body a byte now and then', http, () => dripping(`${OK}{"version":"1"}`, 700)],
      ['no JSON', http, () => serving((s) => s.on('data', () => s.end(`${OK}<html>`)))],
      ['JSON that is no object', http, () => serving((s) => s.on('data', () => s.end(`${OK}null`)))],
      [
        'JSON ten thousand deep',
        http,
        () => serving((s) => s.on('data', () => s.end(`${OK}${'['.repeat(10_000)}`))),
      ],
    ];
    const asked = cases.map(([name, ask, start]) =>
      t.test(name, async () => {
        const port = await start();
        const stated = await askServer(/** @type {any} */ ({ manifest: { ask } }), {
          host: '127.0.0.1',
          port,
        });
        assert.deepEqual(stated, { version: null, settings: null });
      }),
    );
    await Promise.all(asked);
  },
);

test('what a server says of its settings is plain text of one line', async () => {
  const bulk = (/** @type {string} */ text) => `$${text.length}\r\n${text}\r\n`;
  const port = await answering(`${bulk('v:1\r\n')}*2\r\n${bulk('a')}${bulk('x\u001b[31my')}+PONG\r\n`);
  const stack = /** @type {any} */ ({
    manifest: { ask: { resp: { version: ['v'] } }, settings: { a: '1' } },
  });
  assert.deepEqual((await askServer(stack, { host: '127.0.0.1', port })).settings, { a: 'x [31my' });
});
