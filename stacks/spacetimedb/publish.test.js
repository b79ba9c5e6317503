import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runTool } from '../../lib/process/tool.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-publish-'));
after(() => rmSync(folder, { recursive: true, force: true }));
for (const name of ['one', 'two']) {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'module.wasm'), name);
}

/**
 * Answers as 1.2.0 and 2.8.3 did: a database belongs to the identity that published it first.
 * @param {string} version
 */
async function server(version) {
  let identities = 0;
  let signs = 'a';
  /** @type {string | null} */
  let owner = null;
  /** @type {string[]} */
  const published = [];
  const http = createServer(async (request, response) => {
    const say = (/** @type {number} */ status, /** @type {unknown} */ body) => {
      response.statusCode = status;
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    let body = '';
    for await (const part of request) body += part;
    if (request.url === '/v1/health')
      return say(200, {
        nodes: [0],
        package_name: 'spacetimedb-client-api',
        schedulable: true,
        version,
      });
    if (request.url === '/v1/identity')
      return say(200, { identity: `c200${++identities}`, token: `${signs}.${identities}` });
    const token = String(request.headers.authorization).replace('Bearer ', '');
    if (!token.startsWith(signs)) return say(401, 'Invalid token');
    if (owner && owner !== token)
      return say(403, `c200${token} is not authorized to perform action on database c2001: reset database`);
    const op = owner ? 'updated' : 'created';
    owner = token;
    published.push(body);
    return say(200, { Success: { domain: 'ladderbench', database_identity: 'c2001', op } });
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', () => resolve(undefined)));
  after(() => http.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
  return {
    url: `http://127.0.0.1:${port}`,
    published,
    /** As if it had been set up anew. */
    forget() {
      signs = 'b';
      owner = null;
    },
  };
}

/** @param {string} url @param {Record<string, string>} env */
const publish = (url, env) =>
  runTool([join(import.meta.dirname, 'hooks', 'after-up')], {
    env: { BUILD_MODULE: join(folder, 'one'), BUILD_MODULE2X: join(folder, 'two'), BASE_URL: url, ...env },
    timeoutMs: 20_000,
  });

test('a server that outlives the run takes every publish, by the token of the first', async () => {
  const keep = mkdtempSync(join(folder, 'keep-'));
  const { url, published, forget } = await server('2.8.3');
  for (let i = 0; i < 3; i++) {
    const { ok, stderr } = await publish(url, { KEEP: keep });
    assert.ok(ok, stderr);
  }
  assert.equal(published.length, 3);
  const [token] = readdirSync(keep);
  assert.equal(statSync(join(keep, token)).mode & 0o077, 0, 'nobody else reads it');
  forget();
  const again = await publish(url, { KEEP: keep });
  assert.ok(again.ok, again.stderr);
  assert.ok((await publish(url, { KEEP: keep })).ok, 'the token in place of the one that is not known');
});

test('a database of somebody else is left alone, with one line that says what to do', async () => {
  const { url, published } = await server('2.8.3');
  assert.ok((await publish(url, {})).ok);
  const { ok, stderr } = await publish(url, { KEEP: mkdtempSync(join(folder, 'keep-')) });
  assert.equal(ok, false);
  assert.equal(published.length, 1);
  assert.match(
    stderr,
    /^the database ladderbench at http:\S+ belongs to another identity: set SPACETIMEDB_TOKEN/,
  );
  assert.equal(stderr.trim().split('\n').length, 1);
  assert.ok((await publish(url, { SPACETIMEDB_TOKEN: 'a.1' })).ok);
});

test('the module is chosen by the version that the server says', async () => {
  for (const [version, name] of [
    ['1.2.0', 'one'],
    ['1.12.0', 'one'],
    ['2.8.3', 'two'],
    ['2.10.0', 'two'],
  ]) {
    const { url, published } = await server(version);
    const { ok, stderr } = await publish(url, {});
    assert.ok(ok, stderr);
    assert.deepEqual(published, [name], version);
  }
  const { url } = await server('3.0.0');
  assert.match((await publish(url, {})).stderr, /no module for version 3\.0\.0: known are 1\.x, 2\.x/);
});

test('in a container the data folder becomes the server’s own, with its configuration, before it starts', async () => {
  const at = mkdtempSync(join(folder, 'container-'));
  const bin = join(at, 'bin');
  mkdirSync(bin);
  // What needs root is noted in place of being done.
  const note = '#!/bin/sh\necho "$(basename "$0") $*" >> "$NOTES"\n';
  writeFileSync(join(bin, 'chown'), note, { mode: 0o755 });
  writeFileSync(join(bin, 'setpriv'), `${note}while [ "$1" != -- ]; do shift; done; shift; exec "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(join(bin, 'server'), `#!/bin/sh\necho "$HOME $*" >> "$NOTES"\n`, { mode: 0o755 });
  const config = join(import.meta.dirname, 'config');
  const { ok, stderr } = await runTool([join(config, 'in-container.sh'), 'server', 'start'], {
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      NOTES: join(at, 'notes'),
      AS: 'nobody',
      CONFIG: join(config, 'config.toml'),
      DATA: join(at, 'share', 'data'),
    },
  });
  assert.ok(ok, stderr);
  assert.match(readFileSync(join(at, 'share', 'data', 'config.toml'), 'utf8'), /level = "info"/);
  const [owned, dropped, started] = readFileSync(join(at, 'notes'), 'utf8').trim().split('\n');
  assert.equal(owned, `chown -R nobody ${join(at, 'share')}`);
  assert.match(
    dropped,
    /^setpriv --reuid nobody --regid \d+ --init-groups -- env HOME=\/home\/nobody server start$/,
  );
  assert.equal(started, '/home/nobody start');
  const compose = readFileSync(join(import.meta.dirname, 'compose.yml'), 'utf8');
  assert.match(compose, /entrypoint: \[\/bin\/sh, \/ladderbench\/in-container\.sh, spacetime\]/);
  assert.doesNotMatch(compose, /RUST_LOG/, 'the server reads it nowhere');
});
