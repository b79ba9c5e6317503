import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startChild } from './child.js';
import { freePort, listenerOf } from './ports.js';
import { within } from './within.js';

/** A server that a connection ends, in a shell that starts it again. */
const SUPERVISED = `while :; do "${process.execPath}" -e '
  require("node:net").createServer((s) => { s.on("error", () => {}); process.exit(0); }).listen(process.argv[1], "127.0.0.1")
' "$0"; done`;

/** @param {() => string | null} read @param {(found: string | null) => boolean} wanted */
async function until(read, wanted) {
  for (let tries = 0; tries < 400 && !wanted(read()); tries++) await within(25);
  return read();
}

test('processes that ask for free ports at one moment are given different ones', async () => {
  const ask = `const { freePort } = await import('${import.meta.dirname}/ports.js');
for (let i = 0; i < 80; i++) console.log(await freePort());`;
  const call = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', ask]);
  const answers = await Promise.all(Array.from({ length: 5 }, call));
  const ports = answers.flatMap(({ stdout }) => stdout.trim().split('\n'));
  assert.equal(ports.length, 400);
  assert.deepEqual([...new Set(ports)], ports);
});

test('where all ports are taken one line says so', async (t) => {
  const first = await freePort();
  const taken = createServer().listen(first, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  await assert.rejects(freePort({ first, count: 1 }), {
    message: `no port from ${first} to ${first} is free on 127.0.0.1`,
  });
});

test('a server that was restarted on its port counts as another one, although its process group lives on', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs /proc');
  const work = mkdtempSync(join(tmpdir(), 'lb-ports-'));
  const port = await freePort();
  assert.equal(listenerOf(port), null);
  const child = await startChild(['sh', '-c', SUPERVISED, String(port)], { logPath: join(work, 'log') });
  t.after(async () => {
    await child.stop(0);
    rmSync(work, { recursive: true });
  });
  const first = await until(
    () => listenerOf(port),
    (found) => found !== null,
  );
  assert.match(String(first), /^\d+ since \d+$/);
  assert.equal(listenerOf(port), first, 'it is the same as long as it lives');
  connect(port, '127.0.0.1').on('error', () => {});
  const second = await until(
    () => listenerOf(port),
    (found) => found !== null && found !== first,
  );
  assert.match(String(second), /^\d+ since \d+$/);
  assert.notEqual(second, first);
  assert.ok(child.running());
});
