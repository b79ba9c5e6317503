import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { HOST_LIMITS } from '../judge/host.js';
import { newestRun, runCommand, temporaryFolder } from './harness.js';

/** A k6 script of somebody's own against a server that counts what it is asked. */

/** At least so long each answer takes. */
const DELAY_MS = 10;
const asked = { setup: 0, load: 0 };
const server = createServer((request, response) => {
  asked[request.url === '/setup' ? 'setup' : 'load']++;
  setTimeout(() => response.end(`{"path":"${request.url}"}`), DELAY_MS);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
after(() => server.close());
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const folder = temporaryFolder();

/**
 * @param {import('../types.d.ts').CellRecord['resources']['host']} host
 * @returns {RegExp} who set a figure: the client had time, as far as can be told on a machine that others use
 */
function expectedOf(host) {
  const isFull = !host || host.busyRatio + host.stealRatio >= HOST_LIMITS.full;
  return isFull ? /^(elsewhere|unattributed)$/ : /^elsewhere$/;
}

/** @param {string} name @param {string} text */
function script(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** @param {string} file @param {string[]} flags */
async function measure(file, ...flags) {
  const reports = temporaryFolder();
  const target = `shop=http://127.0.0.1:${port}`;
  const ended = await runCommand(['--script', file, '--endpoint', target, '--reports', reports, ...flags]);
  return { ...ended, run: () => newestRun(reports) };
}

const SHOP = `
import http from 'k6/http';
import { check, sleep } from 'k6';
import { Trend } from 'k6/metrics';
const waiting = new Trend('waiting', true);
const size = new Trend('size');
export const options = { scenarios: { other: { executor: 'shared-iterations', vus: 1, iterations: 1 } } };
export function setup() { http.get(__ENV.BASE_URL + '/setup'); }
export default function (): void {
  for (const path of ['/a', '/b']) {
    const answer = http.get(__ENV.BASE_URL + path);
    check(answer, { 'names its path': (r) => r.body === JSON.stringify({ path }) });
    waiting.add(answer.timings.waiting);
    size.add(1);
  }
  sleep(0.01);
}
`;

const SIMPLE = `
import http from 'k6/http';
import { check } from 'k6';
export const options = { thresholds: { http_req_duration: ['p(95)<60000'] } };
export default function () {
  check(http.get(__ENV.BASE_URL), { 'is there': (r) => r.status === 200 });
}
`;

test('its iterations, requests, checks and times are operations with a report, and what it cannot tell is said', async () => {
  const { code, stderr, run } = await measure(
    script('shop.ts', SHOP),
    ...['--steps', '8', '--step-duration', '4s'],
  );
  // 4 where the machine is too busy for a figure.
  assert.ok(code === 0 || code === 4, stderr);
  const { records, report } = run();
  assert.deepEqual(
    records.map((r) => [r.step.vus, Object.keys(r.operations)]),
    [[8, ['iterations', 'http_reqs', 'checks', 'waiting']]],
  );
  for (const { operations: o, step, resources } of records) {
    assert.ok(o.iterations.count >= 100, `${o.iterations.count} iterations`);
    // Two for each iteration, but for those that were under way at the edges of the window.
    assert.ok(Math.abs(o.http_reqs.count - 2 * o.iterations.count) <= 2 * step.vus);
    assert.ok(Math.abs(o.checks.count - o.http_reqs.count) <= step.vus);
    assert.equal(o.checks.serviceMs, null, 'nobody knows how long a check takes');
    assert.ok(/** @type {any} */ (o.http_reqs.serviceMs).min >= DELAY_MS - 2);
    assert.ok(/** @type {any} */ (o.iterations.serviceMs).min >= 2 * DELAY_MS + 8);
    assert.ok(Math.abs(o.waiting.count - o.http_reqs.count) <= step.vus);
    assert.match(String(o.iterations.setBy), expectedOf(resources.host), JSON.stringify(o.iterations.shares));
  }
  const counted = records.reduce((n, r) => n + r.operations.http_reqs.count, 0);
  assert.ok(counted < asked.load, 'warm-up and edges are not counted');
  assert.equal(asked.setup, 2, 'one for the rehearsal, one for the step');
  assert.match(report, /What is stored was not looked at/);
  // Twice in each iteration, in the one column and in the other.
  assert.match(report, /\| `size` \| shop \| 8 users \| 1\.00 \| 1\.00 \|/);
  assert.match(report, /\| `waiting` \| shop \| 8 users \| [0-9.]+ \|/);
  assert.match(report, /--script \S*shop\.ts --steps 8 --step-duration 4s --endpoint shop=/);
  assert.doesNotMatch(report, /Acknowledged against stored/);
});

test('checks that do not hold and thresholds of its own are exit 4, and a script that cannot run is exit 2', async () => {
  const short = ['--steps', '5', '--step-duration', '1s'];
  const wrong = SIMPLE.replace('===', '!==').replace('p(95)<60000', 'p(95)<1');
  const failed = await measure(script('wrong.js', wrong), ...short);
  assert.equal(failed.code, 4, failed.stderr);
  const [{ verdict, operations, resources }] = failed.run().records;
  const { setBy, shares } = operations.checks;
  assert.match(String(setBy), expectedOf(resources.host), JSON.stringify(shares));
  assert.deepEqual(
    operations.checks.verdict.reasons.map((r) => r.code),
    ['errors', ...(setBy === 'unattributed' ? ['unattributed'] : [])],
  );
  const ofHost = new Set(['host_busy', 'host_unseen']);
  assert.deepEqual(
    verdict.reasons.flatMap((r) => (r.operation === undefined && !ofHost.has(r.code) ? [r.code] : [])),
    ['script_threshold', 'errors'],
  );
  const bad = await measure(script('bad.js', 'export default function () { nothing() }'), ...short);
  assert.equal(bad.code, 2);
  assert.match(bad.stderr, /^error: bad\.js: ReferenceError: nothing is not defined$/m);
  assert.throws(bad.run, /no run in/);
});
