import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../paths.js';
import { recordFiles } from '../record/run-folder.js';
import { smallRun } from '../record/testing.js';
import { readJson, writeJson } from '../store.js';
import { earlierResults } from './history.js';
import { lineOf } from './line.js';
import { resultPoints, usePoints } from './points.js';
import { openLiveView } from './view.js';
import { createWriter } from './writer.js';

/** @import { AddressInfo } from 'node:net' */

test('a point becomes one line, whatever its texts hold', () => {
  const point = {
    measurement: 'run_event',
    tags: { system: 'a b,c=d', step: 'c1\\', empty: '', none: null },
    fields: { title: 'say "hi"\n\\', n: 2, missing: null, endless: Number.POSITIVE_INFINITY },
    timeMs: 1_700_000_000_000.4,
  };
  assert.equal(
    lineOf(point),
    'run_event,system=a\\ b\\,c\\=d,step=c1 title="say \\"hi\\" \\\\",n=2 1700000000000',
  );
  assert.equal(
    lineOf({ ...point, fields: { missing: null } }),
    null,
    'InfluxDB takes no point without fields',
  );
});

/** @param {number} cpuSec @param {number | null} ioReadBytes */
function sampled(cpuSec, ioReadBytes) {
  return { cpuSec, rssBytes: 5, ioReadBytes, ioWriteBytes: 0, threads: 1, processes: 1 };
}

/** @type {any} */
const cell = { system: 's', workload: 'w', transport: 't', repeat: 1, role: 'system', step: { id: 'c1' } };
/** @type {any} */
const plan = {
  runId: 'r',
  profileId: 'p',
  profile: {
    steps: [
      { id: 'c1', vus: 1 },
      { id: 'c9', vus: 9 },
    ],
  },
  trials: [],
};

test('resource use is a rate between two samples, and unknown where a counter is', () => {
  const host = { busySec: 1, totalSec: 10, stealSec: 0 };
  const points = usePoints(cell, plan, {
    before: { t: 0, system: sampled(1, null), generator: sampled(1, 0), host },
    now: {
      t: 2000,
      system: sampled(2, null),
      generator: sampled(4, 10),
      host: { ...host, busySec: 3, totalSec: 14 },
    },
    generatorCores: 3,
  });
  const of = (/** @type {string} */ subject) => points.find((p) => p.tags.subject === subject)?.fields;
  assert.deepEqual([of('system')?.cpu_cores, of('system')?.io_read_bytes_per_sec], [0.5, null]);
  assert.deepEqual([of('generator')?.cpu_share, of('generator')?.io_read_bytes_per_sec], [0.5, 5]);
  assert.equal(of('host')?.cpu_share, 0.5);
});

test('a generator that has just been replaced has no rate', () => {
  const host = { busySec: 1, totalSec: 10, stealSec: 0 };
  const [, generator] = usePoints(cell, plan, {
    before: { t: 0, system: null, generator: sampled(9, 0), host },
    now: { t: 1000, system: null, generator: sampled(1, 0), host },
    generatorCores: 1,
  });
  assert.equal(generator.fields.cpu_cores, null);
});

const sound = { status: 'VALID', reasons: [] };
/** @type {any} */
const record = {
  schemaVersion: 1,
  runId: 'r',
  ...cell,
  engine: 'native',
  status: 'ok',
  reason: null,
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs: 1500,
  operations: {
    get: {
      count: 90,
      ratePerSec: 45,
      targetPerSec: null,
      serviceMs: null,
      dropped: 0,
      errors: { timeout: 10 },
      verdict: sound,
    },
    set: {
      count: 0,
      ratePerSec: 0,
      targetPerSec: 9,
      serviceMs: { p50: 1, p95: 2, p99: 3 },
      dropped: 4,
      errors: {},
      verdict: sound,
    },
  },
  resources: { system: null },
  verdict: { status: 'INVALID', reasons: [{ code: 'errors', operation: 'get' }, { code: 'oracle' }] },
};

test('a judged cell is one point for each operation, at its end, with its verdict and the reasons', () => {
  const [get, set] = resultPoints(record, plan);
  assert.equal(get.timeMs, Date.parse('2026-01-01T00:00:01.500Z'));
  assert.deepEqual(
    [get.tags.op, get.tags.verdict, get.fields.why],
    ['get', 'INVALID', 'operations failed, wrong state after the load'],
  );
  assert.deepEqual([get.fields.error_ratio, set.fields.error_ratio], [0.1, null]);
  assert.deepEqual(
    [set.tags.verdict, set.fields.why, set.fields.p99_ms],
    ['INVALID', 'wrong state after the load', 3],
  );
});

test('a lower bound is a bar of another name than a figure', () => {
  const { get: bound, set: own } = record.operations;
  const verdict = { status: 'DEGRADED', reasons: [{ code: 'set_by_client' }] };
  const operations = { get: { ...bound, verdict }, set: own };
  const [get, set] = resultPoints({ ...record, operations, verdict: { ...verdict, reasons: [] } }, plan);
  assert.deepEqual([get.tags.bar, set.tags.bar, set.tags.verdict], ['s · bound', 's', 'VALID']);
});

test('a cell that failed is a point without figures, never 0', () => {
  const failed = {
    ...record,
    status: 'failed',
    reason: 'it ended',
    operations: {},
    verdict: { status: 'INVALID', reasons: [] },
  };
  const [point, ...more] = resultPoints(failed, plan);
  assert.deepEqual([more.length, point.fields], [0, { why: 'it ended' }]);
});

test('earlier runs are read from their folder, and one that cannot be read is left out', () => {
  const reports = mkdtempSync(join(tmpdir(), 'lb-history-'));
  after(() => rmSync(reports, { recursive: true }));
  const { cells } = smallRun(join(reports, 'whole'));
  smallRun(join(reports, 'torn'));
  writeFileSync(join(reports, 'torn', recordFiles(cells[0]).result), '{');
  smallRun(join(reports, 'later'));
  const later = join(reports, 'later', recordFiles(cells[0]).result);
  const reasons = [{ code: 'of a later version' }];
  writeJson(later, { ...readJson(later), verdict: { status: 'INVALID', reasons } });
  mkdirSync(join(reports, 'no-run'));
  const points = earlierResults(reports);
  assert.deepEqual([...new Set(points.map((p) => p.tags.step))], ['1 user', '20 users, iteration drive']);
  for (const run of ['torn', 'later']) rmSync(join(reports, run), { recursive: true });
  assert.equal(earlierResults(reports).length, points.length);
  rmSync(join(reports, 'whole'), { recursive: true });
  cpSync(join(ROOT, 'reports', BESIDE), join(reports, BESIDE), { recursive: true });
  assert.ok(earlierResults(reports).length > 100, 'what a system did alone in a start, too');
  assert.deepEqual(earlierResults(join(reports, 'nowhere')), []);
});

/** A run of systems side by side alone. */
const BESIDE = '2026-11-28T22-31-26Z-counters';

/** @param {(body: string) => number} answer */
async function influx(answer) {
  /** @type {string[]} */
  const bodies = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (d) => {
      body += d;
    });
    request.on('end', () => {
      bodies.push(`${request.url}\n${body}`);
      response.writeHead(answer(body)).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  after(() => server.close());
  return { url: `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}/k6`, bodies };
}

test('a piece of load of two systems is told of each, a copy under a name of its own, and shown on the page', async () => {
  const { url, bodies } = await influx(() => 204);
  /** @type {any[]} */
  const pages = [];
  const view = await openLiveView({
    ...{ url, reports: join(tmpdir(), 'lb-nowhere'), page: (rows) => pages.push(rows) },
    plan: { ...plan, sideBySide: { placement: { systems: [0], generator: [1, 2] } } },
  });
  const threads = (/** @type {number} */ cpuSec) => ({ seconds: 2, cpuSec, waitSec: null, busiest: null });
  const report = (/** @type {number} */ acked) => ({ acked, failed: 3, aborted: 0, endedMs: 0 });
  /** @type {any} */
  const group = { workload: 'w', transport: 't', systems: ['a', 'b'] };
  const show = view.startBegan(group, 4, [
    { name: 's2', system: 'a', containers: [{ name: 'a-2' }] },
    { name: 's0', system: 'a', containers: [{ name: 'a-1' }] },
    { name: 's1', system: 'b', containers: [] },
  ]);
  const slice = {
    ...{
      kind: /** @type {const} */ ('pair'),
      cell: 'get.c9',
      cutsMs: /** @type {[number, number]} */ ([0, 1]),
    },
    sides: [
      { name: 's0', threads: threads(1), report: report(200) },
      { name: 's2', threads: null, report: report(100) },
    ],
    host: { busySec: 1, stealSec: 0, totalSec: 4 },
    generator: threads(2),
  };
  const cell = /** @type {any} */ ({ id: 'get.c9', stepId: 'c9', operation: 'get', connections: 9 });
  const recentMs = [{ get: { p50: 1, p95: 2, p99: 3 } }, { get: null }];
  show(slice, { cell, seconds: 2, recentMs, uses: [{ name: 's0', use: null }] });
  view.startEnded(group, /** @type {any} */ ({ start: 4, status: 'ok', reason: null, alone: [record] }));
  await view.close();
  const lines = bodies.flatMap((body) => body.split('\n')).filter((line) => line.includes(' '));
  const has = (/** @type {RegExp} */ what) =>
    assert.equal(lines.filter((l) => what.test(l)).length, 1, `${what}\n${lines.join('\n')}`);
  has(/^op_rate_per_sec,.*system=a,.*phase=trial value=100 /);
  has(/^op_rate_per_sec,.*system=a\\ ·\\ copy,.* value=50 /);
  has(/^op_p99_ms,.*system=a,.*op=get value=3 /);
  assert.equal(lines.filter((l) => l.startsWith('op_p99_ms')).length, 1, 'nothing was answered by the copy');
  has(/^resource_use,.*system=a,.*subject=system cpu_cores=0.5,ops_per_cpu_sec=200 /);
  assert.equal(lines.filter((l) => /subject=generator cpu_cores=1,cpu_share=0.5 /.test(l)).length, 2);
  has(/^run_container,.*system=a\\ ·\\ copy,container=a-2 /);
  has(/^run_event,.*system=b,.*kind=start title="a, b, a · copy · w · side by side · repeat 4",/);
  has(/^run_event,.*system=a,.*kind=load title="a and a · copy · w · get, 9 users · repeat 4",/);
  has(/^run_result,.*op=get,verdict=INVALID/);
  assert.deepEqual(pages, [
    [
      { system: 'a', load: 'get, 9 users', ratePerSec: 100, failed: 3, p99Ms: 3, cores: 0.5 },
      { system: 'a · copy', load: 'get, 9 users', ratePerSec: 50, failed: 3, p99Ms: null, cores: null },
    ],
    null,
  ]);
});

const point = { measurement: 'm', tags: {}, fields: { v: 1 }, timeMs: 1 };

test('points are written at the latest when the writer is closed', async () => {
  const { url, bodies } = await influx(() => 204);
  const writer = createWriter(url);
  writer.write([point, { ...point, timeMs: 2 }]);
  await writer.close();
  assert.deepEqual(bodies, ['/write?db=k6&precision=ms\nm v=1 1\nm v=1 2']);
  assert.equal(writer.lost(), 0);
});

test('what InfluxDB refuses, or is not there to take, is counted and harms nobody', async () => {
  const { url } = await influx(() => 500);
  for (const target of [url, 'http://127.0.0.1:1/k6']) {
    const writer = createWriter(target);
    writer.write([point, point, point]);
    await writer.close();
    assert.equal(writer.lost(), 3, target);
  }
});

test('a store that takes nothing in does not fill the memory', async () => {
  const writer = createWriter('http://127.0.0.1:1/k6');
  for (let i = 0; i < 30; i++) writer.write(Array(1000).fill(point));
  assert.ok(writer.lost() >= 10_000);
  await writer.close();
  assert.equal(writer.lost(), 30_000);
});
