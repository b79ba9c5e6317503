import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { HOST_LIMITS } from '../judge/host.js';
import { freePort } from '../process/ports.js';
import { newestRun, runCommand, temporaryFolder } from './harness.js';

/** Servers of somebody else, which say nothing of themselves, are compared by a script of a user's own. */

const SERVER = `
const [port, delayMs] = process.argv.slice(1).map(Number);
require('node:http')
  .createServer((request, response) => setTimeout(() => response.end('hello'), delayMs))
  .listen(port, '127.0.0.1', () => console.log('up'));
`;

const SCRIPT = `
import http from 'k6/http';
import { check } from 'k6';
export default function () {
  check(http.get(__ENV.BASE_URL), { 'is there': (r) => r.status === 200 });
}
`;

/** @param {number} delayMs of an answer @returns {Promise<string>} where it is */
async function serve(delayMs) {
  const port = await freePort();
  const server = spawn(process.execPath, ['-e', SERVER, String(port), String(delayMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => server.kill());
  await once(server.stdout, 'data');
  return `http://127.0.0.1:${port}`;
}

test('of two servers under one script the quicker one is ahead, though neither says anything of itself', async () => {
  const reports = temporaryFolder();
  const script = join(reports, 'both.js');
  writeFileSync(script, SCRIPT);
  const { code, stderr, stdout } = await runCommand([
    ...['--script', script, '--reports', reports, '--repeats', '5'],
    ...['--endpoint', `old=${await serve(20)}`, '--endpoint', `new=${await serve(10)}`],
    ...['--steps', '5', '--step-duration', '1s', '--watch', 'new'],
  ]);
  assert.equal(code, 0, stderr);
  const { report, folder, records } = newestRun(reports);
  for (const { system, processes, operations, resources } of records) {
    const watched = system === 'new';
    assert.deepEqual(
      [processes?.length, resources.system !== null],
      watched ? [1, true] : [undefined, false],
    );
    assert.equal(operations.http_reqs.systemCpuUsPerOp !== null, watched);
    const isFull = Number(resources.host?.busyRatio) + Number(resources.host?.stealRatio) >= HOST_LIMITS.full;
    assert.equal(operations.http_reqs.setBy, watched ? 'waits' : isFull ? 'unattributed' : 'elsewhere');
  }
  assert.match(report, /\*\*new\*\* (1\.[6-9]|2\.[0-3])/, stdout);
  // CPU is seen of one of them alone.
  const first = report.slice(0, report.indexOf('<details>')).replace(/^.*CPU per operation.*$/m, '');
  assert.doesNotMatch(first, /≥|not comparable/);
  const details = readFileSync(join(folder, 'README.md'), 'utf8');
  assert.match(details, /new was given by its address.* Its CPU and memory are those of `node`/);
  assert.match(details, /old was given by its address.* was seen \(`--watch old` measures them\)/);
  const gate = (/** @type {string} */ base, /** @type {string} */ next) =>
    runCommand([
      'compare',
      `${folder}:${base}`,
      `${folder}:${next}`,
      '--fail-on',
      'throughput<-10%,p95>+10%',
    ]);
  const [kept, crossed] = [await gate('old', 'new'), await gate('new', 'old')];
  assert.deepEqual([kept.code, crossed.code], [0, 4], `${kept.stderr}${kept.stdout}${crossed.stderr}`);
});
