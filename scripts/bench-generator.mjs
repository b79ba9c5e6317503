#!/usr/bin/env node
// Compares k6/x/burst with redis-benchmark, wrk and plain k6, interleaved in one run, and writes
// k6/extension/BENCHMARKS.md. See --help.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { prepareTools } from './bench-tools.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const bench = path.join(root, 'k6/extension/bench');

const help = `Usage: node scripts/bench-generator.mjs [options]

  --k6 PATH         k6 with our extensions (default: built from k6/extension, cached)
  --null PATH       null responder (default: built from stacks/_null/server, cached)
  --rounds N        rounds, each with every row once (7)
  --seconds N       length of a timed side of a row (2)
  --rows TEXT       only rows whose name contains TEXT
  --prefix COMMAND  put before each measured command, for example "taskset -c 1"
  --out FILE        where the page goes (k6/extension/BENCHMARKS.md)

redis-server, redis-benchmark and wrk come from PATH, or unpacked from Debian's packages; a row whose tool is missing says so.`;

const { values: flags } = parseArgs({
  options: {
    k6: { type: 'string' },
    null: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
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
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);
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
      ...env,
    },
    maxBuffer: 64 << 20,
  });
  const cpu = stderr.match(/cpu (\d+\.\d+) (\d+\.\d+)\s*$/);
  if (status !== 0 || !cpu) throw new Error(`${command} ended with ${status}: ${stderr.slice(-400)}`);
  return { stdout, cpuSeconds: Number(cpu[1]) + Number(cpu[2]) };
}

/** One k6 script; its start-up CPU, measured in the same round, is taken off. */
function k6(script, env, startup = 0) {
  const args = ['run', '--quiet', '--address', '', path.join(bench, script)];
  const { stdout, cpuSeconds } = measured(flags.k6, args, env);
  const result = JSON.parse(stdout.slice(stdout.lastIndexOf('{')));
  if (result.failed > 0) throw new Error(`${script}: ${result.failed} operations failed`);
  return point(result.operations, result.seconds, cpuSeconds - startup);
}

function point(operations, time, cpuSeconds) {
  return { rate: operations / time, cpu: (cpuSeconds / operations) * 1e6 };
}

function redisBenchmark({ port, clients, depth, operation, count }) {
  const args = ['-p', port, '-c', clients, '-P', depth, '-n', count, '-t', operation, '--csv'].map(String);
  const { stdout, cpuSeconds } = measured('redis-benchmark', args);
  const rate = Number(stdout.trim().split('\n').pop().split(',')[1].replaceAll('"', ''));
  return point(count, count / rate, cpuSeconds);
}

function wrk({ port }) {
  const args = [
    '-t',
    '1',
    '-c',
    '100',
    '-d',
    `${seconds}s`,
    '-s',
    path.join(bench, 'post.lua'),
    `http://127.0.0.1:${port}/`,
  ];
  const { stdout, cpuSeconds } = measured('wrk', args, { BODY: body });
  const [, operations, time] = stdout.match(/(\d+) requests in ([\d.]+)s/);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk saw errors: ${stdout}`);
  return point(Number(operations), Number(time), cpuSeconds);
}

const templates = {
  incr: { command: ['INCR', 'counter:__rand_int__'], expect: 'integer' },
  get: { command: ['GET', 'key:__rand_int__'], expect: 'bulk-or-null' },
  http: { method: 'POST', path: '/', headers: { 'Content-Type': 'application/json' }, body },
  ws: { message: body },
};

const race = (fields) => ({ RACE: JSON.stringify(fields) });

/** A row of RESP: the same commands, connections, depth and count on both sides. */
function respRow(operation, clients, depth, count, server) {
  return {
    name: `RESP ${operation.toUpperCase()} c${clients} d${depth}, ${server === 'redis' ? 'Redis' : 'null responder'}`,
    against: 'redis-benchmark',
    needs: [server === 'redis' ? 'redis-server' : 'null', 'redis-benchmark'],
    ours: ({ ports, startup }) => {
      const work = {
        protocol: 'resp',
        address: `127.0.0.1:${ports[server]}`,
        connections: clients,
        depth,
        count,
      };
      return k6('race.js', race({ ...work, template: templates[operation] }), startup);
    },
    theirs: ({ ports }) => redisBenchmark({ port: ports[server], clients, depth, operation, count }),
  };
}

/** A row of HTTP or WebSocket with 100 connections, for a fixed time. */
function timedRow(name, against, protocol, script, theirs, needs = []) {
  return {
    name,
    against,
    needs: ['null', ...needs],
    ours: ({ ports, startup }) => {
      const work = { protocol, address: `127.0.0.1:${ports[protocol]}`, template: templates[protocol] };
      const fields = script === 'race.js' ? { ...work, connections: 100, durationMs: seconds * 1000 } : work;
      return k6(script, { ...race(fields), VUS: '100', SECONDS: String(seconds), BURST: '200' }, startup);
    },
    theirs: ({ ports, startup }) => theirs(ports[protocol], startup),
  };
}

const plain = (script) => (port, startup) =>
  k6(script, { ADDRESS: `127.0.0.1:${port}`, BODY: body, VUS: '100', SECONDS: String(seconds) }, startup);

const rows = [
  respRow('incr', 1, 1, 60_000, 'redis'),
  respRow('get', 1, 1, 60_000, 'redis'),
  respRow('incr', 100, 1, 300_000, 'redis'),
  respRow('get', 100, 1, 300_000, 'redis'),
  respRow('incr', 100, 16, 3_000_000, 'redis'),
  respRow('get', 100, 16, 3_000_000, 'redis'),
  respRow('incr', 100, 16, 4_000_000, 'resp'),
  timedRow('HTTP POST c100, race', 'wrk', 'http', 'race.js', (port) => wrk({ port }), ['wrk']),
  timedRow('HTTP POST c100, race', 'plain k6', 'http', 'race.js', plain('plain-http.js')),
  timedRow('HTTP POST 100 VUs, run', 'plain k6', 'http', 'run.js', plain('plain-http.js')),
  timedRow('WebSocket call c100, race', 'plain k6', 'ws', 'race.js', plain('plain-ws.js')),
  timedRow('WebSocket call 100 VUs, run', 'plain k6', 'ws', 'run.js', plain('plain-ws.js')),
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
  for (const side of sides) row.results[side].push(row[side](context));
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
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
function page(done) {
  const [cpu] = os.cpus();
  const versions = Object.entries(tools).map(([name, found]) => `${name} ${found || '(not found)'}`);
  return `# Load generator: k6/x/burst against other clients

| work | against | burst, ops/s | other, ops/s | throughput ratio | burst, CPU µs/op | other, CPU µs/op | CPU ratio |
|---|---|--:|--:|--:|--:|--:|--:|
${rows.map(line).join('\n')}

Medians of ${done} round${done === 1 ? '' : 's'}, the range of the rounds' ratios in brackets. A throughput ratio above 1 and a CPU ratio below 1
speak for burst. Each round runs every row once, both sides one after the other, in an order that alternates.

**Conditions.** ${cpu.model.trim()}, ${os.cpus().length} cores shared by client and server, ${os.type()} ${os.release()},
${new Date().toISOString().slice(0, 10)}. ${versions.join(', ')}; Node ${process.version}.
Load average at the end ${os.loadavg()[0].toFixed(1)}. Command: \`npm run bench:generator -- --rounds ${rounds} --seconds ${seconds}${flags.rows ? ` --rows "${flags.rows}"` : ''}\`.

**What is compared.** RESP rows: the same commands, connections, pipeline depth and number of operations. HTTP and WebSocket
rows: 100 connections for ${seconds} s with the same ${body.length}-byte body against the null responder. CPU is user + system time of the
client process, from rusage; what k6 needs to start and end (measured with an empty script in every round) is taken off on
each k6 side, plain k6 included. Every side records each latency, except redis-benchmark and wrk as they do by
themselves; plain WebSocket notes it in a Trend. Rows named \`race\` use event loops from one call, rows named \`run\` one connection
for each VU. Client and server share the cores, so a cheaper client leaves more to the server: throughput ratios hold for
this machine, CPU ratios are steadier. Where both sides reach what the server can do (Redis at d16), the ratio says so and no more.
`;
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
    runRounds(ports);
  } finally {
    cleanUp(); // the servers would keep this process alive
  }
  process.stdout.write(page(rounds));
}

function runRounds(ports) {
  for (let round = 0; round < rounds; round++) {
    const startup = tools.k6
      ? measured(flags.k6, ['run', '--quiet', '--address', '', path.join(bench, 'empty.js')]).cpuSeconds
      : 0;
    for (const row of rows.filter(({ reason }) => !reason)) {
      process.stderr.write(`round ${round + 1}/${rounds}  ${row.name} against ${row.against}\n`);
      runRow(row, { ports, startup }, round);
    }
    writeFileSync(flags.out, page(round + 1)); // after each round: an interrupted run keeps what it has
  }
}

main().catch((error) => {
  process.stderr.write(`bench-generator: ${error.message}\n`);
  process.exitCode = 1;
});
