import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { namedByGiven } from '../../lib/engines/given.js';
import { addressIn, answererOf, askMongo } from './database.js';

/** What FerretDB 1.24.0 answered to `buildInfo`, as bytes of BSON; lists of its features left out. */
const FERRETDB =
  '\x02version\0\x07\0\0\x007.0.42\0' +
  '\x02gitVersion\0\x08\0\0\0unknown\0' +
  '\x04modules\0\x05\0\0\0\0' +
  '\x10bits\0\x40\0\0\0' +
  '\x08debug\0\0' +
  '\x02ferretdbVersion\0\x08\0\0\0unknown\0' +
  '\x01ok\0\0\0\0\0\0\0\xf0\x3f';

/**
 * A server that answers every message with one document, in two pieces.
 * @param {import('node:test').TestContext} t
 * @param {string} fields
 */
async function serverOf(t, fields) {
  const document = Buffer.from(`....${fields}\0`, 'latin1');
  document.writeInt32LE(document.length, 0);
  const head = Buffer.alloc(21);
  for (const [i, value] of [21 + document.length, 9, 1, 2013, 0].entries()) head.writeInt32LE(value, i * 4);
  const asked = /** @type {Buffer[]} */ ([]);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      asked.push(data);
      socket.write(head.subarray(0, 3));
      setTimeout(() => socket.write(Buffer.concat([head.subarray(3), document])), 10);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  t.after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `mongodb://127.0.0.1:${port}`, asked };
}

/** @param {string} url @returns {import('../../lib/types.d.ts').Stack} */
function onDatabase(url) {
  const companion = {
    name: 'mongo',
    url,
    given: { env: 'MONGO_URI', product: { name: 'MongoDB', ask: [process.execPath, '{stack}/database.js'] } },
  };
  return {
    id: 'alpha',
    base: 'alpha',
    variant: 'default',
    folder: import.meta.dirname,
    manifest: {
      title: 'Alpha, MongoDB',
      origin: 'reference',
      workloads: {},
      durability: { policy: 'fsync', meaning: 'in the journal of MongoDB' },
      settings: { cache: '1' },
      traits: { storage: 'one mongod' },
      promises: [{ title: 'none', metric: 'failures', load: { workload: 'w', users: 1 }, atMost: 0 }],
      native: { start: ['alpha'], companions: [companion] },
      endpoint: { url: 'http://{host}:{port}', port: 1 },
      ready: { command: ['true'], timeoutSec: 1 },
    },
  };
}

test('a database that answers for MongoDB is called what it is, and promises nothing of MongoDB’s', async (t) => {
  const { url, asked } = await serverOf(t, FERRETDB);
  const [{ manifest }] = await namedByGiven([onDatabase(url)]);
  assert.match(asked[0].toString('latin1'), /buildInfo.*\$db.*admin/s);
  assert.equal(asked[0].readInt32LE(0), asked[0].length, 'a message says how long it is');
  assert.equal(manifest.title, 'Alpha, MongoDB contract, on FerretDB');
  assert.equal(manifest.durability.policy, 'unknown');
  assert.match(manifest.durability.meaning, /FerretDB.*MONGO_URI/);
  assert.deepEqual([manifest.settings, manifest.traits], [{}, { database: 'FerretDB, given by MONGO_URI' }]);
  assert.equal(manifest.promises, undefined);
});

test('MongoDB that says so keeps what the manifest says, its settings left out: they are somebody else’s', async (t) => {
  const engines = '\x04storageEngines\0\x05\0\0\0\0';
  const { url } = await serverOf(
    t,
    `\x02version\0\x06\0\0\x008.0.4\0\x02gitVersion\0\x29\0\0\0${'0123456789'.repeat(4)}\0${engines}`,
  );
  assert.deepEqual(await askMongo(url), { product: 'MongoDB', version: '8.0.4' });
  const [{ manifest }] = await namedByGiven([onDatabase(url)]);
  assert.equal(manifest.title, 'Alpha, MongoDB');
  assert.equal(manifest.durability.policy, 'fsync');
  assert.deepEqual(manifest.traits, { storage: 'one mongod', database: 'MongoDB 8.0.4, given by MONGO_URI' });
  assert.deepEqual(manifest.settings, {});
});

test('who does not answer, or not in the protocol, is unknown, and nothing is ranked as MongoDB', async (t) => {
  assert.equal(await askMongo('mongodb://127.0.0.1:1'), null);
  const { url } = await serverOf(t, '\x7fodd\0');
  assert.equal(await askMongo(url), null);
  const [{ manifest }] = await namedByGiven([onDatabase('mongodb+srv://example.invalid')]);
  assert.match(manifest.title, /on an unidentified database$/);
  assert.equal(manifest.durability.policy, 'unknown');
});

test('only what names itself as MongoDB does is MongoDB', () => {
  assert.deepEqual(answererOf({ version: '5.0.0' }), { product: null, version: '5.0.0' });
  assert.deepEqual(answererOf({ version: '7.0.77', ferretdb: { version: 'v2.5.0' } }), {
    product: 'FerretDB',
    version: '2.5.0',
  });
});

test('the address is the first one of the URI, and TLS is not tried', () => {
  assert.deepEqual(addressIn('mongodb://u:p@db.example:27018,other/x'), { host: 'db.example', port: 27018 });
  assert.deepEqual(addressIn('mongodb://[::1]/'), { host: '::1', port: 27017 });
  assert.equal(addressIn('mongodb://h:1/?tls=true'), null);
  assert.equal(addressIn('mongodb+srv://h'), null);
});
