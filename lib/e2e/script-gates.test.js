import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newestRun, runCommand, temporaryFolder } from './harness.js';
import { countingServer, plainK6 } from './plain-k6.js';

/** Thresholds and scenarios of a script: what plain k6 fails, `--script` fails, by the name of the threshold. */

const folder = temporaryFolder();
const server = await countingServer();

const HEAD = `
import http from 'k6/http';
import { sleep } from 'k6';
import exec from 'k6/execution';
`;
/** Calls whose path says which scenario, variable and tag they came by. */
const SCENARIOS = `
  scenarios: {
    browse: { executor: 'constant-vus', vus: 3, duration: '1s', exec: 'browse', env: { SHOP: 'a' }, tags: { kind: 'read' } },
    buy: { executor: 'per-vu-iterations', vus: 1, iterations: 20, exec: 'buy', env: { SHOP: 'b' } },
  },`;
const FUNCTIONS = `
export function browse() { http.get(__ENV.BASE_URL + '/browse/' + __ENV.SHOP); }
export function buy() { http.get(__ENV.BASE_URL + '/buy/' + __ENV.SHOP, { tags: { name: 'buy' } }); }
`;

let n = 0;
/** @param {string} options @param {string} [functions] */
function script(options, functions = FUNCTIONS) {
  const path = join(folder, `gate-${++n}.js`);
  writeFileSync(path, `${HEAD}\nexport const options = {${options}};\n${functions}`);
  return path;
}

/** @param {string} file @param {string[]} [more] @param {string[]} [after] options of k6 */
async function measure(file, more = ['--steps', '4'], after = []) {
  const reports = temporaryFolder();
  const ended = await runCommand([
    ...['--script', file, '--endpoint', `shop=${server.url}`, '--reports', reports, '--step-duration', '1s'],
    ...more,
    ...(after.length > 0 ? ['--', ...after] : []),
  ]);
  return { ...ended, run: () => newestRun(reports) };
}

/** @param {string} file @param {string[]} [after] */
async function plain(file, after = []) {
  const { code } = await plainK6(['--env', `BASE_URL=${server.url}`, ...after, file]);
  const paths = [...server.asked.keys()].sort();
  server.asked.clear();
  return { code, paths };
}

const LONG = `export default function () { http.get(__ENV.BASE_URL + '/long'); }`;

/** It sleeps, asks nobody, and so it runs beside the others. */
const began = Date.now();
const endless = measure(script('', `sleep(1000);\n${LONG}`)).then(({ code, stderr }) => ({
  ...{ code, stderr },
  tookMs: Date.now() - began,
}));
endless.catch(() => {});

test('a script that has scenarios and no default function keeps their functions, variables, tags and proportion', async () => {
  const file = script(
    `${SCENARIOS} thresholds: { 'http_reqs{scenario:buy}': ['count>0'], 'http_reqs{kind:read}': ['count>0'] }`,
  );
  const { code, paths } = await plain(file);
  assert.equal(code, 0);
  const ours = await measure(file);
  // 4 where the machine is too busy for a figure.
  assert.ok(ours.code === 0 || ours.code === 4, ours.stderr);
  assert.doesNotMatch(ours.stderr, /Crossed/);
  assert.deepEqual([...server.asked.keys()].sort(), paths);
  const [browse, buy] = ['/browse/a', '/buy/b'].map((path) => Number(server.asked.get(path)));
  assert.ok(browse > 2 * buy && browse < 4 * buy, `${browse} : ${buy} by 3 : 1 users`);
  assert.match(ours.stderr, /browse \(constant-vus\), buy \(per-vu-iterations\) share the users 3 : 1/);
  assert.match(ours.run().report, /share the users 3 : 1/);
  const few = await measure(file, ['--steps', '1,8']);
  assert.equal(few.code, 2);
  assert.match(few.stderr, /has 2 scenarios, and each needs a user\n.*--steps 2,8/);
});

test('a threshold on a scenario or on any tag is crossed as in plain k6, and named', async () => {
  for (const [what, options, after] of /** @type {[string, string, string[]][]} */ ([
    ['scenario', `${SCENARIOS} thresholds: { 'http_req_duration{scenario:buy}': ['p(95)<0.001'] }`, []],
    ['tag of a scenario', `${SCENARIOS} thresholds: { 'http_req_duration{kind:read}': ['max<0.001'] }`, []],
    ['tag of a request', `${SCENARIOS} thresholds: { 'http_reqs{name:buy}': ['count<1'] }`, []],
    [
      'tag of all',
      `${SCENARIOS} tags: { team: 'x', system: 'y' }, thresholds: { 'iterations{team:x,system:y}': ['count<1'] }`,
      [],
    ],
    [
      'tag after "--"',
      `${SCENARIOS} tags: { team: 'x' }, thresholds: { 'iterations{team:z}': ['count<1'] }`,
      ['--tag', 'team=z'],
    ],
  ])) {
    const file = script(options);
    assert.equal((await plain(file, after)).code, 99);
    const ours = await measure(file, undefined, after);
    assert.equal(ours.code, 4, `${what}: ${ours.stderr}`);
    const [, metric] = /** @type {RegExpExecArray} */ (/thresholds: \{ '([^']+)'/.exec(options));
    const reasons = ours.run().records.flatMap((r) => r.verdict.reasons);
    const named = reasons.find((r) => r.code === 'script_threshold');
    assert.match(String(named?.measured), new RegExp(`^${metric.replace(/[{}]/g, '\\$&')}: `));
    assert.match(ours.run().report, /threshold that the script sets itself was crossed/);
    assert.ok(ours.run().report.includes(metric), 'the page names it');
    assert.ok(ours.stderr.includes(`Crossed: ${metric}: `), ours.stderr);
  }
});

test('abortOnFail, delayAbortEval and exec.test.abort() end a step: exit 4, and the threshold is named', async () => {
  for (const [
    what,
    options,
    functions,
    code,
    text,
  ] of /** @type {[string, string, string, number, RegExp][]} */ ([
    [
      'a threshold with abortOnFail',
      `vus: 2, duration: '20s', thresholds: { http_req_duration: [{ threshold: 'p(90)<0.001', abortOnFail: true }] }`,
      LONG,
      99,
      /crossed before the step was over; http_req_duration: p\(90\)<0\.001/,
    ],
    [
      'a threshold with delayAbortEval',
      `vus: 2, duration: '20s', thresholds: { 'http_reqs{scenario:default}': [{ threshold: 'count<1', abortOnFail: true, delayAbortEval: '1s' }] }`,
      LONG,
      99,
      /crossed before the step was over; http_reqs\{scenario:default\}: count<1/,
    ],
    [
      'exec.test.abort()',
      `vus: 2, duration: '20s'`,
      LONG.replace('}', `if (exec.scenario.iterationInTest > 40) exec.test.abort('enough'); }`),
      108,
      /exec\.test\.abort\(\) before the step was over/,
    ],
  ])) {
    const file = script(options, functions);
    assert.equal((await plain(file)).code, code);
    const ours = await measure(file, ['--steps', '2', '--step-duration', '20s']);
    assert.equal(ours.code, 4, `${what}: ${ours.stderr}`);
    const { records, report } = ours.run();
    assert.equal(records[0].status, 'failed');
    assert.match(String(records[0].reason), text);
    assert.match(report.replaceAll('&lt;', '<'), text);
    assert.ok(Number(records[0].durationMs) < 15_000);
  }
});

test('a test that the script marks as failed is exit 4, with its figures', async () => {
  const file = script(
    `vus: 2, duration: '1s'`,
    LONG.replace('}', `if (exec.scenario.iterationInTest === 40) exec.test.fail('no good'); }`),
  );
  assert.equal((await plain(file)).code, 110);
  const ours = await measure(file, ['--steps', '2']);
  assert.equal(ours.code, 4, ours.stderr);
  const [{ status, verdict }] = ours.run().records;
  assert.equal(status, 'ok');
  assert.match(
    String(verdict.reasons.find((r) => r.code === 'script_threshold')?.measured),
    /exec\.test\.fail\(\)/,
  );
});

test('a gate that could never be crossed is refused before the load', async () => {
  for (const [thresholds, text] of /** @type {[string, RegExp][]} */ ([
    [`{ dropped_iterations: ['count<1'] }`, /dropped_iterations cannot be crossed/],
    [`{ 'http_reqs{scenario:shop}': ['count<1'] }`, /no scenario is called "shop"\n.*browse, buy/],
    [`{ no_such_metric: ['count<1'] }`, /no_such_metric/],
    [`{ http_reqs: ['p(95)<1'] }`, /p\(95\)<1/],
  ])) {
    server.asked.clear();
    const ours = await measure(script(`${SCENARIOS} thresholds: ${thresholds}`));
    assert.equal(ours.code, 2, ours.stderr);
    assert.match(ours.stderr, text);
    assert.equal(server.asked.size, 0, 'nothing was asked');
  }
});

test('what a script says of pausing and of segments is no part of the load', async () => {
  const file = script(`paused: true, executionSegment: '0:1/2'`, LONG);
  const ours = await measure(file, ['--steps', '4']);
  assert.ok(ours.code === 0 || ours.code === 4, ours.stderr);
  const { ratePerSec, serviceMs } = ours.run().records[0].operations.iterations;
  const users = (Number(ratePerSec) * Number(serviceMs?.mean)) / 1000;
  assert.ok(users > 3, `${users} of 4 users`);
});

test('code outside of functions that never ends is reported after a minute', async () => {
  const { code, stderr, tookMs } = await endless;
  assert.equal(code, 2);
  assert.match(stderr, /^error: gate-\d+\.js: its code outside of functions did not end in 60 s$/m);
  assert.ok(tookMs < 100_000);
});
