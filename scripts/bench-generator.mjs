#!/usr/bin/env node
// Compares the load generator, as runs use it, with redis-benchmark, wrk and plain k6, interleaved in one run, and
// writes k6/extension/BENCHMARKS.md. See --help.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as hdr from 'hdr-histogram-js';
import { barsOf, extraLines, reachedOf, tableOf } from './bench-page.js';
import { prepareTools } from './bench-tools.mjs';
import { measureTruth } from './bench-truth.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const bench = path.join(root, 'k6/extension/bench');

const help = `Usage: node scripts/bench-generator.mjs [options]

  --k6 PATH         k6 with our extensions (default: built from k6/extension, cached)
  --null PATH       null responder (default: built from stacks/_null/server, cached)
  --rounds N        rounds, each with every row once (5)
  --seconds N       length of a measured window (2)
  --loops N         event loops of the generator (1: as a system has in runs that compare side by side, and as many
                    threads as redis-benchmark and wrk have here)
  --rows TEXT       only rows whose name contains TEXT
  --wide N          connections of which the memory is measured, after the rounds (10000)
  --no-truth        leave out what \`npm run bench:truth\` says (about 3 minutes, after the rounds)
  --prefix COMMAND  put before each measured command, for example "taskset -c 1"
  --out FILE        where the page goes (k6/extension/BENCHMARKS.md)

About 3 minutes a round. redis-server, redis-benchmark and wrk come from PATH, or unpacked from Debian's packages; a row whose tool is missing says so.`;

const { values: flags } = parseArgs({
  options: {
    k6: { type: 'string' },
    null: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    loops: { type: 'string', default: '1' },
    rows: { type: 'string', default: '' },
    prefix: { type: 'string', default: '' },
    wide: { type: 'string', default: '10000' },
    'no-truth': { type: 'boolean', default: false },
    out: { type: 'string', default: path.join(root, 'k6/extension/BENCHMARKS.md') },
    help: { type: 'boolean', default: false },
  },
});

if (flags.help) {
  process.stdout.write(`${help}\n`);
  process.exit(0);
}
const built = await prepareTools();
flags.k6 ??= built.k6;
flags.null ??= built.null;
/** A thousand virtual users of k6 take about two seconds to start. */
const WARM_UP_SEC = 3;
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);
/** Connections of the row that tells what they cost in memory. */
const WIDE = Number(flags.wide);
/** Share of their operations that may fail: so many scripts begin at once that some connections are not made in time. */
const WIDE_MAY_FAIL = 0.001;
/** A virtual user of k6 takes about a megabyte. */
const WIDE_NEEDS_BYTES = WIDE * 1.2 * 2 ** 20;
const body = '{"op":"increment","args":[0,1]}';

/** @returns {string} the version of a tool, or '' when it cannot be started */
function version(command, args, pattern) {
  const { stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  return error ? '' : (`${stdout}${stderr}`.match(pattern)?.[1] ?? 'unknown');
}

const tools = {
  k6: version(flags.k6, ['version'], /v(\d\S+)/),
  null: version(flags.null, ['--version'], /null (\S+)/),
  'redis-server': version('redis-server', ['--version'], /v=(\S+)/),
  'redis-benchmark': version('redis-benchmark', ['--version'], /redis-benchmark (\S+)/),
  wrk: version('wrk', ['-v'], /wrk (\S+)/),
  epoll: '',
};

/** @param {string} directory @returns {string} the path of our client in C, '' where no compiler is */
function compiledIn(directory) {
  const output = path.join(directory, 'epoll');
  const { status } = spawnSync('gcc', ['-O2', '-o', output, path.join(bench, 'epoll.c')], {
    stdio: 'inherit',
  });
  return status === 0 ? output : '';
}

/** Runs one client; CPU seconds are those of the whole process tree, from rusage. */
function measured(command, args, env = {}) {
  const prefix = flags.prefix.split(' ').filter(Boolean);
  const line = ['bash', '-c', 'TIMEFORMAT="cpu %U %S"; time "$@"', '_', command, ...args];
  const [first, ...rest] = [...prefix, ...line];
  const { status, stdout, stderr } = spawnSync(first, rest, {
    encoding: 'utf8',
    env: {
      ...process.env,
      LC_ALL: 'C',
      K6_NO_USAGE_REPORT: 'true',
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
      BURST_LOOPS: flags.loops,
      ...env,
    },
    maxBuffer: 64 << 20,
  });
  const cpu = stderr.match(/cpu (\d+\.\d+) (\d+\.\d+)\s*$/);
  if (status !== 0 || !cpu) throw new Error(`${command} ended with ${status}: ${stderr.slice(-400)}`);
  return { stdout, cpuSeconds: Number(cpu[1]) + Number(cpu[2]) };
}

/**
 * One script beside main.js. CPU is that of its window where it tells, else of the whole process, less what an empty script
 * took in the same round.
 */
function k6(script, env, startup) {
  const args = ['run', '--quiet', '--address', '', path.join(bench, script)];
  const { stdout, cpuSeconds } = measured(flags.k6, args, env);
  const result = JSON.parse(stdout.slice(stdout.indexOf('{')));
  if (result.failed > 0) throw new Error(`${script}: ${result.failed} operations failed`);
  const { cpu, startMs, endMs } = result;
  const used = cpu ? cpuAt(cpu, endMs) - cpuAt(cpu, startMs) : cpuSeconds - startup;
  return point(result.operations, result.seconds, used);
}

/**
 * One step by k6/main.js, as the runner starts it: a virtual user for each connection, a window for each operation.
 * CPU is that of the whole k6 process from the begin to the end of the window, by its own account.
 * @param {{transport: string, port: number, step: object, operations?: string[], directory: string, rate?: number,
 *   workload?: string, stackFolder?: string}} work operations: those that count; rate: of all connections, in operations
 *   per second
 */
function step({ operations = ['ping', 'increment', 'get'], ...work }) {
  const { args, histograms } = stepCommand(work);
  measured(flags.k6, args);
  return resultOf(histograms, operations, `${work.transport}, ${work.step.vus} connections`);
}

/** @param {Omit<Parameters<typeof step>[0], 'operations'>} work @returns {{args: string[], histograms: string}} of k6, and its file */
function stepCommand({ transport, port, step, directory, rate, workload = 'counters', stackFolder }) {
  const [profile, summary, histograms] = ['profile', 'summary', 'histograms'].map((name) =>
    path.join(directory, `${name}.json`),
  );
  writeFileSync(
    profile,
    JSON.stringify({ seed: 1, warmupSec: WARM_UP_SEC, drive: 'burst', dataset: { keys: 1 }, steps: [] }),
  );
  const own = { id: 'bench', model: 'closed', depth: 1, durationSec: 3 * seconds, ...step };
  const env = {
    SYSTEM: 'bench',
    ROLE: 'calibration',
    WORKLOAD: workload,
    PROFILE: 'bench',
    STACK_FOLDER: stackFolder ?? path.join(bench, 'load'),
    TRANSPORT: transport,
    BASE_URL: `${transport}://127.0.0.1:${port}`,
    BODY: body,
    STEP_JSON: JSON.stringify(own),
    PROFILE_FILE: profile,
    SUMMARY_FILE: summary,
    HISTOGRAMS_FILE: histograms,
    ...(rate ? { RATE_PER_SEC: String(rate) } : {}),
  };
  const flagsOf = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  return {
    args: ['run', '--quiet', '--address', '', ...flagsOf, path.join(root, 'k6/main.js')],
    histograms,
  };
}

/**
 * @param {string} histograms file that k6 has left
 * @param {string[]} operations those that count; all of a turn share one window
 * @param {string} what for the message of an error
 * @param {number} [mostFailed] share of the operations that may fail
 */
function resultOf(histograms, operations, what, mostFailed = 0) {
  const { windows, cpu, loops } = JSON.parse(readFileSync(histograms, 'utf8'));
  const used = windows.filter((w) => operations.includes(w.op) && w.phase.startsWith('measure'));
  const failed = used.flatMap((w) => Object.values(w.errors)).reduce((all, n) => all + n, 0);
  const count = used.reduce((all, w) => all + w.count, 0);
  if (failed > mostFailed * count) throw new Error(`${what}: ${failed} operations failed`);
  if (count === 0) throw new Error(`${what}: nothing was answered in time`);
  const spans = [...new Map(used.map((w) => [w.startMs, w])).values()];
  const time = spans.reduce((all, w) => all + (w.endMs - w.startMs) / 1000, 0);
  const cpuSeconds = spans.reduce((all, w) => all + cpuAt(cpu, w.endMs) - cpuAt(cpu, w.startMs), 0);
  return { ...point(count, time, cpuSeconds), failed, windows: used, loops: loops.length };
}

/** CPU seconds of k6 at a moment, on the line between the two looks around it. */
function cpuAt(points, moment) {
  const after = Math.max(
    1,
    points.findIndex(({ t }) => t >= moment),
  );
  const [a, b] = [points[after - 1], points[after]];
  return a.cpuSec + ((b.cpuSec - a.cpuSec) * (moment - a.t)) / (b.t - a.t);
}

function point(operations, time, cpuSeconds) {
  return { rate: operations / time, cpu: (cpuSeconds / operations) * 1e6 };
}

/** @returns {Record<string, string>} environment of bench/wide.js */
function wideLoad(ports, connections) {
  const template = { command: ['PING'] };
  const address = `127.0.0.1:${ports.resp}`;
  return { LOAD: JSON.stringify({ protocol: 'resp', address, connections, template, seconds: 3 * seconds }) };
}

/**
 * @param {string[]} args of k6
 * @param {Record<string, string>} [env]
 * @returns {Promise<{stdout: string, code: number | null, peakKiB: number}>} `peakKiB`: the most that was resident
 */
async function peakOf(args, env = {}) {
  const child = spawn(flags.k6, args, {
    env: {
      ...process.env,
      K6_NO_USAGE_REPORT: 'true',
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
      BURST_LOOPS: flags.loops,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let peakKiB = 0;
  // An empty script is over within 20 ms.
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peakKiB = Math.max(peakKiB, Number(status.match(/VmHWM:\s+(\d+)/)?.[1] ?? 0));
    } catch {} // it has ended
  }, 3);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
  });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  clearInterval(look);
  return { stdout, code, peakKiB };
}

/** With 10 000 connections of one virtual user; null where the system does not allow so many. */
async function wideOfOneUser(ports) {
  const args = ['run', '--quiet', '--address', '', path.join(bench, 'wide.js')];
  const { stdout, peakKiB } = await peakOf(args, wideLoad(ports, WIDE));
  const result = JSON.parse(stdout.slice(stdout.indexOf('{')) || '{"failed":1}');
  return result.failed > 0 ? null : { peakKiB, ratePerSec: result.operations / result.seconds };
}

/** With as many virtual users, by k6/main.js: what a run uses; null where the system does not allow so many. */
async function wideAsRun({ ports, directory }) {
  if (os.freemem() < WIDE_NEEDS_BYTES) {
    process.stderr.write(`${WIDE} virtual users: not enough memory is free\n`);
    return null;
  }
  // One window and no other before it: so many users are not handed from one scenario of k6 to the next in its seconds.
  const step = { vus: WIDE, warmupSec: 0, durationSec: 60 };
  const { args, histograms } = stepCommand({ ...TURN, port: ports.http, step, directory });
  const { code, peakKiB } = await peakOf(args);
  try {
    if (code !== 0) throw new Error(`k6 ended with ${code}`);
    const { rate, failed } = resultOf(histograms, TURN.operations, `${WIDE} users`, WIDE_MAY_FAIL);
    return { peakKiB, ratePerSec: rate, failed };
  } catch (error) {
    process.stderr.write(`${WIDE} virtual users: ${error.message}\n`);
    return null;
  }
}

/** How late operations are sent at half of what the closed load reaches, ms. */
function lagAtHalf({ ports, directory }) {
  const closed = step({ transport: 'resp', port: ports.resp, step: { vus: 100 }, directory });
  const half = { vus: 100, model: 'open' };
  const { windows, rate } = step({
    transport: 'resp',
    port: ports.resp,
    step: half,
    directory,
    rate: closed.rate / 2,
  });
  return {
    rate,
    dropped: windows.reduce((sum, w) => sum + w.dropped, 0),
    lags: windows
      .map((w) => hdr.decodeFromCompressedBase64(w.lag.data))
      .map((h) => [50, 99].map((p) => h.getValueAtPercentile(p) / 1e4)),
  };
}

function redisBenchmark({ port, clients, depth, operation, count }) {
  const args = ['-p', port, '-c', clients, '-P', depth, '-n', count, '-t', operation, '--csv'].map(String);
  const { stdout, cpuSeconds } = measured('redis-benchmark', args);
  const rate = Number(stdout.trim().split('\n').pop().split(',')[1].replaceAll('"', ''));
  return point(count, count / rate, cpuSeconds);
}

/** What a thousand connections cost a client that is not ours is the host's part of what they cost ours. */
function benchmarkAlone(ports, clients) {
  return redisBenchmark({ port: ports.resp, clients, depth: 1, operation: 'incr', count: 60_000 * seconds });
}

function wrk(port) {
  const args = [
    '-t',
    '1',
    '-c',
    '100',
    '-d',
    `${3 * seconds}s`,
    '-s',
    path.join(bench, 'post.lua'),
    `http://127.0.0.1:${port}/`,
  ];
  const { stdout, cpuSeconds } = measured('wrk', args, { BODY: body });
  const [, operations, time] = stdout.match(/(\d+) requests in ([\d.]+)s/);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk saw errors: ${stdout}`);
  return point(Number(operations), Number(time), cpuSeconds);
}

/** Ratios that rows are meant to keep: of throughput at least, of CPU for each operation at most. */
const BARS = Object.freeze({
  resp: { rate: 1.3, cpu: 0.7 },
  // The throughput of wrk and of plain k6 varies twofold from host to host.
  http: { rate: null, cpu: 0.95 },
  ws: { rate: null, cpu: 0.2 },
  turn: { rate: null, cpu: 0.2 },
  wide: { rate: 0.95, cpu: null },
  // A client that looks at nothing.
  limit: { rate: null, cpu: 1.15 },
  schedule: { rate: 0.9, cpu: null },
  data: { rate: null, cpu: 1.05 },
});

/** A row of RESP: the same command, connections and depth on both sides. */
function respRow(clients, depth, perSecond, server, bar = null) {
  return {
    server,
    bar,
    name: `RESP INCR c${clients} d${depth}, ${server === 'redis' ? 'Redis' : 'null responder'}`,
    against: 'redis-benchmark',
    needs: [server === 'redis' ? 'redis-server' : 'null', 'redis-benchmark'],
    ours: ({ ports, directory }) =>
      step({
        transport: 'resp',
        port: ports[server],
        step: { vus: clients, depth },
        operations: ['increment'],
        directory,
      }),
    theirs: ({ ports }) =>
      redisBenchmark({ port: ports[server], clients, depth, operation: 'incr', count: perSecond * seconds }),
  };
}

/** The same against a client in C that does no more than it must. */
function limitRow(clients, depth, bar = null) {
  return {
    ...respRow(clients, depth, 0, 'resp', bar),
    against: 'epoll client in C',
    needs: ['null', 'epoll'],
    theirs: ({ ports }) => {
      const args = [ports.resp, clients, depth, WARM_UP_SEC, 3 * seconds].map(String);
      const { operations, seconds: time, cpuSeconds } = JSON.parse(measured(tools.epoll, args).stdout);
      return point(operations, time, cpuSeconds);
    },
  };
}

/** Bytes of a document of the built-in workload, and of a value of the workload as data beside it. */
const DOCUMENT_BYTES = 1100;

/** @param {'GET' | 'SET'} word a template of a workload as data against the built-in one: both read every byte of an answer. */
function dataRow(word) {
  const load = (
    /** @type {object} */ keys,
    /** @type {string} */ value,
    /** @type {(does: string) => object} */ more,
  ) => {
    const write = { command: ['SET', 'document:{key}', value], expect: 'simple:OK', ...more('writes') };
    const read = { command: ['GET', 'document:{key}'], expect: 'bulk', ...more('reads') };
    return ({ ports, startup }) => {
      const address = `127.0.0.1:${ports.kept}`;
      const own = { protocol: 'resp', address, connections: 100, depth: 16, seconds: 3 * seconds };
      const work = {
        ...own,
        keys: { seed: 1, space: 10_000, ...keys },
        template: word === 'GET' ? read : write,
      };
      return k6('wide.js', { LOAD: JSON.stringify({ ...work, fill: write }) }, startup);
    };
  };
  return {
    server: 'resp',
    bar: BARS.data,
    name: `RESP ${word} of ${DOCUMENT_BYTES} bytes as data c100 d16, null responder`,
    against: 'built-in template',
    needs: ['null'],
    ours: load({ data: { of: 'bench', values: { from: DOCUMENT_BYTES } } }, '{value}', (use) => ({
      use,
      of: 'document:{key}',
    })),
    theirs: load({ documents: true }, '{document}', (does) =>
      does === 'reads' ? { returns: '{document}' } : {},
    ),
  };
}

/** A row of HTTP or WebSocket with 100 connections against the null responder. */
function timedRow(name, against, transport, theirs, { bar = null, needs = [] } = {}) {
  return {
    server: transport,
    bar,
    name,
    against,
    needs: ['null', ...needs],
    ours: ({ ports, directory }) =>
      step({ transport, port: ports[transport], step: { vus: 100 }, directory }),
    theirs: ({ ports, startup }) => theirs(ports[transport], startup),
  };
}

/** A turn of requests on each connection, against the null responder: what stands beside systems of the workload in runs. */
const TURN = {
  transport: 'http',
  workload: 'rest-crud',
  operations: ['create', 'read', 'update', 'delete'],
  stackFolder: path.join(root, 'stacks/_null-http'),
};

/** Plain k6 for as long as three windows. */
const plain = (script) => (port, startup) =>
  k6(script, { ADDRESS: `127.0.0.1:${port}`, BODY: body, VUS: '100', SECONDS: String(3 * seconds) }, startup);

const rows = [
  respRow(1, 1, 12_000, 'redis'),
  respRow(100, 1, 60_000, 'redis', BARS.resp),
  respRow(100, 16, 600_000, 'redis'),
  respRow(100, 16, 600_000, 'resp', BARS.resp),
  limitRow(100, 1, BARS.limit),
  limitRow(100, 16),
  // What a client of the same kind keeps with a thousand connections says how much of the row below is the host’s.
  respRow(1000, 1, 40_000, 'resp'),
  dataRow('SET'),
  dataRow('GET'),
  timedRow('HTTP POST c100', 'wrk', 'http', wrk, { bar: BARS.http, needs: ['wrk'] }),
  timedRow('HTTP POST c100', 'plain k6', 'http', plain('plain-http.js')),
  timedRow('WebSocket call c100', 'plain k6', 'ws', plain('plain-ws.js'), { bar: BARS.ws }),
  {
    server: 'http',
    bar: BARS.turn,
    name: 'REST turn of 13 requests c100',
    against: 'plain k6',
    needs: ['null'],
    ours: ({ ports, directory }) => step({ ...TURN, port: ports.http, step: { vus: 100 }, directory }),
    theirs: ({ ports, startup }) => plain('plain-turn.js')(ports.http, startup),
  },
  {
    server: 'resp',
    bar: null,
    name: 'redis-benchmark c1000 d1, null responder',
    against: 'itself with 100',
    needs: ['null', 'redis-benchmark'],
    ours: ({ ports }) => benchmarkAlone(ports, 1000),
    theirs: ({ ports }) => benchmarkAlone(ports, 100),
  },
  {
    server: 'resp',
    bar: BARS.wide,
    name: 'RESP c1000 d1, null responder',
    against: 'itself with 100',
    needs: ['null'],
    ours: ({ ports, directory }) =>
      step({ transport: 'resp', port: ports.resp, step: { vus: 1000 }, directory }),
    theirs: ({ ports, directory }) =>
      step({ transport: 'resp', port: ports.resp, step: { vus: 100 }, directory }),
  },
  {
    server: 'resp',
    bar: BARS.schedule,
    name: 'RESP c100 d1, on a schedule that asks for more than can be had',
    against: 'itself without a schedule',
    needs: ['null'],
    ours: ({ ports, directory }) =>
      step({
        transport: 'resp',
        port: ports.resp,
        step: { vus: 100, model: 'open' },
        directory,
        rate: 200_000,
      }),
    theirs: ({ ports, directory }) =>
      step({ transport: 'resp', port: ports.resp, step: { vus: 100 }, directory }),
  },
].filter(({ name, against }) => `${name} ${against}`.includes(flags.rows));
const wide = rows.find(({ bar }) => bar === BARS.wide);
if (wide) wide.beside = rows.find(({ name }) => name.startsWith('redis-benchmark c1000'));

/** @returns {Promise<number>} a free loopback port */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function listening(port) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const open = await new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => socket.destroy() && resolve(true));
      socket.on('error', () => resolve(false));
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`nothing listens on port ${port}`);
}

/** Starts the servers whose binaries are here. */
async function startServers(directory) {
  const ports = {
    redis: await freePort(),
    resp: await freePort(),
    kept: await freePort(),
    http: await freePort(),
    ws: await freePort(),
  };
  const children = [];
  const start = (command, args) => children.push(spawn(command, args, { cwd: directory, stdio: 'ignore' }));
  if (tools['redis-server'])
    start('redis-server', ['--port', `${ports.redis}`, '--bind', '127.0.0.1', '--save', '']);
  if (tools.null) {
    const binary = path.isAbsolute(flags.null)
      ? flags.null
      : execFileSync('which', [flags.null], { encoding: 'utf8' }).trim();
    start(
      binary,
      ['resp', 'http', 'ws'].flatMap((name) => [`--${name}`, `127.0.0.1:${ports[name]}`]),
    );
    start(binary, ['--resp', `127.0.0.1:${ports.kept}`, '--counting']);
  }
  const up = [
    tools['redis-server'] && ports.redis,
    ...(tools.null ? [ports.resp, ports.kept, ports.http, ports.ws] : []),
  ];
  await Promise.all(up.filter(Boolean).map(listening));
  return { ports, stop: () => children.map((child) => child.kill('SIGKILL')) };
}

/** Runs both sides of a row, in an order that alternates from round to round. */
function runRow(row, context, round) {
  const sides = round % 2 === 0 ? ['ours', 'theirs'] : ['theirs', 'ours'];
  try {
    const results = sides.map((side) => [side, row[side](context)]);
    for (const [side, result] of results) row.results[side].push(result);
  } catch (error) {
    // A figure that could not be had; the other rows go on.
    row.reason = error.message.replaceAll(/[\s|]+/g, ' ').slice(0, 200);
    process.stderr.write(`${row.name}: ${error.message}\n`);
  }
}

/** The page after a number of rounds. */
function page(done, extra) {
  const [cpu] = os.cpus();
  const versions = Object.entries({ ...tools, epoll: tools.epoll && 'client in C' }).map(
    ([name, found]) => `${name} ${found || '(not found)'}`,
  );
  const loops = Math.max(...rows.flatMap(({ results }) => results.ours.map((o) => o.loops ?? 0)), 0);
  return `# The load generator against other clients

Measured with the drive that runs use: the left side of each row, but for the one of redis-benchmark against itself, is \`k6 run k6/main.js\`, as the runner starts it, with a virtual
user for each connection.

${tableOf(rows)}

Medians of ${done} round${done === 1 ? '' : 's'}, the range of the rounds' ratios in brackets. A throughput ratio above 1 and a CPU ratio below 1
speak for the generator. Each round runs every row once, both sides one after the other, in an order that alternates. A bar is
the least throughput ratio, or the largest CPU ratio, that a row is meant to keep: by its whole interval over the rounds, of which
it takes five.

${[barsOf(rows), reachedOf(rows), ...extraLines(extra)].join('\n\n')}

**Conditions.** ${cpu.model.trim()}, ${os.cpus().length} cores shared by client and server, ${os.type()} ${os.release()},
${new Date().toISOString().slice(0, 10)}. ${versions.join(', ')}; Node ${process.version}.
Event loops of the generator: ${loops}, as a system has in runs that compare side by side; redis-benchmark, wrk and the epoll client have one thread, too. ${howBusy()}
Command: \`npm run bench:generator -- --rounds ${rounds} --seconds ${seconds} --loops ${flags.loops}${flags.rows ? ` --rows "${flags.rows}"` : ''}\`.

**What is compared.** RESP rows: the same command, connections and pipeline depth. HTTP and WebSocket rows: 100 connections with the
same ${body.length}-byte body against the null responder; REST rows: the 13 requests of the workload \`rest-crud\`, one after the
other on each connection, as a run performs them and as a script for k6 does. The epoll client (\`k6/extension/bench/epoll.c\`) sends
the same requests, counts the answers and looks at nothing: what a generator on this kernel can do with one thread at most; its CPU is that of its window. Rows as data: the generator against itself, with
values of a workload as data in place of built-in documents of as many bytes; both are held against what was written. The row of redis-benchmark against itself says what a
thousand connections cost a client on this host that shares no code with the generator. CPU is user + system time of the client process: of the other clients from
start to end (for plain k6 less what an empty script needs, measured in every round), of the generator from the begin to the end of
the windows, with all that k6 does beside the loops. Every side records each latency, except redis-benchmark and wrk as they do by
themselves and the epoll client, which records none; plain WebSocket notes it in a Trend. Client and server share the cores, so a cheaper client leaves more to the server:
throughput ratios hold for this machine, CPU ratios are steadier. Where both sides reach what the server can do (Redis at d16), the
ratio says so and no more.
`;
}

/** How much the machine was used by others meanwhile: a label, nothing is left out for it. */
function howBusy() {
  const load = os.loadavg()[0];
  const label = `Load average at the end ${load.toFixed(1)}.`;
  if (load <= 2 * os.cpus().length) return label;
  return `${label} **Others used the machine at the same time:** throughput ratios are no more than hints then, all the more as a
client with more threads gets a larger share of a crowded CPU; CPU per operation is hit less.`;
}

async function main() {
  if (!(rounds >= 1) || !(seconds >= 1)) throw new Error('--rounds and --seconds must be at least 1');
  const directory = mkdtempSync(path.join(os.tmpdir(), 'bench-generator-'));
  tools.epoll = compiledIn(directory);
  for (const row of rows) {
    row.results = { ours: [], theirs: [] };
    const missing = ['k6', ...row.needs].filter((name) => !tools[name]);
    if (missing.length > 0) row.reason = `${missing.join(', ').replace('epoll', 'gcc')} not found`;
  }
  const { ports, stop } = await startServers(directory);
  const cleanUp = () => {
    stop();
    rmSync(directory, { recursive: true, force: true });
  };
  process.on('exit', cleanUp);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
  try {
    await runRounds(ports, directory);
  } finally {
    cleanUp(); // the servers would keep this process alive
  }
}

async function runRounds(ports, directory) {
  for (let round = 0; round < rounds; round++) {
    const startup = tools.k6
      ? measured(flags.k6, ['run', '--quiet', '--address', '', path.join(bench, 'empty.js')]).cpuSeconds
      : 0;
    for (const row of rows.filter(({ reason }) => !reason)) {
      process.stderr.write(`round ${round + 1}/${rounds}  ${row.name} against ${row.against}\n`);
      runRow(row, { ports, startup, directory }, round);
    }
    writeFileSync(flags.out, page(round + 1, {})); // after each round: an interrupted run keeps what it has
  }
  if (!tools.k6 || !tools.null || flags.rows) return process.stdout.write(page(rounds, {}));
  const memory = {
    connections: WIDE,
    asRun: await wideAsRun({ ports, directory }),
    oneUser: await wideOfOneUser(ports),
    emptyKiB: (await peakOf(['run', '--quiet', '--address', '', path.join(bench, 'empty.js')])).peakKiB,
  };
  const lag = lagAtHalf({ ports, directory });
  const truth = flags['no-truth'] ? null : measureTruth();
  const text = page(rounds, { lag, memory, truth });
  writeFileSync(flags.out, text);
  process.stdout.write(text);
}

main().catch((error) => {
  process.stderr.write(`bench-generator: ${error.message}\n`);
  process.exitCode = 1;
});
