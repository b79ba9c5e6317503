/**
 * What a crowd of connections that do nothing, or next to nothing, costs a server's good client, and the server's memory:
 * `node scripts/bench-crowd.mjs [--idle 10000] [--slow 1000] [system…]`. For each of our own servers, one after the other:
 * the same requests over one connection without and beside the crowd, in turns. A slow connection sends a byte of a request
 * a second. A line of Markdown for each: medians of the rounds; exit 1 where p99 beside the crowd is more than twice the other.
 */
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { loadStacks } from '../lib/config/stacks.js';
import { startNative } from '../lib/engines/native.js';
import { processTable } from '../lib/process/table.js';
import { sampleGroups } from '../lib/sample/processes.js';
import { median } from '../lib/stats/summary.js';

/** Requests of a part of a round: without the crowd, and beside it. */
const REQUESTS = 2000;
const ROUNDS = 5;
const LIMIT = 2;
const CONNECT_AT_ONCE = 200;
const MIB = 2 ** 20;

const json = (/** @type {unknown} */ value) => JSON.stringify(value);
const post = (/** @type {string} */ path, /** @type {string} */ body) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** A write of each kind of server, and how its answer begins. */
const WRITES = Object.freeze({
  resp: { request: () => '*2\r\n$4\r\nINCR\r\n$5\r\ncrowd\r\n', answer: ':' },
  events: {
    request: () =>
      post(
        '/api/events',
        json({
          id: crypto.randomUUID(),
          timestamp: new Date().toISOString(),
          source: 'crowd',
          session: 'crowd',
          type: 'click',
          level: 'info',
          payload: { n: 1 },
        }),
      ),
    answer: 'HTTP/1.1 201',
  },
  entities: {
    request: () => post('/farm/api', json({ name: 'crowd', farm_type: 'homestead', zone: 'crowd' })),
    answer: 'HTTP/1.1 201',
  },
});

/** @type {Record<string, keyof typeof WRITES>} */
const SERVERS = Object.freeze({
  quotadb: 'resp',
  'ingest-rust': 'events',
  'ingest-typescript': 'events',
  'meshql-embedded': 'entities',
  'meshql-sqlite': 'entities',
});

if (isMainThread) await main();
else await goodClient();

async function main() {
  const { values, positionals } = parseArgs({
    options: { idle: { type: 'string', default: '10000' }, slow: { type: 'string', default: '1000' } },
    allowPositionals: true,
  });
  const crowd = { idle: Number(values.idle), slow: Number(values.slow) };
  console.log(
    `| server | p99 alone, ms | beside ${crowd.idle} idle and ${crowd.slow} slow connections, ms | ratio | memory alone, MiB | beside them, MiB | KiB a connection | cut off by the server |`,
  );
  console.log('|---|--:|--:|--:|--:|--:|--:|--:|');
  for (const system of positionals.length > 0 ? positionals : Object.keys(SERVERS))
    await measure(system, crowd);
}

/** @param {string} system @param {{idle: number, slow: number}} crowd */
async function measure(system, { idle, slow }) {
  const stack = loadStacks().stacks.find((s) => s.id === system);
  const kind = SERVERS[system];
  if (!stack || !kind) throw new Error(`no server of ours is called ${system}`);
  const [transports] = Object.values(stack.manifest.workloads).map((w) => w.transports);
  const signal = new AbortController().signal;
  const instance = await startNative(stack, { transport: transports[0], signal });
  const port = Number(new URL(instance.url.replace(/^[a-z]+:/, 'http:')).port);
  const rss = () => (sampleGroups([instance.pgid ?? 0], processTable())?.rssBytes ?? 0) / MIB;
  /** @type {import('node:net').Socket[]} */
  let sockets = [];
  const leave = () => {
    for (const socket of sockets) socket.destroy();
  };
  try {
    const rounds = [];
    await goodClientIn(kind, port);
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await goodClientIn(kind, port);
      const rssAlone = rss();
      sockets = [];
      let cut = 0;
      for (let left = idle + slow; left > 0; left -= CONNECT_AT_ONCE)
        sockets.push(
          ...(await Promise.all(Array.from({ length: Math.min(left, CONNECT_AT_ONCE) }, () => opened(port)))),
        );
      for (const socket of sockets) socket.on('close', () => cut++);
      const stop = dribble(sockets.slice(0, slow), WRITES[kind].request());
      const beside = await goodClientIn(kind, port);
      rounds.push({ alone, beside, ratio: beside / alone, rssAlone, rssBeside: rss(), cut });
      stop();
      leave();
    }
    const of = (/** @type {keyof (typeof rounds)[number]} */ key) => median(rounds.map((r) => r[key]));
    const [{ rssAlone, rssBeside }] = rounds;
    const ratios = rounds.map((r) => r.ratio);
    console.log(
      `| ${[
        stack.manifest.title,
        of('alone').toFixed(2),
        of('beside').toFixed(2),
        `${of('ratio').toFixed(2)}× (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
        rssAlone.toFixed(1),
        rssBeside.toFixed(1),
        (((rssBeside - rssAlone) * 1024) / (idle + slow)).toFixed(1),
        of('cut'),
      ].join(' | ')} |`,
    );
    if (of('ratio') > LIMIT) process.exitCode = 1;
  } finally {
    leave();
    await instance.stop();
  }
}

/** @param {number} port @returns {Promise<import('node:net').Socket>} */
function opened(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
    // What is refused later is counted as it closes.
    socket.on('data', () => {});
  });
}

/**
 * @param {import('node:net').Socket[]} sockets a byte of the text on each of them a second, spread over it
 * @param {string} text
 * @returns {() => void} ends it
 */
function dribble(sockets, text) {
  const begun = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - begun) / 1000) * sockets.length);
    for (; sent < due; sent++) {
      const round = Math.floor(sent / sockets.length);
      // The last byte is never sent: a request that is never whole.
      if (round < text.length - 1) sockets[sent % sockets.length].write(text[round]);
    }
  }, 5);
  return () => clearInterval(timer);
}

/** @param {keyof typeof WRITES} kind @param {number} port @returns {Promise<number>} p99, ms */
function goodClientIn(kind, port) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { kind, port } });
    worker.once('message', resolve).once('error', reject);
  });
}

async function goodClient() {
  const { request, answer } = WRITES[/** @type {keyof typeof WRITES} */ (workerData.kind)];
  const socket = connect(workerData.port, '127.0.0.1');
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.setNoDelay(true);
  const once = () =>
    new Promise((resolve, reject) => {
      const begun = performance.now();
      let text = '';
      const more = (/** @type {Buffer} */ data) => {
        text += String(data);
        if (!isWhole(text)) return;
        socket.off('data', more);
        if (text.startsWith(answer)) resolve(performance.now() - begun);
        else reject(new Error(`answered: ${text.slice(0, 200)}`));
      };
      socket.on('data', more);
      socket.write(request());
    });
  const times = [];
  for (let i = 0; i < REQUESTS; i++) times.push(await once());
  times.sort((x, y) => x - y);
  parentPort?.postMessage(times[Math.floor(times.length * 0.99)]);
  socket.destroy();
}

/** @param {string} text of an answer, so far */
function isWhole(text) {
  if (!text.startsWith('HTTP')) return text.endsWith('\r\n');
  const [head, body] = text.split('\r\n\r\n', 2);
  return body !== undefined && body.length >= Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
}
