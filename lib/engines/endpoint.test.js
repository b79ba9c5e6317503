import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { parseTarget } from '../../k6/settings.js';
import { withoutUserinfo } from '../controls.js';
import { k6Command } from '../generator/k6.js';
import { loginOf, parseEndpoint, USERINFO, userinfoOf } from './endpoint.js';
import { attachExternal } from './external.js';

/** @param {string} id @param {string} url @param {object} [more] */
const stackOf = (id, url, more = {}) =>
  /** @type {any} */ ({
    id,
    base: id,
    folder: '/nowhere',
    manifest: {
      endpoint: { url, port: 1, ...more },
      ready: { tcp: { send: 'PING\r\n', expect: '+PONG' }, timeoutSec: 1 },
    },
  });
const resp = stackOf('one', 'resp://{host}:{port}');
const web = stackOf('two', 'http://{host}:{port}');

test('a password in an address is used to log in, and stands in no address afterwards', (t) => {
  const title = process.title;
  t.after(() => {
    process.title = title;
  });
  const found = parseEndpoint(resp, 'resp://me:s%3Acret@127.0.0.1:6379');
  assert.deepEqual(found, { url: 'resp://127.0.0.1:6379', hostname: '127.0.0.1', port: 6379 });
  assert.deepEqual(loginOf('one'), ['AUTH', 'me', 's:cret']);
  /** @type {any} */
  const call = {
    binary: 'k6',
    plan: { runId: 'r', profileId: 'p', systems: [] },
    cell: { system: 'one', workload: 'counters', transport: 'resp', role: 'system', step: { id: 'c1' } },
    url: found.url,
    files: { summary: 's', histograms: 'h', live: 'l' },
    ratesPerSec: {},
    telemetry: { influxUrl: null, dashboardPort: null },
  };
  const { command, env } = k6Command(call);
  assert.ok(!command.join(' ').includes('cret'), 'a command line is for everybody to read');
  assert.equal(env[USERINFO], 'me:s:cret');
  parseEndpoint(resp, 'resp://:only@127.0.0.1:6379');
  assert.deepEqual(loginOf('one'), ['AUTH', 'only']);
});

test('what a resumed run needs to log in comes from the environment', (t) => {
  process.env[`${USERINFO}_NO_SUCH_X`] = 'pw';
  t.after(() => delete process.env[`${USERINFO}_NO_SUCH_X`]);
  assert.equal(userinfoOf('no-such@x'), 'pw');
  assert.deepEqual(loginOf('no-such@x'), ['AUTH', 'pw']);
  assert.deepEqual(loginOf('nobody'), []);
});

test('a password is taken whole, whatever is in it', (t) => {
  const title = process.title;
  const variable = 'LADDERBENCH_PASSWORD_THREE';
  t.after(() => {
    process.title = title;
    delete process.env[variable];
  });
  for (const [written, meant] of [
    ['a:b', 'a:b'],
    ['a%3Ab', 'a:b'],
    ['a@b', 'a@b'],
    ['50%', '50%'],
    ['a%2Fb%23c', 'a/b#c'],
    ['%ff', '%ff'],
  ]) {
    parseEndpoint(resp, `resp://:${written}@127.0.0.1:6379`);
    assert.deepEqual(loginOf('one'), ['AUTH', meant]);
    assert.deepEqual(parseTarget('resp://127.0.0.1:1', '', userinfoOf('one')).login, { password: meant });
  }
  for (const written of ['a/b', 'a#b'])
    assert.throws(() => parseEndpoint(resp, `resp://:${written}@127.0.0.1:6379`), {
      hint: /%2F.*LADDERBENCH_PASSWORD_ONE/,
    });
  for (const password of ['a:b', ':', '@/#%', 'ü p']) {
    process.env[variable] = password;
    assert.deepEqual(loginOf('three'), ['AUTH', password]);
    assert.deepEqual(parseTarget('resp://127.0.0.1:1', '', userinfoOf('three')).login, { password });
  }
});

test('what the load would ignore in an address is refused in one line that repeats no password', () => {
  const refusals = /** @type {[any, string, RegExp][]} */ ([
    [resp, 'resps://h:1', /resps means TLS, which the load generator does not support/],
    [web, 'https://h:1', /https means TLS/],
    [resp, 'http://h:1', /one does not speak http/],
    [web, 'resp://h:1', /two does not speak resp/],
    [resp, 'resp://h:1/15', /"\/15" would be ignored/],
    [resp, 'resp://a:cret@h:1?db=2', /^--endpoint one=resp:\/\/h:1\?db=2: what follows/],
    [resp, 'resp://a:cret@', /^--endpoint one=resp:\/\/: /],
    [web, 'http://a:cret@h:1', /does not log in/],
    [resp, 'resp://:a/cret@h:1', /^--endpoint one=resp:\/\/h:1: /],
    [resp, 'a:cret@h:1', /^--endpoint one=h:1: /],
  ]);
  for (const [stack, text, message] of refusals)
    assert.throws(
      () => parseEndpoint(stack, text),
      (/** @type {Error} */ error) => message.test(error.message) && !error.message.includes('cret'),
      text,
    );
  assert.equal(parseEndpoint(resp, 'RESP://h:1').url, 'resp://h:1', 'the case of a scheme means nothing');
  assert.equal(parseEndpoint(resp, 'resp://h:1/').url, 'resp://h:1');
  assert.equal(withoutUserinfo('x resp://u:p@ss@h:1 y'), 'x resp://h:1 y');
  for (const address of ['resp://:a/cret@h', 'resp://u:a cret@h', 'u:cret@h:1', ':cret@h', 'one=u:cr=cret@h'])
    assert.doesNotMatch(withoutUserinfo(address), /cret/, address);
  for (const address of ['one@two=h:1', 'n:one@two=resp://h:1', 'h:1', 'one'])
    assert.equal(withoutUserinfo(address), address, 'what has no password stays as it is');
});

test('the run logs in to a system that somebody else runs, and notices its restart', async (t) => {
  let start = 'first';
  /** @type {string[]} */
  const heard = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const text = data.toString();
      heard.push(text);
      const info = `# Server\r\nrun_id:${start}\r\n`;
      const answer = text.includes('INFO') ? `$${info.length}\r\n${info}\r\n` : '+PONG\r\n';
      socket.write(text.includes('s3cret') ? `+OK\r\n${answer}` : '-NOAUTH \u001b]0;title\u0007<b>\r\n');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  t.after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const mark = { send: 'INFO server\r\n', after: 'run_id:' };
  const closed = stackOf('closed', 'resp://{host}:{port}', { mark });
  const { signal } = new AbortController();
  const url = `resp://127.0.0.1:${port}`;
  await assert.rejects(attachExternal(closed, { url, signal }), (/** @type {Error} */ error) => {
    assert.match(error.message, /closed does not answer at .*\(-NOAUTH ]0;title <b>\)/);
    return true;
  });
  process.env[`${USERINFO}_CLOSED`] = 's3cret';
  t.after(() => delete process.env[`${USERINFO}_CLOSED`]);
  const instance = await attachExternal(closed, { url, signal });
  assert.ok(heard.some((text) => text.startsWith('*2\r\n$4\r\nAUTH\r\n$6\r\ns3cret\r\n')));
  assert.equal(await instance.mark?.(), 'first');
  start = 'second';
  assert.equal(await instance.mark?.(), 'second');
});
