import assert from 'node:assert/strict';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { askServer, untakenOf } from './ask.js';

/** @param {import('node:net').Server} server @returns {Promise<{host: string, port: number}>} */
async function listening(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  after(() => server.close());
  return {
    host: '127.0.0.1',
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
  };
}

/** @param {string[]} parts of the answer, each sent on its own */
const answering = (...parts) =>
  listening(
    createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', async () => {
        for (const part of parts) {
          socket.write(part);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      });
    }),
  );

/** @param {object} ask @param {Record<string, string>} [settings] @returns {any} */
const stackOf = (ask, settings) => ({ manifest: { ask, settings } });

/** @param {string} text */
const bulk = (text) => `$${text.length}\r\n${text}\r\n`;

test('a server that speaks RESP says its version and the settings that it has', async () => {
  // A name that it does not know is an empty list.
  const info = bulk('# Server\r\nown_version:2.10.1\r\ncompatible_version:4.0.0\r\n');
  const replies = `${info}*2\r\n${bulk('workers')}${bulk('8')}*0\r\n*2\r\n${bulk('write.sync')}${bulk('no')}+PONG\r\n`;
  const where = await answering(replies.slice(0, 20), replies.slice(20, 90), replies.slice(90));
  const stack = stackOf(
    { resp: { version: ['own_version', 'compatible_version'], settings: ['write.sync'] } },
    { workers: '2', unknown: 'x' },
  );
  assert.deepEqual(await askServer(stack, where), {
    version: '2.10.1',
    settings: { workers: '8', 'write.sync': 'no' },
  });
});

test('one that refuses to tell its settings tells its version all the same', async () => {
  const where = await answering(`${bulk('own_version:0.1.0\r\n')}-ERR Unknown command: CONFIG\r\n+PONG\r\n`);
  assert.deepEqual(await askServer(stackOf({ resp: { version: ['own_version'] } }, { a: '1' }), where), {
    version: '0.1.0',
    settings: null,
  });
});

test('a server that needs a password gets it first', async () => {
  /** @type {string[]} */
  const heard = [];
  const where = await listening(
    createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        heard.push(String(data));
        socket.write(`+OK\r\n${bulk('own_version:1.2.3\r\n')}*2\r\n${bulk('a')}${bulk('no')}+PONG\r\n`);
      });
    }),
  );
  assert.deepEqual(
    await askServer(stackOf({ resp: { version: ['own_version'] } }, { a: '1' }), where, ['AUTH', 'secret']),
    { version: '1.2.3', settings: { a: 'no' } },
  );
  assert.ok(
    heard.join('').startsWith('*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n*1\r\n$4\r\nINFO'),
    heard.join(''),
  );
});

const QUESTION = { tcp: { send: '7\nversion\n\n', version: '^2\nok\n\\d+\n(\\S+)\n\n' } };

test('others say their version in their own way', async () => {
  const blocks = await answering('2\nok\n5\n1.9.8\n', '\n');
  assert.deepEqual(await askServer(stackOf(QUESTION), blocks), { version: '1.9.8', settings: null });
  const http = await listening(
    createHttp((request, response) => {
      response.statusCode = request.url === '/v1/health' ? 200 : 404;
      response.end('{"nodes":[0],"package_name":"client-api","schedulable":true,"version":"2.8.3"}');
    }),
  );
  const health = { http: { path: '/v1/health', version: 'version' } };
  assert.equal((await askServer(stackOf(health), http)).version, '2.8.3');
  assert.equal((await askServer(stackOf({ http: { path: '/other' } }), http)).version, null);
  const settings = ['schedulable', 'package_name', 'other'];
  assert.deepEqual(
    await askServer(stackOf({ http: { path: '/v1/health', settings } }), http),
    { version: null, settings: { schedulable: 'true', package_name: 'client-api' } },
    'what it does not say is not there, and no number of its answer is taken for its version',
  );
});

test('who sends the question to another host has said nothing, and that host is not asked', async () => {
  let asked = 0;
  const other = await listening(
    createHttp((_request, response) => {
      asked++;
      response.end('9.9.9');
    }),
  );
  const sending = await listening(
    createHttp((_request, response) => {
      response.writeHead(302, { location: `http://${other.host}:${other.port}/` }).end();
    }),
  );
  assert.equal((await askServer(stackOf({ http: { path: '/version' } }), sending)).version, null);
  assert.equal(asked, 0);
});

test('who does not answer, or is not asked, has said nothing', async () => {
  const nothing = { version: null, settings: null };
  const gone = await listening(createServer((socket) => socket.destroy()));
  assert.deepEqual(await askServer(stackOf(QUESTION), gone), nothing);
  assert.deepEqual(await askServer(stackOf(QUESTION), { host: '127.0.0.1', port: 1 }), nothing);
  assert.deepEqual(await askServer(/** @type {any} */ ({ manifest: {} }), gone), nothing);
});

test('a setting that did not take is one that the server says otherwise', () => {
  const given = { workers: '2', compression: 'snappy', save: '', unsaid: 'x' };
  assert.deepEqual(untakenOf(given, { workers: '8', compression: 'SNAPPY', save: '""' }), [
    { setting: 'workers', given: '2', stated: '8' },
  ]);
  assert.deepEqual(untakenOf(given, null), []);
});
