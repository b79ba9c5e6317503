/** k6 scripts whose iterations begin at a rate, whatever is answered: the server counts when they came. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { schemaProblems } from '../config/validate.js';
import { newestRun, runCommand, temporaryFolder } from './harness.js';
import { countingServer, plainK6 } from './plain-k6.js';

const folder = temporaryFolder();
const HEAD = "import http from 'k6/http'; import exec from 'k6/execution';";
/** Warm-up and tail of a step, beside its window. */
const BESIDE_SEC = 2.5;

let n = 0;
/** @param {string} text */
function script(text) {
  const path = join(folder, `rate-${++n}.js`);
  writeFileSync(path, `${HEAD}\n${text}`);
  return path;
}

/** @param {string} file @param {string} url @param {string[]} flags */
async function measure(file, url, ...flags) {
  const reports = temporaryFolder();
  const ended = await runCommand([
    ...['--script', file, '--endpoint', `shop=${url}`, '--reports', reports],
    ...(flags.includes('--step-duration') ? flags : ['--step-duration', '3s', ...flags]),
  ]);
  return { ...ended, run: () => newestRun(reports) };
}

test('so many iterations begin in a second as the rate says, each timed from when it was due, and rows name the rate', async () => {
  const server = await countingServer(() => ({ delayMs: 30 }));
  const file = script(`export default function () { http.get(__ENV.BASE_URL + '/r' + exec.scenario.name); }`);
  const { code, stderr, run } = await measure(file, server.url, '--rate', '40,100', '--by', 'url');
  // 4 where the machine is too busy for a figure.
  assert.ok(code === 0 || code === 4, stderr);
  const { records, report } = run();
  assert.deepEqual(
    records.map((r) => [r.step.id, r.step.model, r.operations.iterations.targetPerSec]),
    [
      ['rate40', 'open', 40],
      ['rate100', 'open', 100],
    ],
  );
  // The rehearsal, and of each step as many as its whole time has room for, the one at its begin too.
  const due = 1 + [40, 100].reduce((sum, rate) => sum + rate * (3 + BESIDE_SEC), 0);
  const asked = Number(server.asked.get('/rdefault'));
  // A machine that stands still for a second makes more than a second's iterations due at once: the rest is dropped.
  const dropped = records.reduce((sum, r) => sum + r.operations.iterations.dropped, 0);
  assert.ok(asked <= 1.03 * due && asked >= 0.97 * due - 2 * dropped, `${asked} requests of ${due}`);
  for (const record of records) {
    assert.deepEqual(schemaProblems('result', record), []);
    const { count, dropped: lost, responseMs, lagMs, serviceMs, targetPerSec } = record.operations.iterations;
    const all = count + lost;
    assert.ok(Math.abs(all - 3 * Number(targetPerSec)) <= 0.05 * all + 2, `${all} of ${targetPerSec}/s`);
    assert.ok(Number(responseMs?.mean) >= Number(serviceMs?.mean) - 0.1 && Number(lagMs?.max) >= 0);
    assert.ok(Number(responseMs?.min ?? 30) >= 29);
  }
  assert.match(report, /\| iterations \| shop \| 100 iterations\/s \|/);
  assert.match(report, /--script \S+ --rate 40,100 --step-duration 3s/);
});

test('an iteration that is due while no user is free is dropped as plain k6 drops it, counted, and waits for the rest of the window', async () => {
  // 40 users are there for 40 a second: each is busy for three seconds, of which two iterations are due with nobody free.
  const server = await countingServer(() => ({ delayMs: 3000 }));
  const file = script(
    `export const options = { thresholds: { dropped_iterations: ['count<1'] } };
     export default function () { http.get(__ENV.BASE_URL + '/held'); }`,
  );
  const load = script(
    `export const options = { scenarios: { x: { executor: 'constant-arrival-rate', rate: 40, duration: '5500ms', preAllocatedVUs: 40, maxVUs: 40 } },
       thresholds: { dropped_iterations: ['count<1'] } };
     export default function () { http.get(__ENV.BASE_URL + '/held'); }`,
  );
  assert.equal((await plainK6(['--env', `BASE_URL=${server.url}`, load])).code, 99);
  const byK6 = Number(server.asked.get('/held'));
  server.asked.clear();
  const { code, stderr, run } = await measure(file, server.url, '--rate', '40');
  assert.equal(code, 4, stderr);
  assert.match(stderr, /^Crossed: dropped_iterations: count<1$/m);
  const ours = Number(server.asked.get('/held')) - 1;
  assert.ok(Math.abs(ours - byK6) <= 4, `${ours} requests, and ${byK6} by plain k6`);
  const { dropped, responseMs } = run().records[0].operations.iterations;
  // Of a window from 2 s to 5 s those that are due in its first and in its last second.
  assert.ok(Math.abs(dropped - 80) <= 6, `${dropped} dropped`);
  assert.ok(Number(responseMs?.max) >= 2900, `${responseMs?.max} ms`);
  assert.match(run().report, new RegExp(`\\| ${dropped} \\|`), 'and it is shown');
});

test('a server that stops now and then is slow for all that was due meanwhile, which users who wait do not see', async () => {
  let holds = /** @type {(() => void)[] | null} */ (null);
  const server = createServer((_, response) => {
    if (holds) holds.push(() => response.end('late'));
    else response.end('ok');
  });
  // Of every three seconds it stops for one.
  const timer = setInterval(() => {
    holds = [];
    setTimeout(() => {
      for (const go of holds ?? []) go();
      holds = null;
    }, 1000);
  }, 3000);
  after(() => {
    clearInterval(timer);
    server.close();
    server.closeAllConnections();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const file = script(`export default function () { http.get(__ENV.BASE_URL); }`);
  const open = await measure(file, `http://127.0.0.1:${port}`, '--rate', '60', '--step-duration', '6s');
  const closed = await measure(file, `http://127.0.0.1:${port}`, '--steps', '2', '--step-duration', '6s');
  const response = open.run().records[0].operations.iterations.responseMs;
  const service = closed.run().records[0].operations.iterations.serviceMs;
  assert.ok(Number(response?.p95) >= 500, `${response?.p95} ms at a rate`);
  assert.ok(Number(service?.p95) < 250, `${service?.p95} ms by users who wait`);
});

test('scenarios of a script share the rate as they share users, each with its function', async () => {
  const server = await countingServer(() => ({ delayMs: 5 }));
  const file = script(
    `export const options = { scenarios: {
       browse: { executor: 'constant-arrival-rate', rate: 3, duration: '1s', preAllocatedVUs: 3, exec: 'browse' },
       buy: { executor: 'constant-vus', vus: 1, duration: '1s', exec: 'buy', env: { WHAT: 'one' } } } };
     export function browse() { http.get(__ENV.BASE_URL + '/browse'); }
     export function buy() { http.get(__ENV.BASE_URL + '/buy/' + __ENV.WHAT); }`,
  );
  const { code, stderr } = await measure(file, server.url, '--rate', '50');
  assert.ok(code === 0 || code === 4, stderr);
  const [browse, buy] = ['/browse', '/buy/one'].map((path) => Number(server.asked.get(path)) - 1);
  const all = 50 * (3 + BESIDE_SEC);
  assert.ok(Math.abs(browse - (3 / 4) * all) <= 3 && Math.abs(buy - all / 4) <= 3, `${browse} : ${buy}`);
});
