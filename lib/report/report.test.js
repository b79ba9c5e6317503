import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { schemaProblems } from '../config/validate.js';
import { readRun } from '../figures/run.js';
import { aCell } from '../judge/testing.js';
import { readPlan } from '../record/run-folder.js';
import { layOut, STORED } from '../record/testing.js';
import { readJson } from '../store.js';
import { pageOf, renderRun } from './render.js';
import { runOf } from './run.js';
import { tellingLines } from './sections/gaps/section.js';
import { sectionsOf } from './sections/index.js';

const work = mkdtempSync(join(tmpdir(), 'lb-report-'));
after(() => rmSync(work, { recursive: true, force: true }));

/** @param {string} name */
const laidOut = (name) => layOut(name, join(work, name));
/** A real run of the profile smoke, its systems renamed; `UPDATE_GOLDEN=1 npm test` rewrites what is rendered from it. */
const GOLDEN = laidOut('run-small');
/** The same of the workload with steps by count: a variant, two transports, sizes on disk. */
const COUNTED = laidOut('run-documents');
/** Items, a mix, lifecycle figures, a count of syncs, a ceiling, a soak. */
const EVENTS = laidOut('run-events');
/**
 * Workloads of one contract side by side: users at once, depth of relations, more data, limits. What its threads used was
 * added by hand, as this run is older than that evidence; no figure of it stands for a system.
 */
const SUITE = laidOut('run-suite');
/** A mix in two cases over three transports, with kills. */
const MIX = laidOut('run-mix');
const RENDERED = ['README.md', 'report.html', 'charts'];
/** Of one run the whole HTML is kept: it holds what README and charts do, in one frame. */
const WITH_HTML = 'run-small';

/** @param {string} golden @returns {string} its page */
function pagesOf(golden) {
  return readFileSync(join(golden, 'README.md'), 'utf8');
}

/** @param {string} folder @returns {Record<string, string>} path → text of what was rendered */
function renderedIn(folder) {
  const path = join(folder, 'charts');
  const charts = existsSync(path) ? readdirSync(path).sort() : [];
  return Object.fromEntries(
    ['README.md', 'report.html', ...charts.map((c) => `charts/${c}`)]
      .filter((f) => existsSync(join(folder, f)))
      .map((f) => [f, readFileSync(join(folder, f), 'utf8')]),
  );
}

for (const golden of [GOLDEN, COUNTED, EVENTS, SUITE, MIX]) {
  test(`a stored run renders to the same bytes, charts and all: ${basename(golden)}`, () => {
    const stored = join(STORED, basename(golden));
    renderRun(golden, golden, { ended: false });
    if (process.env.UPDATE_GOLDEN) {
      rmSync(join(stored, 'charts'), { recursive: true, force: true });
      for (const name of RENDERED.filter((n) => existsSync(join(golden, n))))
        if (name !== 'report.html' || basename(golden) === WITH_HTML)
          cpSync(join(golden, name), join(stored, name), { recursive: true });
    }
    const { 'report.html': html, ...first } = renderedIn(golden);
    const kept = basename(golden) === WITH_HTML ? { 'report.html': html } : {};
    assert.deepEqual({ ...first, ...kept }, renderedIn(stored));
    renderRun(golden, golden, { ended: false });
    assert.deepEqual(renderedIn(golden), { ...first, 'report.html': html }, 'and again in the same process');
  });
}

test('the table of what deploying a system costs and gives has each line that no other table has, and its conditions', () => {
  const report = pagesOf(EVENTS);
  for (const metric of [
    'start-up, ms (10 cold starts)',
    'idle memory, MiB (anonymous)',
    'idle RSS, MiB (as ps counts it)',
    'batch: **events/s**',
    'batch: CPU of the system, µs/event',
    'batch: syncs/event, counted by the kernel (for each request)',
    'storage alone: events/s',
    'runtime size, MiB',
    'and what it shares, MiB',
    'single: **events/s**',
    'mixed-batch: **events/s**',
  ])
    assert.ok(report.includes(`\n| ${metric} | `), metric);
  for (const text of [
    /\*\*Beta\*\* spent .* of the time in syncs/,
    /4 clients of the live stream received/,
    /1 of the 5 repeats that a winner needs/,
    /Durability of all alike \(synced before each reply\)/,
    /^### Soak: memory and latency over time$/m,
  ])
    assert.match(report, text);
});

test('workloads of one contract are shown side by side, with every table and chart', () => {
  const report = pagesOf(SUITE);
  for (const heading of ['### Entities over http, workloads side by side', '### Promises of the systems'])
    assert.ok(report.includes(`\n${heading}\n`), heading);
  for (const row of [
    /^\| what a level costs on ten times the data \| Alpha \| ≤ 1\.5 \| .* \| inconclusive: 1 of 5 repeats \|$/m,
  ])
    assert.match(report, row);
  assert.doesNotMatch(report, /fastest|cheapest|best for/i, 'no winner in words');
  const charts = readdirSync(join(SUITE, 'charts')).filter((name) => name.startsWith('suite-'));
  assert.deepEqual(charts, [
    'suite-entities-http-baseline.svg',
    'suite-entities-http-federation-depth-depths.svg',
  ]);
  for (const chart of charts)
    assert.match(
      readFileSync(join(SUITE, 'charts', chart), 'utf8'),
      /aria-label=".*Alpha [\d.]+, Beta [\d.]+/,
    );
});

test('every section of a run by count is there', () => {
  const report = pagesOf(COUNTED);
  for (const title of ['Documents over resp', 'Documents over resp: every operation', 'CPU per operation'])
    assert.match(report, new RegExp(`^### ${title}$`, 'm'));
  assert.match(report, /^### Documents: size of the stored data$/m);
  assert.match(
    report,
    /\| min \| p90 \| p99, all repeats \| p99\.9 \| max \| standard deviation \| errors \|/,
  );
  assert.match(report, /\| Alpha \(synced\), resp \|.*\| REWRITE \| \d\d\.\d % \|/);
  assert.match(report, /Dataset: 20.000 documents, 19\.4 MiB: mean 1019 bytes \(1011 to 1027\)/);
});

test('the report of a mix holds every table that it must', () => {
  const report = pagesOf(MIX);
  for (const heading of [
    '### Realtime over http, hot',
    '### Realtime over ws, spread',
    '### Realtime over subscribed, hot',
    '### Realtime over http: every operation',
    '#### Workload breakdown',
    '### Durability: `kill -9` under load',
    '### CPU per operation',
    '### Architecture and durability',
  ])
    assert.ok(report.includes(`${heading}\n`), heading);
  assert.match(
    report,
    /\| Alpha \| 8 users, hot \| \d{2}\u202f\d{3} \| [^|]+ \| \d{2}\u202f\d{3} \(70\.\d %\) \| \d{4} \(29\.\d %\) \|/,
  );
  for (const record of readRun(MIX).records)
    assert.deepEqual(schemaProblems('result', record), [], record.cell);
});

test('the records of the stored run hold to their schema', () => {
  const records = [GOLDEN, COUNTED, SUITE].flatMap((golden) => readRun(golden).records);
  assert.ok(records.length > 20);
  for (const record of records) assert.deepEqual(schemaProblems('result', record), [], record.cell);
});

test('a ladder of the page has its loads down and the systems across', () => {
  const report = readFileSync(join(GOLDEN, 'README.md'), 'utf8');
  assert.match(
    report,
    /^\| load \| outcome by p99 \(95 % CI\) \| Gamma \(reference\) \| Alpha \| Beta \| throughput, Alpha = 1× \(95 % CI\) \| limited by \|$/m,
  );
  for (const load of ['ping, 1 user', 'increment, 100 users', 'get, 100 users × pipeline 16'])
    assert.match(
      report,
      new RegExp(
        `^\\| ${load} \\| [^|]+ \\| [≥ \\d\u202f]+ · [\\d.]+ · [\\d.]+ · [\\d.]+ · [\\d.]+ \\|`,
        'mu',
      ),
    );
});

/** @param {import('../types.d.ts').CellRecord[]} records @param {object} [more] */
function runWith(records, more = {}) {
  const plan = readPlan(GOLDEN);
  const systems = ['a', 'b'].map((id) => ({
    ...plan.systems[1],
    id,
    title: id.toUpperCase(),
    role: /** @type {const} */ ('system'),
  }));
  const steps = [{ id: 'c100', model: /** @type {const} */ ('closed'), vus: 100, durationSec: 10 }];
  const profile = { ...plan.profile, drive: /** @type {const} */ ('burst'), steps };
  const changed = { ...plan, systems, profile, repeats: 5, absent: [], trials: [], ...more };
  return runOf({ plan: changed, environment: readJson(join(GOLDEN, 'environment.json')), records });
}

/** @param {import('./run.js').Run} run */
function reportOf(run) {
  return pageOf(run, sectionsOf(run)).page;
}

/** @param {string} system @param {number[]} rates @param {object} [more] */
function repeats(system, rates, more = {}) {
  return rates.map((ratePerSec, i) => aCell({ system, repeat: i + 1, ratePerSec, ...more }));
}

test('the answer comes first, and its figure with its interval in the matrix', () => {
  const ahead = runWith([
    ...repeats('a', [130, 131, 129, 132, 130]),
    ...repeats('b', [100, 101, 99, 100, 100]),
  ]);
  assert.match(
    ahead.answers[0],
    /^\*\*A is 1\.30× faster than B\*\* \(get, 100 users; 95 % CI 1\.29–1\.32\)\.$/,
  );
  assert.match(
    reportOf(ahead),
    /^\| 100 users, op\/s \| ✅ \*\*A\*\* 1\.30× \(1\.\d\d–1\.\d\d\) faster \| \*\*130\*\* \| 100 \|$/m,
  );
  const same = runWith([
    ...repeats('a', [100, 101, 99, 100, 102]),
    ...repeats('b', [100, 101, 99, 100, 100]),
  ]);
  assert.match(same.answers[0], /^\*\*A and B tie\*\* on (the only|both|all \d) loads?\.$/);
  const noisy = runWith([
    ...repeats('a', [100, 140, 90, 100, 120]),
    ...repeats('b', [100, 101, 99, 100, 100]),
  ]);
  assert.match(reportOf(noisy), /inconclusive \(within ±\d+ %\)/);
  const few = runWith([...repeats('a', [200]), ...repeats('b', [100])]);
  assert.match(few.answers[0], /^\*\*No winners\*\*: a winner needs 5 usable repeats/);
  assert.match(reportOf(few), /too few repeats \(1 of 5\): A 2\.00×/);
});

test('the better one is ahead where less is better', () => {
  const cost = (/** @type {string} */ system, /** @type {number[]} */ us) =>
    us.map((systemCpuUsPerOp, i) => aCell({ system, repeat: i + 1, result: { systemCpuUsPerOp } }));
  const run = runWith([...cost('a', [4, 4.1, 4, 4.1, 4]), ...cost('b', [2, 2.1, 2, 2, 2])]);
  assert.match(
    reportOf(run),
    /^\| 100 users, CPU per operation, µs \| ✅ \*\*B\*\* 2\.00× \(.*\) lower \| 4\.00 \| \*\*2\.00\*\* \|$/m,
  );
});

test('what the client may have set is a lower bound; it names a winner where that cannot change it', () => {
  const reasons = [{ code: 'set_by_client' }];
  const fast = repeats('a', [200, 210, 205, 200, 202], { reasons });
  const slow = [100, 101, 99, 100, 100];
  const run = runWith([...fast, ...repeats('b', slow)]);
  assert.match(run.answers[0], /^\*\*A is at least [12]\.\d\d× faster than B\*\*/);
  assert.match(reportOf(run), /≥ 202/);
  const both = runWith([...fast, ...repeats('b', slow, { reasons })]);
  assert.match(
    reportOf(both),
    /op\/s \| not comparable: may be limited by the load generator \| ≥ 202 \| ≥ 100 \|/,
  );
  const wrong = runWith([...repeats('a', [130, 131, 129, 132, 150]), ...repeats('b', slow, { reasons })]);
  assert.match(
    reportOf(wrong),
    /op\/s \| not comparable: [^|]+ \| 131 \| ≥ 100 \|/,
    'the bound is that of the slower one',
  );
});

test('a failed cell shows its reason and its last log line, never a zero', () => {
  const dead = aCell({
    system: 'a',
    record: {
      status: 'failed',
      reason: 'the system ended | during the cell',
      logTail: ['panic: out of memory'],
      operations: {},
    },
  });
  const report = reportOf(runWith([dead, ...repeats('b', [100])]));
  assert.match(report, /\*\*A has no figure\*\*: failed: the system ended/);
  assert.match(report, /none: failed: the system ended \\\| during the cell/);
  assert.match(report, /Last log line: `panic: out of memory`/);
});

test('of a log that ends with advice, the line that complains is shown too', () => {
  const log = [
    'server 1.9.8',
    'Fatal error!',
    'Pidfile /data/server.pid already exists!',
    'Kill the running process before you run this command,',
    "or use '-s restart' option to restart the server.",
  ];
  assert.deepEqual(tellingLines(log), [log[1], log[2], log[4]]);
  assert.deepEqual(tellingLines(['a', 'cannot open the file x', 'b']), ['cannot open the file x', 'b']);
  assert.deepEqual(tellingLines(['a', 'b']), ['b']);
  assert.deepEqual(tellingLines([]), []);
});

test('an invalid cell shows why in place of a number', () => {
  const reasons = [{ code: 'littles_law', measured: 0.4, limit: 0.05 }];
  const report = reportOf(runWith([...repeats('a', [100], { reasons }), ...repeats('b', [100])]));
  assert.match(report, /\| none: the figures contradict each other/);
  assert.match(report, /\*\*the figures contradict each other\*\*.*Little's law does not hold/);
});

test('a smoke test says of a system that is only too slow for its windows that it works, of one that fails that it does not', () => {
  const { workloads } = readPlan(GOLDEN);
  const other = { ...workloads[0], id: 'other', title: 'Other', shown: undefined };
  const more = { workloads: [...workloads, other], repeats: 1 };
  const slow = [{ code: 'window_too_short', measured: 2, limit: 5 }];
  const pageWith = (/** @type {object} */ own) =>
    reportOf(runWith([...repeats('a', [100], own), ...repeats('b', [100])], more));
  const works = pageWith({ reasons: slow });
  assert.match(works, /^# Smoke test: 2 of 2 systems run here/);
  assert.match(works, / · rates of get\n/);
  assert.match(works, /, op\/s \|.*\n.*\n\| A \| ✅ works \|.*\n\| B \| ✅ 100 \|/);
  assert.match(
    works,
    /^- ✅ \*\*A\*\*, .*: works, but without a figure: the window is too short for its latency\.$/m,
  );
  assert.match(pageWith({ reasons: [...slow, { code: 'littles_law' }] }), /^- ❌ \*\*A\*\*, /m);
  const errors = { connect: 0, timeout: 1, protocol: 0, server: 0, other: 0 };
  assert.match(pageWith({ reasons: slow, result: { errors } }), /^- ❌ \*\*A\*\*, /m);
});

test('what was not measured is named with its reason', () => {
  const absent = [
    {
      system: 'elsewhere',
      status: /** @type {const} */ ('unavailable'),
      reason: 'its image could not be had',
    },
    { system: 'far', title: 'Far Store', status: /** @type {const} */ ('unavailable'), reason: 'no program' },
  ];
  const run = runWith(repeats('a', [100]), { absent });
  assert.match(reportOf(run), /`elsewhere` was not measured: its image could not be had\./);
});

test('a p99 of too few operations stands in no table of the page', () => {
  const few = { result: { count: 60, serviceMs: null } };
  const latency = { ...(aCell().operations.get.serviceMs ?? {}), p99: 7777 };
  const cells = ['a', 'b'].flatMap((system) =>
    [1, 20].map((vus) =>
      aCell({ system, vus, result: { ...few.result, serviceMs: /** @type {any} */ (latency) } }),
    ),
  );
  const report = reportOf(runWith(cells));
  assert.match(report, /Ladder of users/);
  assert.doesNotMatch(report, /7777|7780/);
  const enough = reportOf(
    runWith(cells.map((c) => ({ ...c, operations: { get: { ...c.operations.get, count: 1000 } } }))),
  );
  assert.match(enough, /7780/);
});

test('costs leave INVALID repeats out, those of the generator too', () => {
  const cell = (/** @type {number} */ repeat, /** @type {number} */ us, /** @type {any[]} */ reasons = []) =>
    aCell({ system: 'a', repeat, reasons, result: { generatorCpuUsPerOp: us, systemCpuUsPerOp: us } });
  const report = reportOf(runWith([cell(1, 1), cell(2, 4), cell(3, 500, [{ code: 'littles_law' }])]));
  assert.match(report, /^\| 100 users \| 2\.50 · 2\.50 \|/m);
});
