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
import { median } from '../lib/stats/summary.js';
import { prepareTools } from './bench-tools.mjs';

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
  --prefix COMMAND  put before each measured command, for example "taskset -c 1"
  --out FILE        where the page goes (k6/extension/BENCHMARKS.md)

About 140 s a round. redis-server, redis-benchmark and wrk come from PATH, or unpacked from Debian's packages; a row whose tool is missing says so.`;

const { values: flags } = parseArgs({
  options: {
    k6: { type: 'string' },
    null: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    loops: { type: 'string', default: '1' },
    rows: { type: 'string', default: '' },
    prefix: { type: 'string', default: '' },
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
const WIDE = 10_000;
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
};

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
 * @param {{transport: string, port: number, step: object, operations?: string[], directory: string, rate?: number}} work
 *   operations: those that count; rate: of all connections, in operations per second
 */
function step({ transport, port, step, operations = ['ping', 'increment', 'get'], directory, rate }) {
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
    WORKLOAD: 'counters',
    PROFILE: 'bench',
    STACK_FOLDER: path.join(bench, 'load'),
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
  measured(flags.k6, ['run', '--quiet', '--address', '', ...flagsOf, path.join(root, 'k6/main.js')]);
  const { windows, cpu, loops } = JSON.parse(readFileSync(histograms, 'utf8'));
  const used = windows.filter((w) => operations.includes(w.op) && w.phase.startsWith('measure'));
  const sum = { operations: 0, seconds: 0, cpuSeconds: 0 };
  for (const w of used) {
    const failed = Object.values(w.errors).reduce((all, n) => all + n, 0);
    if (failed > 0) throw new Error(`${transport}: ${failed} operations failed`);
    sum.operations += w.count;
    sum.seconds += (w.endMs - w.startMs) / 1000;
    sum.cpuSeconds += cpuAt(cpu, w.endMs) - cpuAt(cpu, w.startMs);
  }
  if (sum.operations === 0)
    throw new Error(`${transport}, ${own.vus} connections: nothing was answered in time`);
  return { ...point(sum.operations, sum.seconds, sum.cpuSeconds), windows: used, loops: loops.length };
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

/** Peak memory with 10 000 connections of one virtual user, bytes; none where the system does not allow so many. */
async function wide(ports) {
  const child = spawn(flags.k6, ['run', '--quiet', '--address', '', path.join(bench, 'wide.js')], {
    env: { ...process.env, K6_NO_USAGE_REPORT: 'true', BURST_LOOPS: flags.loops, ...wideLoad(ports, WIDE) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let peakKiB = 0;
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peakKiB = Math.max(peakKiB, Number(status.match(/VmHWM:\s+(\d+)/)?.[1] ?? 0));
    } catch {} // it has ended
  }, 50);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  clearInterval(look);
  const result = JSON.parse(text.slice(text.indexOf('{')) || '{"failed":1}');
  return result.failed > 0 ? { ...result, peakKiB: null } : { ...result, peakKiB };
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

/** A row of RESP: the same command, connections and depth on both sides. */
function respRow(clients, depth, perSecond, server) {
  return {
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

/** A row of HTTP or WebSocket with 100 connections against the null responder. */
function timedRow(name, against, transport, theirs, needs = []) {
  return {
    name,
    against,
    needs: ['null', ...needs],
    ours: ({ ports, directory }) =>
      step({ transport, port: ports[transport], step: { vus: 100 }, directory }),
    theirs: ({ ports, startup }) => theirs(ports[transport], startup),
  };
}

/** Plain k6 for as long as three windows. */
const plain = (script) => (port, startup) =>
  k6(script, { ADDRESS: `127.0.0.1:${port}`, BODY: body, VUS: '100', SECONDS: String(3 * seconds) }, startup);

const rows = [
  respRow(1, 1, 12_000, 'redis'),
  respRow(100, 1, 60_000, 'redis'),
  respRow(100, 16, 600_000, 'redis'),
  respRow(100, 16, 600_000, 'resp'),
  // What a client of the same kind keeps with a thousand connections says how much of the row below is the host’s.
  respRow(1000, 1, 40_000, 'resp'),
  timedRow('HTTP POST c100', 'wrk', 'http', wrk, ['wrk']),
  timedRow('HTTP POST c100', 'plain k6', 'http', plain('plain-http.js')),
  timedRow('WebSocket call c100', 'plain k6', 'ws', plain('plain-ws.js')),
  {
    name: 'RESP c1000 d1, null responder',
    against: 'itself with 100',
    needs: ['null'],
    ours: ({ ports, directory }) =>
      step({ transport: 'resp', port: ports.resp, step: { vus: 1000 }, directory }),
    theirs: ({ ports, directory }) =>
      step({ transport: 'resp', port: ports.resp, step: { vus: 100 }, directory }),
  },
  {
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
    http: await freePort(),
    ws: await freePort(),
  };
  const children = [];
  const start = (command, args) => children.push(spawn(command, args, { cwd: directory, stdio: 'ignore' }));
  if (tools['redis-server'])
    start('redis-server', ['--port', `${ports.redis}`, '--bind', '127.0.0.1', '--save', '']);
  if (tools.null) {
    start(
      path.isAbsolute(flags.null)
        ? flags.null
        : execFileSync('which', [flags.null], { encoding: 'utf8' }).trim(),
      [...['resp', 'http', 'ws'].flatMap((name) => [`--${name}`, `127.0.0.1:${ports[name]}`])],
    );
  }
  const up = [
    tools['redis-server'] && ports.redis,
    ...(tools.null ? [ports.resp, ports.http, ports.ws] : []),
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

const three = (n) => (n >= 1000 ? `${Number((n / 1000).toPrecision(3))} k` : `${Number(n.toPrecision(3))}`);

/** Ratio of two sides: the median of the rounds' ratios, with their range. */
function ratio({ ours, theirs }, field) {
  const ratios = ours.map((value, i) => value[field] / theirs[i][field]);
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((n) => n.toFixed(2));
  return `**${median(ratios).toFixed(2)}×** (${low}–${high})`;
}

function line(row) {
  if (row.reason) return `| ${row.name} | ${row.against} | unavailable: ${row.reason} | | | | | |`;
  const { ours, theirs } = row.results;
  const of = (side, field) => three(median(side.map((value) => value[field])));
  return `| ${[
    row.name,
    row.against,
    of(ours, 'rate'),
    of(theirs, 'rate'),
    ratio(row.results, 'rate'),
    of(ours, 'cpu'),
    of(theirs, 'cpu'),
    ratio(row.results, 'cpu'),
  ].join(' | ')} |`;
}

/** The page after a number of rounds. */
function page(done, extra) {
  const [cpu] = os.cpus();
  const versions = Object.entries(tools).map(([name, found]) => `${name} ${found || '(not found)'}`);
  const loops = Math.max(...rows.flatMap(({ results }) => results.ours.map((o) => o.loops ?? 0)), 0);
  return `# The load generator against other clients

Measured with the drive that runs use: the left side of each row is \`k6 run k6/main.js\`, as the runner starts it, with a virtual
user for each connection.

| work | against | generator, ops/s | other, ops/s | throughput ratio | generator, CPU µs/op | other, CPU µs/op | CPU ratio |
|---|---|--:|--:|--:|--:|--:|--:|
${rows.map(line).join('\n')}

Medians of ${done} round${done === 1 ? '' : 's'}, the range of the rounds' ratios in brackets. A throughput ratio above 1 and a CPU ratio below 1
speak for the generator. Each round runs every row once, both sides one after the other, in an order that alternates.

${extraLines(extra)}

**Conditions.** ${cpu.model.trim()}, ${os.cpus().length} cores shared by client and server, ${os.type()} ${os.release()},
${new Date().toISOString().slice(0, 10)}. ${versions.join(', ')}; Node ${process.version}.
Event loops of the generator: ${loops}, as a system has in runs that compare side by side; redis-benchmark and wrk have one thread, too. ${howBusy()}
Command: \`npm run bench:generator -- --rounds ${rounds} --seconds ${seconds} --loops ${flags.loops}${flags.rows ? ` --rows "${flags.rows}"` : ''}\`.

**What is compared.** RESP rows: the same command, connections and pipeline depth. HTTP and WebSocket rows: 100 connections with the
same ${body.length}-byte body against the null responder. CPU is user + system time of the client process: of the other clients from
start to end (for plain k6 less what an empty script needs, measured in every round), of the generator from the begin to the end of
the windows, with all that k6 does beside the loops. Every side records each latency, except redis-benchmark and wrk as they do by
themselves; plain WebSocket notes it in a Trend. Client and server share the cores, so a cheaper client leaves more to the server:
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

/** @param {{memory?: any, lag?: any}} extra measured once, after the rounds */
function extraLines({ memory, lag }) {
  const lines = [];
  if (lag) {
    const [p50, p99] = [0, 1].map((i) => median(lag.lags.map((l) => l[i])));
    lines.push(
      `**Schedule.** At ${three(lag.rate)} operations/s, half of what the same 100 connections reach without a schedule, operations were sent ` +
        `${p50.toFixed(3)} ms (p50) and ${p99.toFixed(3)} ms (p99) after their due time, ${lag.dropped} never (medians of three windows).`,
    );
  }
  if (memory?.peakKiB)
    lines.push(
      `**Memory.** k6 with ${WIDE} connections of one virtual user, all at work (${three(memory.operations / memory.seconds)} operations/s): ` +
        `at most ${Math.round(memory.peakKiB / 1024)} MiB resident, of which an empty script needs some 70.`,
    );
  return lines.join('\n\n');
}

async function main() {
  if (!(rounds >= 1) || !(seconds >= 1)) throw new Error('--rounds and --seconds must be at least 1');
  for (const row of rows) {
    row.results = { ours: [], theirs: [] };
    const missing = ['k6', ...row.needs].filter((name) => !tools[name]);
    if (missing.length > 0) row.reason = `${missing.join(', ')} not found`;
  }
  const directory = mkdtempSync(path.join(os.tmpdir(), 'bench-generator-'));
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
  const text = page(rounds, { lag: lagAtHalf({ ports, directory }), memory: await wide(ports) });
  writeFileSync(flags.out, text);
  process.stdout.write(text);
}

main().catch((error) => {
  process.stderr.write(`bench-generator: ${error.message}\n`);
  process.exitCode = 1;
});
