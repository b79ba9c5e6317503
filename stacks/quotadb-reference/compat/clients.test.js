import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { createClient } from 'redis';
import { runTool, which } from '../../../lib/process/tool.js';
import { obtainNeed } from '../../../lib/setup/needs.js';
import { startServer } from './server.js';

/** What users have at hand must work against the real server: node-redis, redis-cli and redis-benchmark; go-redis has its test beside. */

const canBuild = which('cargo') !== null ? false : 'cargo is not on PATH';
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
before(async () => {
  if (!canBuild) server = await startServer();
});
after(() => server?.stop());

/**
 * @param {string} name of a program of Debian's redis-tools
 * @returns {Promise<((args: string[]) => Promise<string>) | null>} runs it against the server; null when it cannot be had
 */
async function redisTool(name) {
  const result = await obtainNeed({ binary: 'redis-server', debian: 'redis-server' });
  const found = 'found' in result ? result.found : null;
  const beside = found && join(dirname(found.path), name);
  const path = which(name) ?? (beside && which(beside));
  if (!path) return null;
  return async (args) => {
    const { ok, stdout, stderr } = await runTool([path, '-p', String(server.port), ...args], {
      env: found?.env,
      timeoutMs: 60_000,
    });
    assert.ok(ok, `${name} ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
}

for (const RESP of /** @type {const} */ ([2, undefined])) {
  test(`node-redis counts and pipelines, ${RESP ? `RESP${RESP}` : 'as it comes'}`, {
    skip: canBuild,
  }, async () => {
    const client = createClient({ url: server.url, ...(RESP ? { RESP } : {}) });
    await client.connect();
    try {
      await client.flushAll();
      assert.equal(await client.ping(), 'PONG');
      assert.equal(await client.incr('n'), 1);
      assert.equal(await client.incrBy('n', 41), 42);
      assert.equal(await client.decr('n'), 41);
      assert.equal(await client.get('n'), '41', 'a counter is a string to clients');
      assert.equal(await client.get('none'), null);
      await client.set('text', 'grün');
      assert.deepEqual(await client.mGet(['n', 'text', 'none']), ['41', 'grün', null]);
      const sent = Array.from({ length: 5000 }, () => client.incr('pipelined'));
      assert.deepEqual(
        await Promise.all(sent),
        sent.map((_, i) => i + 1),
      );
      await client.set('big', '9223372036854775807');
      await assert.rejects(client.incr('big'), /ERR increment or decrement would overflow/);
      await assert.rejects(client.incr('text'), /ERR value is not an integer or out of range/);
      assert.equal(await client.del(['n', 'none']), 1);
      assert.equal(await client.exists('n'), 0);
      assert.equal(await client.dbSize(), 3);
      assert.match(await client.info(), /server_name:quotadb-reference/);
    } finally {
      await client.close();
    }
  });
}

test('redis-cli speaks to it and sees its errors', { skip: canBuild }, async (t) => {
  const cli = await redisTool('redis-cli');
  if (!cli) return t.skip('redis-cli is neither on PATH nor to be had from Debian');
  assert.equal(await cli(['FLUSHALL']), 'OK');
  assert.equal(await cli(['INCRBY', 'n', '5']), '5');
  assert.equal(await cli(['GET', 'n']), '5');
  assert.equal(await cli(['SET', 'text', 'a b']), 'OK');
  assert.equal(await cli(['MGET', 'n', 'text']), '5\na b');
  assert.match(await cli(['INCR', 'text']), /^ERR value is not an integer or out of range/);
  assert.match(await cli(['INFO', 'server']), /server_name:quotadb-reference/);
  assert.match(await cli(['CONFIG', 'GET', 'appendonly']), /^appendonly\nno$/);
});

test('redis-benchmark runs the tests that it claims to support, and what it counts is stored', {
  skip: canBuild,
}, async (t) => {
  const benchmark = await redisTool('redis-benchmark');
  if (!benchmark) return t.skip('redis-benchmark is neither on PATH nor to be had from Debian');
  for (const [depth, tests] of [
    ['1', 'ping_inline,ping_mbulk,set,get,incr,mset'],
    ['16', 'ping_inline,ping_mbulk,set,get,incr,mset'],
  ]) {
    const text = await benchmark(['-t', tests, '-n', '5000', '-c', '20', '-P', depth, '--csv']);
    const rates = text.split('\n').filter((line) => /^"(PING|SET|GET|INCR|MSET)/.test(line));
    assert.equal(rates.length, tests.split(',').length, text);
    for (const line of rates) assert.ok(Number(line.split(',')[1].replaceAll('"', '')) > 0, line);
    assert.doesNotMatch(text, /error/i);
  }
  const client = createClient({ url: server.url });
  await client.connect();
  // Without -r all increments go to one key, and redis-benchmark sends what its pipelines round up to.
  const counted = Number(await client.get('counter:__rand_int__'));
  await client.close();
  assert.ok(counted >= 10_000 && counted < 10_000 + 2 * 20 * 16, `${counted}`);
});
