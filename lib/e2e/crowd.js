import { connect } from 'node:net';
import { startNative } from '../engines/native.js';
import { processTable } from '../process/table.js';
import { sampleWatched } from '../sample/watched.js';
import { isBuilt, runBuild, stackBuilds } from '../setup/builds.js';

/**
 * @import { Socket } from 'node:net'
 * @import { Instance } from '../engines/native.js'
 * @import { Stack } from '../types.d.ts'
 */

const CONNECT_AT_ONCE = 200;
const MIB = 2 ** 20;

/** A write of each workload that servers of ours serve, and how its answer begins. */
const WRITES = Object.freeze({
  counters: { request: () => '*2\r\n$4\r\nINCR\r\n$5\r\ncrowd\r\n', answer: ':' },
  events: {
    request: () =>
      post('/api/events', {
        id: crypto.randomUUID(),
        timestamp: new Date().toISOString(),
        source: 'crowd',
        session: 'crowd',
        type: 'click',
        level: 'info',
        payload: { n: 1 },
      }),
    answer: 'HTTP/1.1 201',
  },
  'rest-crud': {
    request: () => post('/farm/api', { name: 'crowd', farm_type: 'homestead', zone: 'crowd' }),
    answer: 'HTTP/1.1 201',
  },
});

/** @typedef {keyof typeof WRITES} Kind */

/** @param {string} path @param {unknown} value */
function post(path, value) {
  const body = JSON.stringify(value);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/**
 * @param {Stack[]} stacks
 * @returns {Stack[]} the servers of this project: they state how much memory they take
 */
export function ownServers(stacks) {
  return stacks.filter((s) => s.manifest.memory !== undefined);
}

/**
 * @param {Stack} stack
 * @returns {Kind} of what its good client writes
 */
export function kindOf(stack) {
  const kind = /** @type {Kind[]} */ (Object.keys(WRITES)).find((w) => w in stack.manifest.workloads);
  if (!kind) throw new Error(`no write is known for ${stack.id}`);
  return kind;
}

/**
 * @param {Stack} stack
 * @param {{patienceSec?: number}} [options] after which a request begun is given up, where the server takes that
 * @returns {Promise<{instance: Instance, port: number, rssMib: () => number}>} it, built and running
 */
export async function startOwn(stack, { patienceSec } = {}) {
  for (const build of stackBuilds(stack)) if (!isBuilt(build)) await runBuild(build);
  const { native, memory, workloads } = stack.manifest;
  const [{ transports }] = Object.values(workloads);
  const patience = patienceSec && memory?.patience ? [memory.patience, String(patienceSec)] : [];
  const start = [...(native?.start ?? []), ...patience];
  const told = /** @type {Stack} */ ({
    ...stack,
    manifest: { ...stack.manifest, native: { ...native, start } },
  });
  const signal = new AbortController().signal;
  const instance = await startNative(told, { transport: transports[0], signal });
  return {
    instance,
    port: Number(new URL(instance.url.replace(/^[a-z]+:/, 'http:')).port),
    rssMib: () => (sampleWatched({ pgids: [instance.pgid ?? 0] }, processTable())?.rssBytes ?? 0) / MIB,
  };
}

/**
 * @param {Stack} stack
 * @param {number} connections
 * @returns {number} the most memory that its README states for them, MiB
 */
export function mostMib(stack, connections) {
  const { memory } = stack.manifest;
  if (!memory) throw new Error(`${stack.id} states no bound of its memory`);
  return memory.ownMib + (connections * memory.connectionKib) / 1024;
}

/**
 * Connections that do nothing, and slow ones that send a byte of a request a second.
 * @param {number} port
 * @param {Kind} kind
 * @param {{idle: number, slow: number}} counts
 * @returns {Promise<{cut: () => number, slowCut: () => number, leave: () => void}>} once all are connected; of those
 *   that the server has closed since
 */
export async function crowd(port, kind, { idle, slow }) {
  /** @type {Socket[]} */
  const sockets = [];
  for (let left = idle + slow; left > 0; left -= CONNECT_AT_ONCE)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(left, CONNECT_AT_ONCE) }, () => opened(port)))),
    );
  const stop = dribble(sockets.slice(0, slow), WRITES[kind].request());
  const closed = (/** @type {Socket[]} */ of) => of.filter((socket) => socket.closed).length;
  return {
    cut: () => closed(sockets),
    slowCut: () => closed(sockets.slice(0, slow)),
    leave: () => {
      stop();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** @param {number} port @returns {Promise<Socket>} */
function opened(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
    // Its answer to what was not whole is no business of ours.
    socket.on('data', () => {});
  });
}

/**
 * @param {Socket[]} sockets a byte of the text on each of them a second, spread over it
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
      const socket = sockets[sent % sockets.length];
      // The last byte is never sent: a request that is never whole.
      if (round < text.length - 1 && socket.writable) socket.write(text[round]);
    }
  }, 5);
  return () => clearInterval(timer);
}

/**
 * One after the other over one connection.
 * @param {Kind} kind
 * @param {number} port
 * @param {number} requests
 * @returns {Promise<number[]>} how long each took, ms, ascending; all were answered as they should
 */
export async function goodClient(kind, port, requests) {
  const { request, answer } = WRITES[kind];
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.setNoDelay(true);
  const once = () =>
    new Promise((resolve, reject) => {
      const begun = performance.now();
      let text = '';
      const closed = () => reject(new Error(`closed after: ${text}`));
      const more = (/** @type {Buffer} */ data) => {
        text += String(data);
        if (!isWhole(text)) return;
        socket.off('data', more).off('close', closed);
        if (text.startsWith(answer)) resolve(performance.now() - begun);
        else reject(new Error(`answered: ${text.slice(0, 200)}`));
      };
      socket.on('data', more).once('close', closed);
      socket.write(request());
    });
  const times = [];
  for (let i = 0; i < requests; i++) times.push(await once());
  socket.destroy();
  return times.sort((x, y) => x - y);
}

/** @param {string} text of an answer, so far */
function isWhole(text) {
  if (!text.startsWith('HTTP')) return text.endsWith('\r\n');
  const [head, body] = text.split('\r\n\r\n', 2);
  return body !== undefined && body.length >= Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
}
