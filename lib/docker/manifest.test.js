import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { partsOf, sizeOf } from './manifest.js';

test('a reference is a registry, a repository and a version', () => {
  const parts = (/** @type {string} */ ref) => Object.values(partsOf(ref)).join(' ');
  assert.equal(parts('store'), 'docker.io library/store latest');
  assert.equal(parts('store:7.4.2@sha256:ab'), 'docker.io library/store sha256:ab');
  assert.equal(parts('grafana/grafana:11.6.0'), 'docker.io grafana/grafana 11.6.0');
  assert.equal(parts('ghcr.io/google/cadvisor:v0.57.0'), 'ghcr.io google/cadvisor v0.57.0');
  assert.equal(parts('localhost/own'), 'localhost own latest');
  assert.equal(parts('127.0.0.1:5055/library/store:1'), '127.0.0.1:5055 library/store 1');
});

const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const platform = (/** @type {string} */ name) => ({ os: 'linux', architecture: name });

/**
 * A registry that wants a token, whose only image is there for two machines.
 * @returns {Promise<{origin: string, asked: string[]}>}
 */
async function startRegistry() {
  /** @type {string[]} */
  const asked = [];
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers;
    asked.push(`${request.url} ${authorization}`.trim());
    if (request.url?.startsWith('/token')) return response.end('{"token": "T"}');
    if (authorization !== 'Bearer T') {
      const realm = `Bearer realm="${origin}/token",service="tests",scope="pull"`;
      return response.writeHead(401, { 'www-authenticate': realm }).end();
    }
    const manifests = [
      { digest: 'sha256:other', platform: platform('s390x') },
      { digest: 'sha256:own', platform: platform(architecture) },
    ];
    if (request.url === '/v2/library/one/manifests/1') return response.end(JSON.stringify({ manifests }));
    if (request.url !== '/v2/library/one/manifests/sha256:own') return response.writeHead(404).end();
    response.end(JSON.stringify({ layers: [{ size: 5 }, { size: 7 }] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const origin = `http://127.0.0.1:${port}`;
  return { origin, asked };
}

test('a registry tells the layers of the image for this machine, to whom it gives a token', async () => {
  const { origin, asked } = await startRegistry();
  const login = { username: 'me', password: 'secret' };
  const size = await sizeOf(`${new URL(origin).host}/library/one:1`, { mirrors: [], login });
  assert.deepEqual(size, { layers: 2, bytes: 12 });
  assert.deepEqual(asked, [
    '/v2/library/one/manifests/1',
    '/token?service=tests&scope=pull Basic bWU6c2VjcmV0',
    '/v2/library/one/manifests/1 Bearer T',
    '/v2/library/one/manifests/sha256:own Bearer T',
  ]);
});

test('a mirror of Docker Hub is asked first', async () => {
  const { origin } = await startRegistry();
  assert.deepEqual(await sizeOf('one:1', { mirrors: [`${origin}/`], login: null }), { layers: 2, bytes: 12 });
});

test('of what no registry tells nothing is told', async () => {
  const { origin } = await startRegistry();
  const { host } = new URL(origin);
  for (const ref of [`${host}/library/gone:1`, '127.0.0.1:1/library/one:1'])
    assert.equal(await sizeOf(ref, { mirrors: [], login: null }), null, ref);
});
