import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { create } from 'tar';
import { cachePath } from '../paths.js';
import { goBuild, isBuilt } from './builds.js';
import { archiveName, takeReleased } from './releases.js';

/** @typedef {import('./builds.js').Build} Build */

/**
 * @param {import('node:test').TestContext} t
 * @returns {{folder: string, build: Build}} an empty cache, and a program whose source is a folder
 */
function emptyCache(t) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-releases-'));
  const before = { ...process.env };
  process.env.LADDERBENCH_CACHE = join(folder, 'cache');
  t.after(() => {
    process.env = before;
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, 'source'));
  writeFileSync(join(folder, 'source', 'main.go'), 'package main');
  return { folder, build: goBuild('thing', join(folder, 'source')) };
}

/**
 * @param {string} folder that the release is written to
 * @param {Build} build
 * @param {Record<string, string>} [files] of the archive
 */
function publish(
  folder,
  build,
  files = { thing: '#!/bin/sh\necho 1', 'RELEASE.json': '{"starts":["thing"]}' },
) {
  const content = join(folder, 'content');
  rmSync(content, { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(content, name)), { recursive: true });
    writeFileSync(join(content, name), text, { mode: 0o755 });
  }
  const release = join(folder, 'release');
  mkdirSync(release, { recursive: true });
  const archive = join(release, archiveName(build));
  create({ sync: true, gzip: true, cwd: content, file: archive }, Object.keys(files));
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  writeFileSync(join(release, 'SHA256SUMS'), `${sum}  ${archiveName(build)}\n`);
  return { release, archive };
}

/** @param {Build} build @returns {Promise<string[]>} every printed line */
async function taking(build) {
  /** @type {string[]} */
  const said = [];
  await takeReleased(
    [build],
    /** @type {any} */ ({
      say: (/** @type {string} */ line) => said.push(line),
      task: () => (/** @type {string} */ end) => said.push(end),
    }),
  );
  assert.deepEqual(
    existsSync(cachePath('work')) ? readdirSync(cachePath('work')) : [],
    [],
    'nothing is left',
  );
  return said;
}

/**
 * @param {import('node:test').TestContext} t
 * @param {import('node:http').RequestListener} answer
 */
async function served(t, answer) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.env.LADDERBENCH_RELEASES = `http://127.0.0.1:${port}/v1`;
  return port;
}

test('a release is taken from a folder or an address, also after a redirect on the same host', async (t) => {
  const { folder, build } = emptyCache(t);
  const { release } = publish(folder, build);
  const file = (/** @type {string | undefined} */ url) =>
    readFileSync(join(release, String(url).split('/').pop() ?? ''));
  process.env.LADDERBENCH_RELEASES = release;
  for (const from of ['folder', 'address', 'another path']) {
    rmSync(cachePath(), { recursive: true, force: true });
    if (from === 'address') await served(t, ({ url }, response) => response.end(file(url)));
    if (from === 'another path')
      await served(t, ({ url }, response) => {
        if (url?.startsWith('/v1')) response.writeHead(302, { location: url.replace('v1', 'files') }).end();
        else response.end(file(url));
      });
    assert.deepEqual(await taking(build), ['from a release, checksum verified'], from);
    assert.ok(isBuilt(build), from);
    assert.equal(readFileSync(join(build.output, 'thing'), 'utf8'), '#!/bin/sh\necho 1');
    assert.deepEqual(await taking(build), [], 'and once only');
  }
});

test('a source that was changed here is never served by a release', async (t) => {
  const { folder, build } = emptyCache(t);
  const { release } = publish(folder, build);
  process.env.LADDERBENCH_RELEASES = release;
  for (const [file, text] of [
    ['main.go', 'package main // changed'],
    ['more.go', 'package main'],
  ]) {
    writeFileSync(join(folder, 'source', file), text);
    const changed = goBuild('thing', join(folder, 'source'));
    assert.notEqual(archiveName(changed), archiveName(build));
    assert.deepEqual(await taking(changed), []);
    assert.equal(isBuilt(changed), false);
  }
  assert.notEqual(archiveName(build, 'linux-arm64'), archiveName(build, 'linux-x64'));
});

test('a bad release is one line and leaves nothing: sums, lengths, hosts, error pages, programs that do not start', async (t) => {
  const { folder, build } = emptyCache(t);
  let { release, archive } = publish(folder, build);
  const whole = readFileSync(archive);
  const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8');
  /** @type {[string, (url: string, response: import('node:http').ServerResponse) => void, RegExp][]} */
  const cases = [
    [
      'wrong sum',
      (url, r) => r.end(url.endsWith('SUMS') ? sums.replace(/^./, (c) => (c === '0' ? '1' : '0')) : whole),
      /its checksum is/,
    ],
    [
      'changed archive',
      (url, r) => r.end(url.endsWith('SUMS') ? sums : Buffer.concat([whole, whole])),
      /its checksum is/,
    ],
    [
      'cut short',
      (url, r) => r.end(url.endsWith('SUMS') ? sums : whole.subarray(0, whole.length / 2)),
      /its checksum is/,
    ],
    [
      'broken off',
      (url, r) => {
        if (url.endsWith('SUMS')) r.end(sums);
        else
          r.writeHead(200, { 'content-length': whole.length }).write(whole.subarray(0, 9), () => r.destroy());
      },
      /it is built: \S/,
    ],
    [
      'listed and not there',
      (url, r) => r.writeHead(url.endsWith('SUMS') ? 200 : 404).end(sums),
      /there is no thing-/,
    ],
    ['a proxy refuses', (_, r) => r.writeHead(403).end('<html>'), /answers 403/],
    ['a proxy fails', (url, r) => r.writeHead(url.endsWith('SUMS') ? 200 : 502).end(sums), /answers 502/],
    ['a page in place of sums', (_, r) => r.end('<html>Please log in</html>'), /is not a list of checksums/],
    ['nothing in place of sums', (_, r) => r.end(), /is not a list of checksums/],
    ['sums without end', (_, r) => r.end('0'.repeat(1 << 17)), /larger than 65536 bytes/],
    [
      'a page in place of the archive',
      (url, r) => r.end(url.endsWith('SUMS') ? sums : '<html>'),
      /its checksum is/,
    ],
    [
      'another host',
      (url, r) => r.writeHead(302, { location: `http://localhost:1${url}` }).end(),
      /redirects to another host, localhost:1/,
    ],
    ['no address', (_, r) => r.writeHead(302, { location: 'http://:' }).end(), /Invalid URL/],
    ['without end', (url, r) => r.writeHead(302, { location: url }).end(), /too many redirects/],
  ];
  for (const [name, answer, line] of cases) {
    await served(t, (request, response) => answer(String(request.url), response));
    const said = await taking(build);
    assert.equal(said.length, 1, `${name}: ${said}`);
    assert.match(said[0], line, name);
    assert.equal(isBuilt(build), false, name);
  }
  for (const [files, line] of /** @type {[Record<string, string>, RegExp][]} */ ([
    [
      { thing: '#!/bin/sh\necho broken >&2; exit 3', 'RELEASE.json': '{"starts":["thing"]}' },
      /does not start here: broken/,
    ],
    [{ thing: '#!/bin/sh\necho 1' }, /cannot read .*RELEASE\.json/],
    [{ other: '', 'RELEASE.json': '{"starts":["thing"]}' }, /does not start here/],
  ])) {
    ({ release, archive } = publish(folder, build, files));
    process.env.LADDERBENCH_RELEASES = release;
    const said = await taking(build);
    assert.equal(said.length, 1);
    assert.match(said[0], line);
    assert.equal(isBuilt(build), false);
  }
  process.env.LADDERBENCH_RELEASES = join(folder, 'nowhere');
  assert.match((await taking(build)).join(), /cannot read SHA256SUMS there/);
});

test('offline, and without a release, no line mentions it', async (t) => {
  const { build } = emptyCache(t);
  const port = await served(t, (_, response) => response.writeHead(404).end('none'));
  assert.deepEqual(await taking(build), []);
  process.env.LADDERBENCH_RELEASES = `http://127.0.0.1:${port === 1 ? 2 : 1}`;
  assert.deepEqual(await taking(build), []);
  process.env.LADDERBENCH_RELEASES = 'https://nowhere.invalid/releases';
  assert.deepEqual(await taking(build), []);
  assert.equal(isBuilt(build), false);
});
