/** Two k6 scripts on one server: in turns, each with its own thresholds, and compared by their names. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOST_LIMITS } from '../judge/host.js';
import { ROOT } from '../paths.js';
import { newestRun, runCommand, temporaryFolder } from './harness.js';
import { countingServer } from './plain-k6.js';

const folder = temporaryFolder();
const server = await countingServer((path) => ({ delayMs: path === '/two' ? 20 : 10 }));

/** @param {string} name @param {string} path @param {string} [options] */
function script(name, path, options = '') {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(
    file,
    `import http from 'k6/http'; export const options = { ${options} };
     export default () => { http.get(__ENV.BASE_URL + '${path}'); };\n`,
  );
  return file;
}

test('of two scripts the quicker one is named, by its name, and each asks its own', async () => {
  const reports = temporaryFolder();
  const files = [script('one.js', '/one'), script('two.js', '/two')];
  server.asked.clear();
  const { code, stderr, stdout } = await runCommand([
    ...['--compare-scripts', ...files, '--endpoint', `shop=${server.url}`, '--reports', reports],
    ...['--steps', '4', '--step-duration', '1s'],
  ]);
  const { records, report } = newestRun(reports);
  assert.equal(records.length, 10);
  const began = [...records].sort((a, b) => String(a.startedAt).localeCompare(String(b.startedAt)));
  assert.deepEqual(
    began.filter((_, i) => i % 2 === 0).map((r, i) => r.system !== began[2 * i + 1].system),
    [true, true, true, true, true],
    'each repeat has both, one after the other',
  );
  for (const { system, title, operations } of records) {
    assert.equal(title, `${system}.js`);
    assert.ok(Number(operations.http_reqs.serviceMs?.min) >= (system === 'two' ? 19 : 9));
  }
  for (const path of ['/one', '/two']) {
    const own = records.filter((r) => `/${r.system}` === path);
    const counted = own.reduce((n, r) => n + r.operations.http_reqs.count, 0);
    assert.ok(counted > 0 && counted < Number(server.asked.get(path)), 'each asks its own');
  }
  assert.match(report, /^# Scripts: one\.js or two\.js\?/m);
  assert.match(report, /--compare-scripts \S+one\.js \S+two\.js --steps 4 --step-duration 1s/);
  const isBusy = records.some(
    ({ resources: { host } }) => Number(host?.busyRatio) + Number(host?.stealRatio) >= HOST_LIMITS.full,
  );
  const summary = report.slice(0, report.indexOf('<details>'));
  if (!isBusy) assert.equal(code, 0, stderr);
  if (!isBusy) assert.match(summary, /\*\*one\.js\*\*/, stdout);
  assert.match(summary, /one\.js.*two\.js/, 'rows have the names of the scripts');
  const gate = await runCommand([
    ...['compare', `${newestRun(reports).folder}:one`, `${newestRun(reports).folder}:two`, '--json'],
  ]);
  assert.ok(gate.code === 0, gate.stderr);
});

test('of two scripts only the threshold of the one that crosses it is crossed, and what crossed it is not ranked', async () => {
  const reports = temporaryFolder();
  const one = script('one.js', '/one', `thresholds: { http_req_duration: ['p(95)<60000'] }`);
  const two = script('two.js', '/two', `thresholds: { 'http_reqs{scenario:default}': ['count<1'] }`);
  const { code, stderr } = await runCommand([
    ...['--compare-scripts', one, two, '--endpoint', `shop=${server.url}`, '--reports', reports],
    ...['--steps', '4', '--step-duration', '1s', '--repeats', '1'],
  ]);
  assert.equal(code, 4, stderr);
  const { records, report } = newestRun(reports);
  for (const { system, verdict } of records) {
    const crossed = verdict.reasons.filter((r) => r.code === 'script_threshold').map((r) => r.measured);
    assert.deepEqual(crossed, system === 'two' ? ['http_reqs{scenario:default}: count<1'] : []);
  }
  assert.match(report.slice(0, report.indexOf('<details>')), /past a threshold of the script/);
});

test('scripts of one name in two folders, with scenarios of their own, are two rows; at a rate both have the same', async () => {
  const reports = temporaryFolder();
  const two = `scenarios: { a: { executor: 'constant-vus', vus: 1, duration: '1s' }, b: { executor: 'constant-vus', vus: 1, duration: '1s' } }`;
  const files = [script('v1/shop.js', '/v1'), script('v2/shop.js', '/v2', two)];
  server.asked.clear();
  const { code, stderr } = await runCommand([
    ...['--compare-scripts', ...files, '--endpoint', `shop=${server.url}`, '--reports', reports],
    ...['--rate', '30', '--step-duration', '2s', '--repeats', '1'],
  ]);
  assert.ok(code === 0 || code === 4, stderr);
  const { records, report } = newestRun(reports);
  assert.deepEqual(records.map((r) => r.title).sort(), ['v1/shop.js', 'v2/shop.js']);
  const [v1, v2] = ['/v1', '/v2'].map((path) => Number(server.asked.get(path)));
  // The rehearsal performs one of each scenario.
  assert.ok(Math.abs(v1 - 1 - (v2 - 2)) <= 6, `${v1} and ${v2} requests`);
  assert.match(stderr, /shop\.js: the steps take the place of .* a \(constant-vus\), b \(constant-vus\)/);
  assert.match(report, /\| iterations \| v1\/shop\.js \| 30 iterations\/s \|/);
  const [, again] = /`(\.\/run-all\.sh --compare-scripts [^`]+)`/.exec(report) ?? [];
  const planned = execFileSync('bash', ['-c', `${again} --dry-run`], { cwd: ROOT, encoding: 'utf8' });
  const same = records.map(({ system }) => `${system}  30 iterations/s  repeat 1`);
  assert.deepEqual(planned.trim().split('\n').sort(), same.sort(), again);
});

test('a script of the two that cannot run is named, and nothing is measured', async () => {
  const bad = join(folder, 'bad.js');
  writeFileSync(bad, 'export default () => { nothing(); };\n');
  const reports = temporaryFolder();
  const { code, stderr } = await runCommand([
    ...['--compare-scripts', script('fine.js', '/fine'), bad, '--endpoint', `shop=${server.url}`],
    ...['--reports', reports],
  ]);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^error: bad\.js: ReferenceError: nothing is not defined$/m);
  assert.throws(() => newestRun(reports), /no run in/);
});
