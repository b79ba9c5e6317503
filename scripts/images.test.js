import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { checkImages, imagesPage, listImages } from './images.js';
import { parseImage, resolveImage } from './registry.js';

const index = JSON.stringify({
  manifests: [
    { platform: { os: 'linux', architecture: 'arm64' } },
    { platform: { os: 'linux', architecture: 'amd64' } },
    { platform: { os: 'unknown', architecture: 'unknown' } },
  ],
});
const DIGEST = `sha256:${createHash('sha256').update(index).digest('hex')}`;
const OTHER = `sha256:${'0'.repeat(64)}`;

/** A registry that lets in whoever has asked for a token, as public ones do. @param {Record<string, string>} [headers] */
async function registry(headers = {}) {
  /** @type {string[]} */
  const asked = [];
  const server = createServer((request, response) => {
    const url = new URL(String(request.url), 'http://registry');
    asked.push(url.pathname);
    if (url.pathname === '/token') {
      assert.equal(url.searchParams.get('service'), 'tests');
      return response.end(JSON.stringify({ token: url.searchParams.get('scope') }));
    }
    const [, repository, tag] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(url.pathname) ?? [];
    if (request.headers.authorization !== `Bearer repository:${repository}:pull`) {
      const challenge = `Bearer realm="${address}/token",service="tests"`;
      return response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    if (tag === 'gone') return response.writeHead(404).end();
    response.writeHead(200, { 'docker-content-digest': DIGEST, ...headers }).end(index);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  after(() => server.close());
  const address = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  return { asked, addressOf: () => address };
}

/** @param {string} image */
const used = (image) => ({ image, variables: ['A_IMAGE'] });

test('an image has a registry, a repository, a tag and perhaps a digest', () => {
  assert.deepEqual(parseImage('alpha:7.4'), {
    registry: 'docker.io',
    repository: 'library/alpha',
    tag: '7.4',
    digest: null,
  });
  assert.deepEqual(parseImage(`host.io:5000/a/b:v1@${OTHER}`), {
    registry: 'host.io:5000',
    repository: 'a/b',
    tag: 'v1',
    digest: OTHER,
  });
});

test('a registry is asked by its own protocol, and what it sends makes the digest', async () => {
  const { addressOf } = await registry();
  assert.deepEqual(await resolveImage(parseImage('alpha:7.4'), addressOf), {
    digest: DIGEST,
    architectures: ['amd64', 'arm64'],
  });
  const lying = await registry({ 'docker-content-digest': OTHER });
  await assert.rejects(resolveImage(parseImage('alpha:7.4'), lying.addressOf), /calls it sha256:000/);
});

test('a check says of each image whether its tag is what is pinned, and notes what it saw', async () => {
  const { addressOf } = await registry();
  const images = [used(`a:1@${DIGEST}`), used(`b:1@${OTHER}`), used('c:1'), used('d:gone')];
  const { lines, seen, differs, offline } = await checkImages(images, {}, '2026-01-02', addressOf);
  assert.deepEqual(
    lines.map((l) => l.split(':')[0]),
    ['same', 'differs', 'not pinned', 'cannot be resolved'],
  );
  assert.match(lines[1], new RegExp(`pinned ${OTHER}, tag is ${DIGEST}, architectures amd64, arm64`));
  assert.deepEqual([differs, offline], [2, 0]);
  assert.deepEqual(seen['a:1'], { checked: '2026-01-02', digest: DIGEST, architectures: ['amd64', 'arm64'] });
  assert.equal(seen['d:gone'], undefined);
  const page = imagesPage(images, seen);
  assert.match(page, /`b:1` .*; the tag is `sha256:[0-9a-f]{64}` now \| amd64, arm64 \| 2026-01-02 \|/);
});

test('where no registry answers every image says so, what was known stays, and nothing is invented', async () => {
  let asked = 0;
  const nobody = () => {
    asked++;
    return 'http://127.0.0.1:1';
  };
  const known = { 'a:1': { checked: '2026-01-02', digest: DIGEST, architectures: ['amd64'] } };
  const images = [used(`a:1@${DIGEST}`), used('b:1'), used('c:1')];
  const { lines, seen, differs, offline } = await checkImages(images, known, '2026-05-05', nobody);
  assert.deepEqual(seen, known);
  assert.deepEqual([differs, offline, asked], [0, 3, 1]);
  assert.match(lines[0], /^offline: a:1, pinned sha256:.*, architectures amd64, checked 2026-01-02 \(/);
  assert.match(lines[1], /^offline: b:1, pinned by its tag alone, architectures not known, checked never \(/);
  assert.match(
    imagesPage(images, seen),
    /`b:1` \| `A_IMAGE` \| none: never resolved \| not known \| never \|/,
  );
});

test('every image of upstream that a compose file starts or a Dockerfile stands on is listed, and none that is built here', () => {
  const images = listImages();
  assert.ok(images.length >= 10);
  assert.ok(images.every(({ image }) => !image.startsWith('ladderbench/') && parseImage(image).tag));
  for (const name of ['GRAFANA_IMAGE', 'BUILD_IMAGE', 'BASE_IMAGE'])
    assert.ok(
      images.some(({ variables }) => variables.includes(name)),
      name,
    );
});
