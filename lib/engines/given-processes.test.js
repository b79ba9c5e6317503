import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryFolder } from '../e2e/harness.js';
import { freePort } from '../process/ports.js';
import { processTable, startTicksOf } from '../process/table.js';
import { readThreadsOf } from '../sample/threads.js';
import { sampleWatched } from '../sample/watched.js';
import { givenProcesses } from './given-processes.js';

/** Listens, and burns a CPU in a child of its own. */
const SERVER = `
const { spawn } = require('node:child_process');
const child = spawn(process.execPath, ['-e', 'const end = Date.now() + 60000; while (Date.now() < end);']);
process.on('exit', () => child.kill('SIGKILL'));
process.on('SIGTERM', () => process.exit());
require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1', () => console.log('up'));
`;

/** @param {string} [binary] */
async function listening(binary = process.execPath) {
  const port = await freePort();
  const child = spawn(binary, ['-e', SERVER, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  after(() => child.kill());
  await once(child.stdout, 'data');
  return { port, pid: Number(child.pid) };
}

test('who listens at a port is looked at with all that it started, in whatever process group', async () => {
  const { port, pid } = await listening();
  const { roots, names, mark } = givenProcesses('shop', port, []);
  assert.deepEqual(roots, [pid]);
  assert.equal(names.length, 1);
  assert.equal(mark(), `${pid} since ${startTicksOf(pid)}`);
  const seen = () => sampleWatched({ roots }, processTable());
  const before = seen();
  await new Promise((resolve) => setTimeout(resolve, 700));
  const sample = seen();
  assert.equal(sample?.processes, 2, 'it and its child, and nobody of this test');
  assert.ok(Number(sample?.cpuSec) - Number(before?.cpuSec) > 0.05, 'the child is counted');
  assert.ok(Number(readThreadsOf([{ roots }])[0]?.threads.size) > 1);
  assert.deepEqual(givenProcesses('shop', 1, [pid]).roots, [pid], 'named, whatever the port');
});

test('nobody there, a process that is gone, and a proxy in its place are one line each', async () => {
  const port = await freePort();
  assert.throws(() => givenProcesses('shop', port, []), {
    message: `--watch shop: no visible process of this machine listens at port ${port}`,
    exitCode: 3,
  });
  assert.throws(() => givenProcesses('shop', port, [2 ** 22 + 1]), /there is no process 4194305/);
  assert.throws(() => givenProcesses('shop', port, [process.ppid]), /started this run/);
  const proxy = join(temporaryFolder(), 'docker-proxy');
  symlinkSync(process.execPath, proxy);
  const { port: before } = await listening(proxy);
  assert.throws(() => givenProcesses('shop', before, []), /docker-proxy listens at port \d+, not the server/);
});
