/** What a k6 script counts itself, and which of its requests are slow: rows, held against the counters of the server. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { schemaProblems } from '../config/validate.js';
import { newestRun, runCommand, temporaryFolder } from './harness.js';
import { plainK6 } from './plain-k6.js';
import { startServer } from './script-server.js';

const folder = temporaryFolder();
const server = await startServer();
after(() => server.stop());
const url = `http://${server.host}`;

let n = 0;
/** @param {string} text */
function script(text) {
  const path = join(folder, `rows-${++n}.js`);
  writeFileSync(
    path,
    `import http from 'k6/http'; import { sleep } from 'k6'; const url = __ENV.BASE_URL;\n${text}`,
  );
  return path;
}

/** @param {string} file @param {string[]} flags */
async function measure(file, ...flags) {
  const reports = temporaryFolder();
  const { code, stderr } = await runCommand([
    ...['--script', file, '--endpoint', `shop=${url}`, '--reports', reports, '--steps', '2'],
    ...['--step-duration', '2s', ...flags],
  ]);
  const run = newestRun(reports);
  const exported = async (/** @type {string} */ format) => {
    // Every record follows from the raw files.
    const ended = await runCommand([
      ...['report', run.folder, '--verify', '--reports', reports, '--format', format],
    ]);
    assert.equal(ended.code, 0, ended.stderr);
    return ended.stdout;
  };
  return { code, stderr, ...run, exported };
}

test("the script's own trends, rates, counters and gauges are rows with an interval, as plain k6 counts them", async () => {
  const file = script(`import { Counter, Gauge, Rate, Trend } from 'k6/metrics';
    const size = new Trend('size'), took = new Trend('took', true), odd = new Rate('odd'), sold = new Counter('sold'), level = new Gauge('level');
    export default () => { const r = http.get(url + '/own'); size.add(100 + (__ITER % 10)); took.add(7);
      odd.add(__ITER % 4 === 0); sold.add(2.5); level.add(5); sleep(0.005); }`);
  const summary = join(folder, 'summary.json');
  const plain = await plainK6(
    ['--vus', '2', '--iterations', '400', '--env', `BASE_URL=${url}`, '--summary-export', summary, file],
    {},
  );
  assert.equal(plain.code, 0, plain.output);
  const { metrics: byK6 } = (await import(`file://${summary}`, { with: { type: 'json' } })).default;

  const { code, stderr, records, report, exported } = await measure(file, '--repeats', '3');
  assert.ok(code === 0 || code === 4, stderr);
  for (const record of records) {
    assert.deepEqual(schemaProblems('result', record), []);
    const told = Object.fromEntries((record.metrics ?? []).map((m) => [m.name, m]));
    assert.deepEqual(Object.keys(told), ['level', 'odd', 'size', 'sold', 'took']);
    const { count } = told.size;
    assert.ok(Math.abs(count - record.operations.iterations.count) <= 2, 'once in each iteration');
    // Whole rounds of ten values, but for one of each user at the edges.
    assert.ok(
      Math.abs(Number(told.size.mean) - byK6.size.avg) <= (10 * 2) / count + 0.1,
      `${told.size.mean}`,
    );
    assert.deepEqual([told.size.min, told.size.max], [byK6.size.min, byK6.size.max]);
    assert.ok(Math.abs(Number(told.size.p95) - 109) < 0.2, `${told.size.p95}`);
    assert.ok(Math.abs(Number(told.odd.share) - byK6.odd.value) <= 4 / count, `${told.odd.share}`);
    assert.ok(Math.abs(Number(told.sold.perSec) - (2.5 * count) / 2) <= 2.5, `${told.sold.perSec}`);
    assert.deepEqual([told.level.last, told.level.min, told.level.max], [5, 5, 5]);
    assert.deepEqual([told.took.min, told.took.p50, told.took.isTime], [7, 7, true]);
  }
  // A repeat that a busy machine made INVALID is in none of them.
  const usable = records.filter((r) =>
    Object.values(r.operations).some((o) => o.verdict.status !== 'INVALID'),
  ).length;
  if (usable > 1) assert.match(report, /\| `sold` \| shop \| 2 users \| [0-9.]+ \([0-9.]+ – [0-9.]+\) \|/);
  assert.match(report, /\| `odd` \| shop \| 2 users \| 0\.2[45][0-9]* /);
  const json = JSON.parse(await exported('json'));
  assert.deepEqual(schemaProblems('figures', json), []);
  const sold = json.loads.find((/** @type {any} */ l) => l.operation === 'sold').figures;
  assert.deepEqual(
    sold.map((/** @type {any} */ f) => [f.metric, f.unit, f.n]),
    [['perSec', '1/s', usable]],
  );
  assert.match(await exported('csv'), /,c2,size,2,1,p50,,10[0-9.]+,10[0-9.]+,10[0-9.]+,\d,/);
});

test('by its name a request is a row, with those that failed, as the server counted them', async () => {
  const file = script(`export default () => {
      http.get(url + '/list?page=' + __ITER, { tags: { name: 'list' } }); http.get(url + '/slow/30', { tags: { name: 'buy' } });
      http.get(url + '/status/503', { tags: { name: 'pay' } }); }`);
  const { code, stderr, records, report, exported } = await measure(file, '--by', 'name');
  assert.equal(code, 4, stderr);
  const { rows = [], tag } = records[0].requests ?? {};
  assert.equal(tag, 'name');
  const of = Object.fromEntries(rows.map((r) => [r.value, r]));
  assert.equal(rows[0].value, 'buy', 'what took most time comes first');
  assert.ok(Number(of.buy.p50) >= 29 && Number(of.list.p50) < Number(of.buy.p50));
  assert.deepEqual([of.pay.count, of.buy.failed, of.list.failed], [0, 0, 0]);
  assert.ok(Number(of.pay.failedMeanMs) > 0, 'failed requests are timed, as k6 times them');
  // One of each in an iteration, but for one of each user that is cut at an edge of the window.
  for (const [value, path] of [
    ['buy', '/slow/30'],
    ['list', '/list'],
    ['pay', '/status/503'],
  ]) {
    const all = of[value].count + of[value].failed;
    assert.ok(Math.abs(all - records[0].operations.iterations.count) <= 2, `${value}: ${all}`);
    assert.ok(all > 0 && all < server.asked[path], 'warm-up and edges are not counted');
  }
  const sum = rows.reduce((total, r) => total + r.count + r.failed, 0);
  const { http_reqs: o } = records[0].operations;
  assert.equal(
    sum,
    o.count + Object.values(o.errors).reduce((a, b) => a + b, 0),
    'every request is in one row',
  );
  assert.match(report, /### Requests by name[\s\S]*\| `pay` \| shop \| 0 \| \d+ \| – \|/);
  assert.match(await exported('csv'), /,requests\{name:buy\},2,1,p50,ms,[23]\d/);
});

test('by its address it is one without the query, by a pattern it is one row, and beyond 50 the rest is one', async () => {
  const file = script(`const turns = Array.from({ length: 70 }, (_, turn) => turn);
    export default () => { for (let from = 0; from < 70; from += 10) {
      http.get(http.url\`\${url}/of/\${from}\`);
      http.batch(turns.slice(from, from + 10).map((turn) => url + '/item/' + turn + '?session=' + Math.random())); } }`);
  const { code, stderr, records, report } = await measure(file, '--by', 'url');
  assert.ok(code === 0 || code === 4, stderr);
  const { rows = [], others, beyond } = records[0].requests ?? {};
  assert.equal(rows.length, 50);
  assert.ok(rows.every((r) => !r.value.includes('?')));
  assert.equal(rows.filter((r) => r.value.includes('/of/')).length, 1, 'k6 groups a pattern');
  assert.equal(beyond, 70 + 1 - 50);
  const { http_reqs: o } = records[0].operations;
  const sum = rows.reduce((total, r) => total + r.count, Number(others?.count));
  assert.equal(sum, o.count, 'every request is in one row');
  assert.match(report, /\| others \(at least 21 more\) \| shop \|/);
  assert.match(report, /Addresses are without their query/);
});

test('a tag of the script, and one that no request has, are rows as well; calls of gRPC and WebSockets are requests', async () => {
  const text = `import ws from 'k6/ws';
    export default () => { ws.connect(url.replace('http', 'ws') + '/ws', { tags: { part: 'chat' } }, (s) => s.on('open', () => s.close()));
      http.get(url + '/plain'); sleep(0.005); }`;
  const { code, stderr, records } = await measure(script(text), '--by', 'part');
  assert.ok(code === 0 || code === 4, stderr);
  const rows = records[0].requests?.rows ?? [];
  assert.deepEqual(rows.map((r) => r.value).sort(), ['', 'chat']);
  for (const { count } of rows) assert.ok(Math.abs(count - records[0].operations.iterations.count) <= 2);
});

test('a threshold that no sample is for passes as in plain k6, and that is said in one line', async () => {
  for (const [what, thresholds, said] of /** @type {[string, string, string | null][]} */ ([
    ['a tag that no sample has', `{ 'http_reqs{kind:none}': ['count>=0'] }`, 'no sample carried {kind:none}'],
    [
      'a value that no sample has',
      `{ 'http_req_duration{status:418}': ['p(95)<1'] }`,
      'no sample carried {status:418}',
    ],
    ['a metric without samples', `{ checks: ['rate>=0'] }`, 'no sample of checks'],
    [
      'a tag that samples have',
      `{ 'http_reqs{status:200}': ['count>0'], 'http_req_duration{method:GET,status:200}': ['p(95)<60000'] }`,
      null,
    ],
  ])) {
    const file = script(
      `export const options = { thresholds: ${thresholds} }; export default () => { http.get(url + '/ok'); sleep(0.005); }`,
    );
    const { code: byK6 } = await plainK6(['--iterations', '5', '--env', `BASE_URL=${url}`, file]);
    const { code, stderr, report } = await measure(file, '--step-duration', '1s');
    assert.equal(byK6, 0, what);
    assert.ok(code === 0 || code === 4, stderr);
    assert.doesNotMatch(stderr, /^Crossed/m);
    const lines = stderr.split('\n').filter((line) => line.startsWith('no sample'));
    assert.equal(lines.length, said ? 1 : 0, stderr);
    if (said) assert.ok(lines[0].startsWith(said), lines[0]);
    assert.equal(/No sample/.test(report), said !== null);
  }
});
