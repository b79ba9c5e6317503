import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';

/**
 * A registry on loopback, as the engine asks one, in which each repository fails in its own way.
 */

/** @param {Buffer} bytes */
const digestOf = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';

/** @type {Map<string, ReturnType<typeof newImage>>} */
const images = new Map();

/** @param {string} name @returns {ReturnType<typeof newImage>} each time the same */
function imageOf(name) {
  const image = images.get(name) ?? newImage(name);
  images.set(name, image);
  return image;
}

/**
 * An image of 1 MB, or of 64, that cannot be made smaller, and that no other test has had.
 * @param {string} name
 */
function newImage(name) {
  const size = (name === 'large' ? 64 : 1) * 1_048_576;
  const head = Buffer.alloc(512);
  new Header({ path: 'content', size, mode: 0o644, type: 'File', mtime: new Date(0) }).encode(head);
  const tar = Buffer.concat([head, randomBytes(size), Buffer.alloc(1024)]);
  const layer = gzipSync(tar);
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const rootfs = { type: 'layers', diff_ids: [digestOf(tar)] };
  const config = Buffer.from(
    JSON.stringify({ architecture, os: 'linux', config: { Cmd: ['/content'] }, rootfs }),
  );
  const blob = (/** @type {string} */ mediaType, /** @type {Buffer} */ bytes) => ({
    ...{ mediaType, digest: digestOf(bytes), size: bytes.length },
  });
  const manifest = Buffer.from(
    JSON.stringify({
      ...{ schemaVersion: 2, mediaType: MANIFEST },
      config: blob('application/vnd.oci.image.config.v1+json', config),
      layers: [blob('application/vnd.oci.image.layer.v1.tar+gzip', layer)],
    }),
  );
  const platform = { os: 'linux', architecture: 's390x' };
  const manifests = [{ ...blob(MANIFEST, manifest), platform }];
  const foreign = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests }));
  return name === 'foreign'
    ? { layer, config, body: foreign, type: INDEX }
    : { layer, config, body: manifest, type: MANIFEST };
}

/** @param {object} errors */
const says = (errors) => JSON.stringify({ errors: [errors] });
/** How each repository answers a question for a manifest, instead of with it. @type {Record<string, [number, string]>} */
const ANSWERS = {
  gone: [404, says({ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' })],
  denied: [401, says({ code: 'UNAUTHORIZED', message: 'authentication required' })],
  limited: [429, says({ code: 'TOOMANYREQUESTS', message: 'You have reached your pull rate limit' })],
  broken: [500, says({ code: 'UNKNOWN', message: 'our disk\nis on fire' })],
};

/**
 * Repositories: `good`, `large` (64 MB), `slow` (its layer takes 15 s), `cut` (its layer breaks off), `wrong` (its layer is another), `foreign`
 * (for another machine), `stuck` (never answers), and those of {@link ANSWERS}.
 * @param {{login?: string}} [options] `login`: it lets in whoever signs in with this user and password, and nobody else
 */
export async function startRegistry({ login } = {}) {
  const wanted = login && `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createServer(async (request, response) => {
    const [, repository, kind, what] =
      /^\/v2\/(\w+)\/(manifests|blobs)\/(.+)$/.exec(String(request.url)) ?? [];
    if (wanted && request.headers.authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="tests"' });
      return response.end(ANSWERS.denied[1]);
    }
    if (!repository) return response.end('{}');
    if (repository === 'stuck') return;
    if (ANSWERS[repository]) {
      const [status, text] = ANSWERS[repository];
      return response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    }
    const { layer, config, body, type } = imageOf(repository);
    if (kind === 'manifests') {
      const head = { 'content-type': type, 'docker-content-digest': digestOf(body) };
      response.writeHead(200, { ...head, 'content-length': body.length });
      return response.end(request.method === 'HEAD' ? undefined : body);
    }
    const whole = what === digestOf(config) ? config : layer;
    // An engine goes on where it was cut off.
    const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const range = from > 0 && { 'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}` };
    const bytes = whole.subarray(from);
    response.writeHead(range ? 206 : 200, { 'content-length': bytes.length, ...range });
    if (whole === config || ['good', 'large'].includes(repository)) return response.end(bytes);
    if (repository === 'wrong') return response.end(Buffer.alloc(bytes.length, 7));
    const parts = 15;
    for (let i = 0; i < parts && !response.destroyed; i++) {
      if (repository === 'cut' && i === 5) return response.destroy();
      response.write(bytes.subarray((i * bytes.length) / parts, ((i + 1) * bytes.length) / parts));
      await new Promise((resolve) => setTimeout(resolve, repository === 'cut' ? 10 : 1000));
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    host: `127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
