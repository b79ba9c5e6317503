/**
 * What a crowd of connections that do nothing, or next to nothing, costs a server's good client, and the server's memory:
 * `node scripts/bench-crowd.mjs [--idle 10000] [--slow 1000] [system…]`. For each of our own servers, one after the other:
 * the same requests over one connection without and beside the crowd, in turns. A slow connection sends a byte of a request
 * a second. A line of Markdown for each: medians of the rounds. Exit 1 where p99 beside the crowd is more than twice the
 * other, or where the server takes more memory in any round than its manifest and README state for so many connections.
 */
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { loadStacks } from '../lib/config/stacks.js';
import { crowd, goodClient, kindOf, mostMib, ownServers, startOwn } from '../lib/e2e/crowd.js';
import { median } from '../lib/stats/summary.js';

/** @import { Kind } from '../lib/e2e/crowd.js' */

/** Requests of a part of a round: without the crowd, and beside it. */
const REQUESTS = 2000;
const ROUNDS = 5;
const LIMIT = 2;

if (isMainThread) await main();
else {
  const times = await goodClient(workerData.kind, workerData.port, REQUESTS);
  parentPort?.postMessage(times[Math.floor(times.length * 0.99)]);
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { idle: { type: 'string', default: '10000' }, slow: { type: 'string', default: '1000' } },
    allowPositionals: true,
  });
  const counts = { idle: Number(values.idle), slow: Number(values.slow) };
  console.log(
    `| server | p99 alone, ms | beside ${counts.idle} idle and ${counts.slow} slow connections, ms | ratio | memory alone, MiB | beside them, MiB | at most, MiB | KiB a connection | cut off by the server |`,
  );
  console.log('|---|--:|--:|--:|--:|--:|--:|--:|--:|');
  const servers = ownServers(loadStacks().stacks);
  for (const system of positionals.length > 0 ? positionals : servers.map((s) => s.id)) {
    const stack = servers.find((s) => s.id === system);
    if (!stack) throw new Error(`no server of ours is called ${system}`);
    await measure(stack, counts);
  }
}

/** @param {import('../lib/types.d.ts').Stack} stack @param {{idle: number, slow: number}} counts */
async function measure(stack, counts) {
  const connections = counts.idle + counts.slow;
  const kind = kindOf(stack);
  const { instance, port, rssMib } = await startOwn(stack);
  let leave = () => {};
  try {
    const rounds = [];
    await p99Of(kind, port);
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await p99Of(kind, port);
      const rssAlone = rssMib();
      const others = await crowd(port, kind, counts);
      leave = others.leave;
      const beside = await p99Of(kind, port);
      const rssBeside = rssMib();
      rounds.push({ alone, beside, ratio: beside / alone, rssAlone, rssBeside, cut: others.cut() });
      leave();
    }
    const of = (/** @type {keyof (typeof rounds)[number]} */ key) => median(rounds.map((r) => r[key]));
    const [{ rssAlone, rssBeside }] = rounds;
    const ratios = rounds.map((r) => r.ratio);
    const most = mostMib(stack, connections);
    console.log(
      `| ${[
        stack.manifest.title,
        of('alone').toFixed(2),
        of('beside').toFixed(2),
        `${of('ratio').toFixed(2)}× (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
        rssAlone.toFixed(1),
        rssBeside.toFixed(1),
        most.toFixed(0),
        (((rssBeside - rssAlone) * 1024) / connections).toFixed(1),
        of('cut'),
      ].join(' | ')} |`,
    );
    if (of('ratio') > LIMIT) fail(`${stack.id}: p99 beside the crowd is more than ${LIMIT}× the other`);
    const worst = Math.max(...rounds.map((r) => r.rssBeside));
    if (worst > most) fail(`${stack.id}: it took ${worst.toFixed(0)} MiB, and may take ${most.toFixed(0)}`);
  } finally {
    leave();
    await instance.stop();
  }
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

/** @param {Kind} kind @param {number} port @returns {Promise<number>} ms, of a client on a thread of its own */
function p99Of(kind, port) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { kind, port } });
    worker.once('message', resolve).once('error', reject);
  });
}
