import { readdirSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { BenchError, orNull } from '../errors.js';
import { textOrNull } from '../store.js';
import { processTable } from './table.js';

/** Below those that the kernel gives to connections by itself, and to others that ask it for any. */
const PORTS = Object.freeze({ first: 10_000, count: 20_000 });
/** A server may take seconds to listen on its port: no other process is to be given that one meanwhile. */
let next = process.pid * 127;

/**
 * @param {{first: number, count: number}} [among]
 * @returns {Promise<number>} a loopback TCP port that nothing listens on now, and not the one that was given before
 * @throws {BenchError} when each of them is taken
 */
export async function freePort({ first, count } = PORTS) {
  for (let tries = 0; tries < count; tries++) {
    const port = first + (next++ % count);
    if (await isFree(port)) return port;
  }
  throw new BenchError(`no port from ${first} to ${first + count - 1} is free on 127.0.0.1`, {
    hint: 'stop the programs that listen there, such as servers that an earlier run left',
  });
}

/**
 * @param {number} port
 * @param {string} who for the message
 * @throws {BenchError} when something listens there already
 */
export async function demandFree(port, who) {
  if (await isFree(port).catch(() => false)) return;
  throw new BenchError(`port ${port} for ${who} is in use on 127.0.0.1`, {
    hint: 'stop the program that listens there, or leave out --port to take a free port',
  });
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isFree(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen({ port, host: '127.0.0.1' }, () => server.close(() => resolve(true)));
  });
}

/** @type {Record<string, number>} */
const USUAL_PORTS = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 };

/**
 * @param {string} url
 * @returns {number | null} where it leads; null where its scheme has none that everybody knows
 */
export function portOf(url) {
  const { port, protocol } = new URL(url);
  return Number(port) || (USUAL_PORTS[protocol] ?? null);
}

/**
 * @param {string} url
 * @param {{secure?: boolean}} [options] `secure`: with a handshake of TLS
 * @returns {Promise<string | null>} why no connection can be made there; null where one can
 */
export function connectProblem(url, { secure = false } = {}) {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const where = { host, port: portOf(url) ?? 0 };
  return new Promise((resolve) => {
    const socket = secure ? connectSecure({ ...where, servername: host }) : connect(where);
    const end = (/** @type {string | null} */ why) => {
      socket.destroy();
      resolve(why);
    };
    socket.setTimeout(2000, () => end('no answer in time (ETIMEDOUT)'));
    socket.once('error', (error) => end(error.message));
    socket.once(secure ? 'secureConnect' : 'connect', () => end(null));
  });
}

/**
 * Whether a process of the group holds the listening socket: a stale server on the same port would
 * otherwise be measured in place of ours.
 * @param {number} port
 * @param {number} pgid
 * @returns {boolean | null} null where the kernel does not tell (not Linux)
 */
export function groupListens(port, pgid) {
  return listeningInodes(port) && listening(port, (p) => p.pgid === pgid).length > 0;
}

/**
 * @param {number} port
 * @returns {number[]} processes that listen there, the oldest first; none where none is visible
 */
export function listenersOf(port) {
  return listening(port).map(({ pid }) => pid);
}

/**
 * Who serves a port: a name that stays as long as its process lives. Below a supervisor the process group lives on
 * when a server dies and is restarted, and so does the port.
 * @param {number} port
 * @returns {string | null} pid and start of the oldest process that listens there; null where none is visible
 */
export function listenerOf(port) {
  const [oldest] = listening(port);
  return oldest ? `${oldest.pid} since ${oldest.startTicks}` : null;
}

/**
 * @param {number} port
 * @param {(process: import('./table.js').ProcessRow) => boolean} [isMeant] who is looked at
 * @returns {import('./table.js').ProcessRow[]} the oldest first
 */
function listening(port, isMeant = () => true) {
  const inodes = listeningInodes(port);
  if (inodes === null || inodes.size === 0) return [];
  return (processTable() ?? [])
    .filter((p) => isMeant(p) && socketInodes(p.pid).some((i) => inodes.has(i)))
    .sort((a, b) => a.startTicks - b.startTicks || a.pid - b.pid);
}

/**
 * @param {number} port
 * @returns {Set<string> | null}
 */
function listeningInodes(port) {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const found = new Set();
  for (const path of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = textOrNull(path);
    if (text === null && path === '/proc/net/tcp') return null;
    for (const line of (text ?? '').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      // State 0A is LISTEN; field 9 is the socket's inode.
      if (fields[1]?.endsWith(`:${hex}`) && fields[3] === '0A') found.add(fields[9]);
    }
  }
  return found;
}

/**
 * @param {number} pid
 * @returns {string[]}
 */
function socketInodes(pid) {
  const open = orNull(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  const links = open.map((fd) => orNull(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? '');
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}
