/** What a k6 script of somebody's own shows before the load: each ends as plain k6 counts it, or says why it does not. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { which } from '../process/tool.js';
import { newestRun, runCommand, temporaryFolder } from './harness.js';
import { PROTO, startCalls, startServer } from './script-server.js';

const folder = temporaryFolder();
const server = await startServer();
const calls = await startCalls();
after(() => Promise.all([server.stop(), calls.stop()]));
const DEAD = '127.0.0.1:1';
writeFileSync(join(folder, 'shop.proto'), PROTO);

const HTTP = "import http from 'k6/http'; import { check } from 'k6'; const url = __ENV.BASE_URL;";
const WS = "import ws from 'k6/ws'; const url = __ENV.BASE_URL;";
const WEBSOCKETS = "import { WebSocket } from 'k6/websockets'; const url = __ENV.BASE_URL;";
const STORED = (/** @type {string} */ name) =>
  readFileSync(new URL(`testdata/scripts/${name}.js`, import.meta.url), 'utf8');
const GRPC = `import grpc from 'k6/net/grpc'; const client = new grpc.Client(); client.load([], 'shop.proto');
const host = __ENV.BASE_URL.replace('grpc://', ''); const plain = { plaintext: true, timeout: '2s' };`;
const ECHO = "(s) => { s.on('open', () => s.send('hi')); s.on('message', () => s.close()); }";

/**
 * @param {string} text
 * @param {string[]} flags
 */
async function measure(text, ...flags) {
  const reports = temporaryFolder();
  const script = join(folder, 'mine.js');
  writeFileSync(script, text);
  const ended = await runCommand(
    ['--script', script, '--reports', reports, '--steps', '1', '--step-duration', '1s', ...flags],
    { env: { SHOP: `http://${server.host}` } },
  );
  return { ...ended, run: () => newestRun(reports) };
}

/**
 * Its load began, and nothing failed in it; whether there was enough of it is the machine's matter.
 * @param {Awaited<ReturnType<typeof measure>>} ended
 */
function assertMeasured({ code, stderr, run }) {
  assert.ok(code === 0 || code === 4, stderr);
  const [record] = run().records;
  assert.equal(record.status, 'ok', String(record.reason));
  for (const { errors } of Object.values(record.operations))
    assert.equal(
      Object.values(errors).reduce((n, e) => n + e, 0),
      0,
      stderr,
    );
  return record;
}

/** @param {string} url */
const at = (url) => ['--endpoint', `shop=${url}`];

/** By what it shows: the script, its endpoint, the exit code and what is said. @type {Record<string, [string, string, number, RegExp]>} */
const REFUSED = {
  'a WebSocket of k6/ws that nobody opens': [
    `${WS} export default () => { ws.connect(url + '/ws', {}, ${ECHO}); }`,
    `ws://${DEAD}`,
    3,
    /^error: mine\.js: connection refused: 127\.0\.0\.1:1$/m,
  ],
  'one of k6/websockets whose error is caught': [
    `${WEBSOCKETS} export default () => { const s = new WebSocket(url + '/ws'); s.onerror = () => {}; s.onopen = () => s.close(); }`,
    `ws://${DEAD}`,
    3,
    /connection refused: 127\.0\.0\.1:1$/m,
  ],
  'an upgrade that is refused': [
    `${WS} export default () => { ws.connect(url + '/ws/refused', {}, ${ECHO}); }`,
    `ws://${server.host}`,
    3,
    /HTTP 403 in place of a WebSocket: 127\.0\.0\.1:\d+$/m,
  ],
  'gRPC to nobody': [
    `${GRPC} export default () => { client.connect(host, plain); client.invoke('shop.Shop/Get', {}); client.close(); }`,
    `grpc://${DEAD}`,
    3,
    /connection refused: 127\.0\.0\.1:1$/m,
  ],
  'gRPC to nobody whose error is caught': [
    `${GRPC} export default () => { try { client.connect(host, plain); } catch { } }`,
    `grpc://${DEAD}`,
    3,
    /connection refused: 127\.0\.0\.1:1$/m,
  ],
  'a store whose rejection is caught': [
    STORED('store-caught'),
    `resp://${DEAD}`,
    3,
    /connection refused: 127\.0\.0\.1:1$/m,
  ],
  'an answer that is read and did not come': [
    `${HTTP} export default () => { http.get(url + '/ok').json('id'); }`,
    `http://${DEAD}`,
    3,
    /connection refused: 127\.0\.0\.1:1\n.*then the script: GoError: the body is null/m,
  ],
  'a login in setup() that did not come': [
    `${HTTP} export function setup() { return http.post(url + '/login').json('token'); } export default () => { http.get(url); }`,
    `http://${DEAD}`,
    3,
    /connection refused: 127\.0\.0\.1:1$/m,
  ],
  'a store that is read': [STORED('store-read'), `resp://${DEAD}`, 3, /connection refused: 127\.0\.0\.1:1$/m],
  'a host without a name': [
    `${HTTP} export default () => { http.get(url).json('id'); }`,
    'http://nobody.invalid:80',
    3,
    /no such host: nobody\.invalid/,
  ],
  'an answer that is cut off': [
    `${HTTP} export default () => { http.get(url + '/drop'); }`,
    `http://${server.host}`,
    3,
    /(closed without an answer|connection reset): 127\.0\.0\.1:\d+$/m,
  ],
  'a server that fails, and a script that reads its answer': [
    `${HTTP} export default () => { http.get(url + '/status/503').json('a').b.c; }`,
    `http://${server.host}`,
    3,
    /HTTP 503: 127\.0\.0\.1:\d+\/status\/503$/m,
  ],
  'HTTPS asked of a server of HTTP': [
    `${HTTP} export default () => { http.get(url); }`,
    `https://${server.host}`,
    3,
    /it speaks HTTP and was asked by HTTPS/,
  ],
  'an address without a scheme': [
    `${HTTP} export default () => { http.get('${server.host}/ok'); }`,
    `http://${server.host}`,
    2,
    /first path segment in URL cannot contain colon/,
  ],
  'an exception of its own': [
    `${HTTP} export default () => { http.get(url); nothing(); }`,
    `http://${server.host}`,
    2,
    /^error: mine\.js: ReferenceError: nothing is not defined$/m,
  ],
  'an address of its own': [
    `${HTTP} export default () => { http.get('http://${server.host}/ok'); }`,
    `http://127.0.0.1:2`,
    2,
    /mine\.js did not address shop \(http:\/\/127\.0\.0\.1:2\): its requests went to 127\.0\.0\.1:\d+\n/,
  ],
  'another variable': [
    `${HTTP} export default () => { http.get(__ENV.SHOP + '/ok', { tags: { name: 'page' } }); }`,
    `http://127.0.0.1:2`,
    2,
    /did not address shop .*: another address in its place changes nothing/,
  ],
  'nobody at all': [
    "import { sleep } from 'k6'; export default () => { sleep(0.01); }",
    `http://${server.host}`,
    2,
    /did not address shop/,
  ],
};

test('what does not answer a script, and what it does not ask, is named before the load, whatever it catches or throws', async (t) => {
  for (const [what, [text, url, code, said]] of Object.entries(REFUSED))
    await t.test(what, async () => {
      const ended = await measure(text, ...at(url));
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, said);
      assert.throws(ended.run, /no run in/);
    });
});

test('of two endpoints the one that the script does not ask is named, and neither has a figure', async () => {
  const text = `${HTTP} export default () => { http.get('http://${server.host}/ok'); }`;
  const other = await startServer();
  const ended = await measure(text, ...at(`http://${server.host}`), '--endpoint', `b=http://${other.host}`);
  await other.stop();
  assert.equal(ended.code, 2, ended.stderr);
  assert.match(ended.stderr, /did not address b \(/);
  assert.equal(other.total(), 0);
  const dead = await measure(
    `${WS} export default () => { ws.connect(url + '/ws', {}, ${ECHO}); }`,
    ...at(`ws://${server.host}`),
    ...['--endpoint', `dead=ws://${DEAD}`],
  );
  assert.equal(dead.code, 3, dead.stderr);
  assert.throws(dead.run, /no run in/);
});

test('what a script says is shown and is no fault of it, and a name of its own hides nobody', async () => {
  const text = `${HTTP} export default () => { console.error('all is well'); http.get(url + '/named', { tags: { name: 'page' } }); }`;
  const ended = await measure(text, ...at(`http://${server.host}`));
  assert.match(ended.stderr, /^ {2}mine\.js says: all is well$/m);
  assert.ok(server.asked['/named'] > assertMeasured(ended).operations.http_reqs.count);
});

test('a warning, and an error that the script catches, are none either', async () => {
  const text = `${HTTP} export default () => { console.warn('careful'); try { nothing(); } catch (e) { console.error(e); } http.get(url); }`;
  const ended = await measure(text, ...at(`http://${server.host}`));
  assertMeasured(ended);
  assert.match(ended.stderr, /mine\.js says: careful\n {2}mine\.js says: .*nothing is not defined/);
});

test('a self-signed certificate is named, and accepted on request', {
  skip: !which('openssl') && 'no openssl',
}, async () => {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ...['-keyout', key, '-out', cert],
    ],
    { stdio: 'ignore' },
  );
  const secure = await startServer({
    tls: { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') },
  });
  after(() => secure.stop());
  const text = `${HTTP} export default () => { http.get(url + '/ok').json('id'); }`;
  const url = `https://localhost:${secure.port}`;
  const refused = await measure(text, ...at(url));
  assert.equal(refused.code, 3, refused.stderr);
  assert.match(refused.stderr, /^error: mine\.js: .*certificate.*: localhost:\d+$/m);
  assert.match(refused.stderr, /--insecure-skip-tls-verify/);
  const overWebSocket = await measure(
    `${WS} export default () => { ws.connect(url.replace('https', 'wss') + '/ws', {}, ${ECHO}); }`,
    ...at(url),
  );
  assert.equal(overWebSocket.code, 3, overWebSocket.stderr);
  assert.match(overWebSocket.stderr, /certificate/);
  const taken = await measure(text, ...at(url), '--', '--insecure-skip-tls-verify');
  assertMeasured(taken);
});
