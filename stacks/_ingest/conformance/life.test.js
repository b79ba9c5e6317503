/** What takes more than a running server: kills, stops, clients that misbehave. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { assertProblem, connect, event, events } from './client.js';
import { build, dataFolder, implementations, missingTool, startServer } from './server.js';
import { assertStored } from './stored.js';

/**
 * @import { Answer, Server } from './client.js'
 * @import { Stack } from '../../../lib/types.d.ts'
 */

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Clients that send batch after batch until the server is gone.
 * @param {Server} server
 * @param {number} clients
 * @returns {Promise<{acked: string[], refused: number}>} ids of acknowledged events
 */
async function loadUntilGone(server, clients) {
  /** @type {string[]} */
  const acked = [];
  let refused = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let i = 0; i < 100_000; i++) {
        const given = events(20);
        let answer;
        try {
          answer = await server.batch(given);
        } catch {
          return;
        }
        if (answer.status === 200) acked.push(...given.map((e) => e.id));
        else refused++;
      }
    }),
  );
  return { acked, refused };
}

/** @param {Stack} stack */
function lifeOf(stack) {
  const data = dataFolder();
  before(() => build(stack));
  after(() => data.remove());

  test('a second server on the same data, of whichever program, does not start, and the first one goes on', async () => {
    const own = dataFolder();
    const running = await startServer(stack, own.path);
    try {
      const server = connect(running.url);
      for (const other of implementations().filter((s) => missingTool(s) === undefined)) {
        await build(other);
        await assert.rejects(startServer(other, own.path), /another server has its data in/);
      }
      assert.equal((await server.batch(events(3))).status, 200);
    } finally {
      running.signal('SIGKILL');
      await running.exited;
    }
    const again = await startServer(stack, own.path);
    await again.stop();
    own.remove();
  });

  test('kill -9 in mid-load loses no acknowledged event', async () => {
    for (let round = 0; round < 3; round++) {
      const running = await startServer(stack, data.path);
      const server = connect(running.url);
      assert.equal((await server.get('/healthz')).json.synchronous, 'FULL');
      const load = loadUntilGone(server, 16);
      await pause(700 + 200 * round);
      running.signal('SIGKILL');
      const { acked, refused } = await load;
      await running.stop();
      assert.equal(refused, 0);
      assert.ok(acked.length >= 100, `only ${acked.length} events were acknowledged before the kill`);
      const again = await startServer(stack, data.path);
      await assertStored(connect(again.url), acked);
      await again.stop();
    }
  });

  test('a stop in mid-load answers what it has taken, keeps everything and ends with 0', async () => {
    const running = await startServer(stack, data.path);
    const load = loadUntilGone(connect(running.url), 16);
    await pause(500);
    const asked = Date.now();
    running.signal('SIGTERM');
    const [{ acked, refused }, exit] = await Promise.all([load, running.exited]);
    assert.deepEqual(exit, { code: 0, signal: null });
    assert.ok(Date.now() - asked < 4500, 'it stopped within its grace');
    assert.equal(refused, 0);
    assert.ok(acked.length >= 100);
    await running.stop();
    const again = await startServer(stack, data.path);
    await assertStored(connect(again.url), acked);
    await again.stop();
  });

  test('a stop ends open streams and idle connections', async () => {
    const running = await startServer(stack, data.path);
    const socket = connectSocket({ host: '127.0.0.1', port: Number(new URL(running.url).port) });
    socket.write('GET /api/stream HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    await connect(running.url).get('/healthz');
    running.signal('SIGTERM');
    const { code } = await running.exited;
    assert.equal(code, 0);
    socket.destroy();
    await running.stop();
  });

  test('a stream that nobody reads is cut, and holds up no one', async () => {
    const running = await startServer(stack, data.path);
    const server = connect(running.url);
    const socket = connectSocket({ host: '127.0.0.1', port: Number(new URL(running.url).port) });
    socket.write('GET /api/stream HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.pause();
    // Far above what the contract lets wait, and what the kernel holds for both sides.
    const payload = { filler: 'f'.repeat(30_000) };
    for (let i = 0; i < 20; i++) {
      const answer = await server.batch(events(60, () => ({ payload })));
      assert.deepEqual(answer.json, { stored: 60, duplicates: [] });
    }
    let received = 0;
    let complete = false;
    let tail = '';
    socket.on('data', (bytes) => {
      received += bytes.length;
      tail = bytes.toString('latin1').slice(-5);
    });
    socket.on('error', () => {});
    socket.resume();
    await Promise.race([once(socket, 'close'), pause(10_000)]);
    complete = !socket.destroyed || tail === '0\r\n\r\n';
    assert.equal(complete, false, 'the connection was cut, not ended in order');
    assert.ok(received < 20 * 60 * 30_000, `all ${received} bytes came`);
    assert.equal((await server.one(event())).status, 201);
    socket.destroy();
    await running.stop();
  });

  test('who sends slowly is cut, and holds up no one', async () => {
    const running = await startServer(stack, data.path, { INGEST_PATIENCE: '1' });
    const head = 'POST /api/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const slow = [head, `${head}Content-Length: 1000\r\n\r\n{`].map((beginning) =>
      drip(running.url, beginning),
    );
    assert.equal((await connect(running.url).one(event())).status, 201);
    const [, body] = await Promise.all(slow);
    assert.match(body, /^HTTP\/1\.1 408 /);
    assert.match(body, /application\/problem\+json/);
    assert.match(body, /"type":"urn:ingest:problem:request-timeout"/);
    await running.stop();
  });

  test('bodies in memory are bounded in all: what is too much is 503, and there is room again when one has gone', async (t) => {
    const running = await startServer(stack, data.path, { INGEST_BUFFERS: '1' });
    t.after(() => running.stop());
    const server = connect(running.url);
    const large = () => server.batch(events(20, () => ({ payload: { filler: 'f'.repeat(30_000) } })));
    assert.equal((await large()).status, 200);
    const head = 'POST /api/events/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    /** Of two that come at once, either may be the one for which there is no room: then the slow one is sent again. */
    const beside = async () => {
      const socket = connectSocket({ host: '127.0.0.1', port: Number(new URL(running.url).port) });
      t.after(() => socket.destroy());
      socket.on('error', () => {});
      await new Promise((sent) => {
        socket.write(`${head}Content-Length: 1000000\r\n\r\n${' '.repeat(700_000)}`, sent);
      });
      await pause(200);
      const answer = await large();
      if (answer.status === 200) socket.destroy();
      return { answer, socket };
    };
    let tried = await beside();
    for (let tries = 1; tried.answer.status === 200 && tries < 50; tries++) tried = await beside();
    assertProblem(tried.answer, 503, 'overloaded');
    assert.equal((await server.one(event())).status, 201, 'what is small still fits');
    tried.socket.destroy();
    await untilStatus(large, 200);
  });

  test('answers count, too, and one that nobody takes is given up', async (t) => {
    const running = await startServer(stack, data.path, { INGEST_BUFFERS: '32', INGEST_PATIENCE: '1' });
    t.after(() => running.stop());
    const server = connect(running.url);
    const session = 'large';
    const payload = { filler: 'f'.repeat(60_000) };
    for (let i = 0; i < 5; i++)
      assert.equal((await server.batch(events(60, () => ({ session, payload })))).status, 200);
    // 18 MB: far more than what the kernel holds for both sides.
    const page = () => server.page({ session, limit: 300 });
    assert.equal((await page()).status, 200);
    const socket = connectSocket({ host: '127.0.0.1', port: Number(new URL(running.url).port) });
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    socket.write(`GET /api/events?session=${session}&limit=300 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    assertProblem(await page(), 503, 'overloaded');
    await untilStatus(page, 200);
  });

  test('a damaged file is refused at the start, and left as it is', async () => {
    const damaged = dataFolder();
    const file = join(damaged.path, 'events.db');
    for (const [name, content] of Object.entries({
      'not a database': Buffer.from('this was a database once '.repeat(400)),
      malformed: withoutSchema(join(data.path, 'events.db')),
    })) {
      writeFileSync(file, content);
      const refused = await startServer(stack, damaged.path).then(
        () => 'started',
        (error) => String(error.message),
      );
      assert.match(refused, /did not start/);
      assert.match(refused, new RegExp(name));
      assert.ok(readFileSync(file).equals(content), name);
    }
    damaged.remove();
  });

  test('a port that is taken is refused at the start', async () => {
    const running = await startServer(stack, data.path);
    const other = dataFolder();
    const { port } = new URL(running.url);
    const second = await startServer(
      {
        ...stack,
        manifest: { ...stack.manifest, native: { ...stack.manifest.native, start: onPort(stack, port) } },
      },
      other.path,
    ).then(
      () => 'started',
      (error) => String(error.message),
    );
    await running.stop();
    other.remove();
    assert.match(second, /did not start/);
    assert.match(second, /in use/i);
  });
}

/**
 * @param {() => Promise<Answer>} ask again and again
 * @param {number} status
 * @returns {Promise<Answer>} the first with this status
 */
async function untilStatus(ask, status) {
  for (const until = Date.now() + 20_000; ; ) {
    const answer = await ask();
    if (answer.status === status) return answer;
    assert.ok(Date.now() < until, `it is still ${answer.status}: ${answer.text.slice(0, 200)}`);
    await pause(50);
  }
}

/**
 * Sends the beginning of a request, then a byte now and then.
 * @param {string} url
 * @param {string} beginning
 * @returns {Promise<string>} all that was answered until the server closed
 */
async function drip(url, beginning) {
  const socket = connectSocket({ host: '127.0.0.1', port: Number(new URL(url).port) });
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes;
  });
  socket.on('error', () => {});
  socket.write(beginning);
  const timer = setInterval(() => socket.write('x'), 100);
  const closed = await Promise.race([once(socket, 'close').then(() => true), pause(20_000)]);
  clearInterval(timer);
  socket.destroy();
  assert.equal(closed, true, 'it is cut');
  return answer;
}

/**
 * @param {string} path of a database
 * @returns {Buffer} it, with the page of its schema overwritten behind the header
 */
function withoutSchema(path) {
  const bytes = readFileSync(path);
  return bytes.fill(0xff, 100, 4096);
}

/**
 * @param {Stack} stack
 * @param {string} port
 * @returns {string[]}
 */
function onPort(stack, port) {
  return (stack.manifest.native?.start ?? []).map((part) => part.replaceAll('{port}', port));
}

for (const stack of implementations()) {
  describe(`life: ${stack.id}`, { skip: missingTool(stack) }, () => lifeOf(stack));
}
