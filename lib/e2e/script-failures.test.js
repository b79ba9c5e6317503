/** Failures under the load of a k6 script: counted as the server counted them, and said before what was completed. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { withRun } from '../record/archive.js';
import { readRaw } from '../record/run-folder.js';
import { newestRun, startCommand, temporaryFolder } from './harness.js';
import { PROTO, startCalls, startServer } from './script-server.js';

const server = await startServer();
const calls = await startCalls();
after(() => Promise.all([server.stop(), calls.stop()]));

const HTTP = "import http from 'k6/http'; import { check, sleep } from 'k6'; const url = __ENV.BASE_URL;";
const WS = "import ws from 'k6/ws'; import { sleep } from 'k6'; const url = __ENV.BASE_URL;";
const GRPC = `import grpc from 'k6/net/grpc'; const client = new grpc.Client(); client.load([], 'shop.proto');
import { sleep } from 'k6'; const host = __ENV.BASE_URL.replace('grpc://', '');`;

/**
 * @param {string} text
 * @param {string} url
 * @param {string[]} flags
 */
function begin(text, url, ...flags) {
  const own = temporaryFolder();
  const [script, reports] = ['mine.js', 'reports'].map((name) => join(own, name));
  writeFileSync(script, text);
  writeFileSync(join(own, 'shop.proto'), PROTO);
  const run = startCommand([
    ...['--script', script, '--reports', reports, '--endpoint', `shop=${url}`],
    ...(flags.includes('--step-duration') ? flags : ['--step-duration', '2s', ...flags]),
  ]);
  return { ...run, run: () => newestRun(reports) };
}

/** @param {{errors: Record<string, number>}} operation */
const failedOf = ({ errors }) => Object.values(errors).reduce((n, e) => n + e, 0);

/**
 * All that k6 told of an operation, warm-up and edges of the window too, as a server counts it.
 * @param {{folder: string, records: import('../types.d.ts').CellRecord[]}} run
 * @param {string} op
 */
function wholeOf({ folder: run, records: [record] }, op) {
  const { histograms } = withRun(run, (data) => readRaw(data, record.cell));
  const w = /** @type {any} */ (histograms?.windows.find((x) => x.op === op));
  return { done: w.count + w.early + w.late, failed: failedOf(w) + w.earlyErrors + w.lateErrors };
}

/** A server of its own process, to be killed in the midst of a load. */
async function mortal() {
  const child = fork(new URL('script-mortal.js', import.meta.url));
  after(() => child.kill('SIGKILL'));
  const [{ http, grpc }] = await once(child, 'message');
  return { http, grpc, kill: () => child.kill('SIGKILL') };
}

// Users who rest after each iteration leave the machine idle for the most part.
describe('users who rest', { concurrency: 2 }, () => {
  test('failed requests stand before completed ones, and their step is not compared', async () => {
    const { ended, run } = begin(
      `${HTTP} export default () => { http.get(url + '/flaky/10'); sleep(0.005); }`,
      `http://${server.host}`,
      ...['--steps', '4'],
    );
    const { code, stderr } = await ended;
    assert.equal(code, 4, stderr);
    const { records, report } = run();
    const [{ operations: o, verdict }] = records;
    // Every tenth of all; the rehearsal was the first.
    const asked = server.asked['/flaky/10'];
    const failed = Math.floor(asked / 10);
    assert.deepEqual(wholeOf(run(), 'http_reqs'), { done: asked - 1 - failed, failed });
    assert.ok(Number(o.http_reqs.failedMs) > 0, 'they are timed, as k6 times them');
    assert.deepEqual(o.http_reqs.errorKinds, { 'HTTP 503': failedOf(o.http_reqs) });
    assert.equal(failedOf(o.iterations), 0, 'each came to its end');
    assert.equal(verdict.status, 'DEGRADED');
    const summary = report.slice(0, report.indexOf('<details>'));
    assert.match(
      summary,
      /\*\*shop fails\*\* 1?[0-9.]+ % of the operations `http_reqs` at its worst load \(.*mostly `HTTP 503`\)/,
    );
    assert.match(summary, /operations that failed.*\n.*iterations.* op\/s \| .* beside failures/);
    assert.doesNotMatch(summary, /p99/);
    assert.match(stderr, /^ *shop\n *operations that failed/m);
  });

  test('checks that do not hold are named, and iterations that throw with what they threw', async () => {
    const { ended, run } = begin(
      `${HTTP} let n = 0; export default () => { n++; const answer = http.get(url + '/turn/' + (n % 20));
     check(answer, { 'is kind': () => n % 5 > 0 }); sleep(0.002); if (n % 4 === 0) throw new Error('every fourth'); }`,
      `http://${server.host}`,
      ...['--steps', '2'],
    );
    const { code, stderr } = await ended;
    assert.equal(code, 4, stderr);
    const [{ operations: o }] = run().records;
    const turns = (/** @type {(n: number) => boolean} */ is) =>
      Object.entries(server.asked).reduce((sum, [path, times]) => {
        const [, turn] = /^\/turn\/(\d+)$/.exec(path) ?? [];
        return sum + (turn !== undefined && is(Number(turn)) ? times : 0);
      }, 0);
    const all = turns(() => true) - 1;
    const [fourths, fifths] = [4, 5].map((k) => turns((n) => n % k === 0));
    assert.ok(fourths > 10 && fifths > 10);
    assert.deepEqual(wholeOf(run(), 'iterations'), { done: all - fourths, failed: fourths });
    assert.deepEqual(wholeOf(run(), 'checks'), { done: all - fifths, failed: fifths });
    assert.deepEqual(o.checks.errorKinds, { 'is kind': failedOf(o.checks) });
    assert.deepEqual(o.iterations.errorKinds, { 'Error: every fourth': failedOf(o.iterations) });
  });

  test('gRPC calls that are refused have failed, by the name of their status', async () => {
    const { ended, run } = begin(
      `${GRPC} export default () => { if (__ITER === 0) client.connect(host, { plaintext: true });
     client.invoke('shop.Shop/Get', { status: __ITER % 2 === 0 ? 0 : 5 }); sleep(0.002); }`,
      `grpc://${calls.host}`,
      ...['--steps', '2'],
    );
    const { code, stderr } = await ended;
    assert.equal(code, 4, stderr);
    const [{ operations: o }] = run().records;
    const { done, failed } = wholeOf(run(), 'grpc_req_duration');
    assert.equal(done + failed, calls.asked() - 1, 'all but that of the rehearsal');
    assert.ok(done - failed >= 0 && done - failed <= 2, 'each of two users begins with one that holds');
    assert.deepEqual(Object.keys(o.grpc_req_duration.errorKinds ?? {}), ['gRPC NotFound']);
    assert.ok(calls.asked() > o.grpc_req_duration.count);
  });

  for (const [what, text, scheme, operation] of [
    [
      'WebSockets that nobody opens any more',
      `${WS} export default () => { ws.connect(url + '/ws', {}, (s) => { s.on('open', () => s.close()); }); sleep(0.01); }`,
      'ws',
      'ws_connecting',
    ],
    [
      'gRPC whose errors are caught',
      `${GRPC} export default () => { try { client.connect(host, { plaintext: true, timeout: '1s' });
     client.invoke('shop.Shop/Get', {}); client.close(); } catch { } sleep(0.01); }`,
      'grpc',
      'iterations',
    ],
  ])
    test(`a server that dies under load fails what is asked of it, whatever its library catches, and its next load is left out: ${what}`, async () => {
      const died = await mortal();
      const { ended, says, run } = begin(
        text,
        `${scheme}://${scheme === 'ws' ? died.http : died.grpc}`,
        // Time enough after the kill for what waits a second for a connection.
        ...['--steps', '2,4', '--step-duration', '4s'],
      );
      await says(/Machine:/);
      // In the midst of the window of the first step.
      await new Promise((resolve) => setTimeout(resolve, 3500));
      died.kill();
      const { code, stderr } = await ended;
      assert.equal(code, 3, stderr);
      const { records, report } = run();
      const [first, second] = records;
      assert.ok(failedOf(first.operations[operation]) > 0, JSON.stringify(first.operations[operation]));
      assert.ok(first.verdict.reasons.some((r) => r.code === 'errors'));
      assert.match(String(second.reason), /shop no longer answers: .*ECONNREFUSED/);
      assert.match(report, /\*\*shop fails\*\*/);
    });
});

test('less than one failure in a thousand is shown and bars nothing', async () => {
  const { ended, run } = begin(
    `${HTTP} export default () => { http.get(url + '/flaky/1100'); }`,
    `http://${server.host}`,
    ...['--steps', '8', '--step-duration', '8s'],
  );
  const { stderr } = await ended;
  const [{ operations, verdict }] = run().records;
  assert.ok(operations.http_reqs.count > 1100, stderr);
  assert.ok(failedOf(operations.http_reqs) > 0);
  assert.ok(verdict.reasons.every((r) => r.code !== 'errors'));
  assert.match(run().report, /operations that failed \| \d/);
});
