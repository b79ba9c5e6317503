#!/usr/bin/env node
// Races the reference counter server against Redis with k6/x/burst, interleaved in one run, and writes
// stacks/quotadb/BENCHMARKS.md. See --help.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startNative } from '../lib/engines/native.js';
import { significant } from '../lib/format.js';
import { judgeTarget } from '../lib/judge/target.js';
import { leaveOnSignals } from '../lib/process/signals.js';
import { processTable, sampleGroups } from '../lib/sample/processes.js';
import { findNeed } from '../lib/setup/needs.js';
import { median, pairedRatio } from '../lib/stats/summary.js';
import { prepareStacks, race } from './bench-tools.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const OURS = 'quotadb';
const PEER = 'redis';
const CEILING = '_null';
/** Rounds in which the ceiling is measured, too. */
const CEILING_ROUNDS = 3;
/** As in the reports: above this share of the ceiling a figure is a lower bound. */
const CEILING_SHARE = 0.7;
/**
 * Where possible the server has the last core to itself and the generator the others: with one connection the rate
 * depends twofold on whether the kernel puts client and server on one core or on two, and that choice is not the server's.
 */
const TASKSET = os.cpus().length > 1 ? findNeed({ binary: 'taskset' }) : null;
const LAST_CORE = os.cpus().length - 1;
/** Without that, a measurement is so many races by k6 processes of their own, each with its choice of cores. */
const PARTS = TASKSET ? 1 : 5;
const KEYS = { seed: 20265, space: 10_000 };

const help = `Usage: node scripts/bench-quotadb.mjs [options]

  --rounds N   rounds, each with every row once on both servers (15)
  --seconds N  length of one measurement (0.4)
  --rows TEXT  only rows whose name contains TEXT
  --out FILE   where the page goes (stacks/quotadb/BENCHMARKS.md)

About 45 s a round. redis-server comes from PATH, or unpacked from Debian's packages.`;

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.4' },
    rows: { type: 'string', default: '' },
    out: { type: 'string', default: path.join(root, 'stacks/quotadb/BENCHMARKS.md') },
    help: { type: 'boolean', default: false },
  },
});

const templates = {
  ping: { command: ['PING'], expect: 'simple:PONG' },
  incr: { command: ['INCR', 'counter:{key}'], expect: 'integer' },
  get: { command: ['GET', 'counter:{key}'], expect: 'bulk' },
};

/** Connections, depth, and the least ratio that an operation has to reach. */
const shapes = [
  { connections: 1, depth: 1, targets: { ping: 1, incr: 1, get: 1 } },
  { connections: 100, depth: 1, targets: { ping: 1, incr: 1, get: 1 } },
  { connections: 50, depth: 16, targets: { incr: 1.2 } },
  { connections: 100, depth: 16, targets: { incr: 1.3 } },
];

const rows = shapes
  .flatMap(({ connections, depth, targets }) =>
    Object.keys(templates).map((operation) => ({
      name: `${operation.toUpperCase()} c${connections}${depth > 1 ? ` × P${depth}` : ''}`,
      operation,
      connections,
      depth,
      target: targets[operation] ?? null,
      rounds: [],
      ceiling: [],
    })),
  )
  .filter(({ name }) => name.includes(flags.rows));

/**
 * One measurement on a server of its own: started, filled and warmed up, loaded, stopped.
 * @returns {Promise<{rate: number, cpu: number, version: string | null}>} operations/s, CPU of the server in µs/op
 */
async function measure(stack, k6, row) {
  const server = await startNative(stack, {
    transport: 'resp',
    signal: new AbortController().signal,
    wrap: (command) => onCores(`${LAST_CORE}`, command),
  });
  try {
    const shared = { protocol: 'resp', address: server.url, keys: KEYS };
    await race(k6, { ...shared, template: templates.incr, connections: 100, depth: 16, durationMs: 300 });
    const before = cpuSeconds(server.pgid);
    const { connections, depth } = row;
    const template = templates[row.operation];
    const sum = { operations: 0, seconds: 0 };
    for (let part = 0; part < PARTS; part++) {
      const durationMs = (Number(flags.seconds) * 1000) / PARTS;
      const result = await race(k6, { ...shared, template, connections, depth, durationMs });
      if (result.failed > 0) throw new Error(`${row.name}: ${result.failed} operations failed`);
      sum.operations += result.operations;
      sum.seconds += result.seconds;
    }
    const cpu = ((cpuSeconds(server.pgid) - before) / sum.operations) * 1e6;
    return { rate: sum.operations / sum.seconds, cpu, version: server.version };
  } finally {
    await server.stop();
  }
}

/**
 * @param {string} cores as taskset takes them
 * @param {string[]} command
 * @returns {string[]} the command on those cores only, where that can be had
 */
function onCores(cores, command) {
  return TASKSET ? [TASKSET.path, '--cpu-list', cores, ...command] : command;
}

/**
 * @param {number} pid of the server, which leads its process group
 * @returns {number} CPU used so far by its threads: in nanoseconds where the kernel says so (proc(5), schedstat), else in
 *   clock ticks of 10 ms
 */
function cpuSeconds(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map((id) =>
      Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ')[0]),
    );
    return times.reduce((sum, time) => sum + time, 0) / 1e9;
  } catch {
    return sampleGroups([pid], processTable())?.cpuSec ?? Number.NaN;
  }
}

/** Whether the generator, not the server, set a row's figure. */
function bound(row, side) {
  return median(row.rounds.map((r) => r[side].rate)) > CEILING_SHARE * median(row.ceiling);
}

function line(row) {
  const of = (side, field) => significant(median(row.rounds.map((r) => r[side][field])));
  const mark = (side) => (bound(row, side) ? '≥ ' : '');
  return `| ${[
    row.name,
    `${mark('ours')}${of('ours', 'rate')}`,
    `${mark('peer')}${of('peer', 'rate')}`,
    interval(ratioOf(row)),
    row.target === null
      ? '–'
      : `≥ ${row.target.toFixed(1)}×: ${judgeTarget(ratioOf(row), row.target, row.rounds.length)}`,
    of('ours', 'cpu'),
    of('peer', 'cpu'),
    interval(ratioOf(row, 'cpu', 'peer', 'ours')),
    significant(median(row.ceiling)),
  ].join(' | ')} |`;
}

/** How many times as much the first side has of something, from the pairs of the rounds. */
function ratioOf(row, field = 'rate', first = 'ours', second = 'peer') {
  return pairedRatio(row.rounds.map((r) => ({ a: r[first][field], b: r[second][field] })));
}

function interval({ estimate, low, high }) {
  return `**${estimate.toFixed(2)}×** (${low.toFixed(2)} – ${high.toFixed(2)})`;
}

/** The page after a number of rounds. */
function page(stacks) {
  const [first] = rows[0].rounds;
  const done = rows[0].rounds.length;
  return `# The reference server against Redis

| work | ${stacks[OURS].manifest.title}, op/s | Redis, op/s | throughput ratio (95 % CI) | target | reference, CPU µs/op | Redis, CPU µs/op | operations per CPU second, ratio (95 % CI) | generator's ceiling, op/s |
|---|--:|--:|--:|---|--:|--:|--:|--:|
${rows.map(line).join('\n')}

Medians of ${done} round${done === 1 ? '' : 's'}; the ratio is that of the pairs of a round, with its bootstrap interval. A target is met when the whole
interval lies at or above it, not met when it lies below, else undecided; fewer than 5 rounds decide nothing. "≥": above 70 %
of what the same load reaches against a responder that does nothing. There the generator sets the figure as well as the
server, and the ratio says what both reach together on these cores; the CPU per operation tells the servers apart. Its ratio
hardly depends on what else the machine does.

**Conditions.** ${os.cpus()[0].model.trim()}, ${os.cpus().length} cores, ${whoseCores()}, ${os.type()} ${os.release()}, ${new Date().toISOString().slice(0, 10)}.
Reference server ${first.ours.version}, Redis ${first.peer.version}, both in memory only as in the workload \`counters\`; Node ${process.version}.
Load average at the end ${os.loadavg()[0].toFixed(1)}. Command: \`npm run bench:quotadb -- --rounds ${flags.rounds} --seconds ${flags.seconds}${flags.rows ? ` --rows "${flags.rows}"` : ''}\`.

**How.** One server at a time, on fresh state: 0.3 s of INCR fill it and warm it up, then ${flags.seconds} s of one operation over ${significant(KEYS.space)}
keys by one virtual user. ${whyParts()} Both servers one after the other, in an order that alternates
from round to round: many short pairs give a narrower interval than a few long ones, because what else the machine does
lasts longer than a pair.
This server is a reference implementation of this project: the figures say nothing about the vendor's product.
`;
}

function whoseCores() {
  return TASKSET ? 'one for the server and the others for the generator' : 'shared by generator and server';
}

function whyParts() {
  return TASKSET
    ? "Server and generator keep to their cores: with one connection the kernel's choice of cores would decide as much as the server."
    : `It is in ${PARTS} parts with a k6 process each, because with one connection the kernel's choice of cores decides as much as the server.`;
}

async function runRounds({ k6, stacks }) {
  const sides = { ours: stacks[OURS], peer: stacks[PEER] };
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const row of rows) {
      process.stderr.write(`round ${round + 1}/${flags.rounds}  ${row.name}\n`);
      const result = {};
      for (const side of round % 2 === 0 ? ['ours', 'peer'] : ['peer', 'ours']) {
        result[side] = await measure(sides[side], k6, row);
      }
      row.rounds.push(result);
      if (round < CEILING_ROUNDS) row.ceiling.push((await measure(stacks[CEILING], k6, row)).rate);
    }
    writeFileSync(flags.out, page(stacks)); // after each round: an interrupted run keeps what it has
  }
}

async function main() {
  if (flags.help) {
    process.stdout.write(`${help}\n`);
    return;
  }
  if (!(Number(flags.rounds) >= 1) || !(Number(flags.seconds) >= 0.2)) {
    throw new Error('--rounds must be at least 1, --seconds at least 0.2');
  }
  if (rows.length === 0) throw new Error(`--rows "${flags.rows}": no row has that in its name`);
  leaveOnSignals();
  const tools = await prepareStacks([OURS, PEER, CEILING]);
  const generator = LAST_CORE > 0 ? `0-${LAST_CORE - 1}` : '0';
  await runRounds({ ...tools, k6: onCores(generator, [tools.k6]) });
  process.stdout.write(page(tools.stacks));
}

main().catch((error) => {
  process.stderr.write(`bench-quotadb: ${error.message}\n`);
  process.exitCode = 1;
});
