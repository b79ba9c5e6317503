/**
 * A server of counters over RESP2 that keeps its increments in a file, and does one thing wrong when it is started again or
 * was stopped for a while: what a profile of faults must see. Or one that does its work at an odd price, which attribution
 * must see: asleep with its one lock held, a sync of each write, or busy without any load.
 * `node mutants.js PORT FOLDER honest|forgets|doubles|slow|careful|hoards|locked|synced|spinning [MS]`, each reply after so
 * long. Of a full disk `careful` says so to its client, and every other one ends; `hoards` takes memory for each increment.
 */
import { appendFileSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const [port, folder, fault, usualMs = '0'] = process.argv.slice(2);
const path = join(folder, 'increments');
/** @type {Map<string, number>} */
const counters = new Map();
/** One in so many is forgotten, or taken twice, at the start. */
const EVERY = 1000;
/** How long it stays slow once it was stopped, and how slow. */
const SLOW_MS = 3000;
const DELAY_MS = 300;

/** @param {string} key @param {number} by */
function add(key, by) {
  const value = (counters.get(key) ?? 0) + by;
  counters.set(key, value);
  return value;
}

const stored = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
for (const [i, key] of stored.entries()) {
  const chosen = (i + 1) % EVERY === 0;
  add(key, chosen && fault === 'forgets' ? 0 : chosen && fault === 'doubles' ? 2 : 1);
}

/** @param {string} key */
function bulk(key) {
  const value = counters.get(key);
  return value === undefined ? '$-1\r\n' : `$${String(value).length}\r\n${value}\r\n`;
}

/** Asleep for each command, with everybody else waiting behind it. */
const LOCKED_MS = 0.02;
/** Busy for this share of the time, without load, looked after so often. */
const SPINNING = 0.4;
const SPINS_EVERY_MS = 10;
const nobody = new Int32Array(new SharedArrayBuffer(4));

const log = openSync(path, 'a');

/** @param {string} key */
function keep(key) {
  if (fault !== 'synced') return appendFileSync(path, `${key}\n`);
  writeSync(log, `${key}\n`);
  return fdatasyncSync(log);
}

if (fault === 'spinning') {
  let since = performance.now();
  setInterval(() => {
    const now = performance.now();
    // In CPU time, not by the clock: who is stopped for a while does not spin, and makes up for it.
    const owedUs = Math.min(50, now - since) * SPINNING * 1000;
    since = now;
    for (
      const begun = process.cpuUsage();
      process.cpuUsage(begun).user + process.cpuUsage(begun).system < owedUs;
    );
  }, SPINS_EVERY_MS);
}

/** What an increment leaves behind where memory is hoarded. */
const HOARDED_BYTES = 64 << 10;
/** @type {Buffer[]} */
const hoard = [];

/** @param {string[]} words */
function answer([command, ...keys]) {
  const name = command.toUpperCase();
  if (fault === 'locked') Atomics.wait(nobody, 0, 0, LOCKED_MS);
  if (name === 'PING') return '+PONG\r\n';
  if (name === 'INCR') {
    if (fault === 'hoards') hoard.push(Buffer.alloc(HOARDED_BYTES, 1));
    try {
      keep(keys[0]);
    } catch (error) {
      if (fault === 'careful') return '-ERR the disk is full\r\n';
      throw error;
    }
    return `:${add(keys[0], 1)}\r\n`;
  }
  if (name === 'MGET') return `*${keys.length}\r\n${keys.map(bulk).join('')}`;
  return name === 'GET' ? bulk(keys[0]) : '-ERR unknown command\r\n';
}

let slowUntil = 0;
// The kernel says it to whoever was stopped and goes on.
if (fault === 'slow')
  process.on('SIGCONT', () => {
    slowUntil = Date.now() + SLOW_MS;
  });

createServer((socket) => {
  socket.on('error', () => {});
  let rest = '';
  socket.on('data', (data) => {
    rest += data.toString('latin1');
    let out = '';
    for (let end = rest.lastIndexOf('\r\n') + 2; end > 1; end = 0) {
      const words = rest.slice(0, end).split('\r\n');
      rest = rest.slice(end);
      for (let i = 0; i < words.length - 1; ) {
        if (!words[i].startsWith('*')) {
          out += answer(words[i++].split(' '));
          continue;
        }
        const count = Number(words[i].slice(1));
        out += answer(Array.from({ length: count }, (_, n) => words[i + 2 + 2 * n]));
        i += 1 + 2 * count;
      }
    }
    const send = () => socket.write(out, 'latin1');
    const delayMs = Date.now() < slowUntil ? DELAY_MS : Number(usualMs);
    if (delayMs > 0) setTimeout(send, delayMs);
    else send();
  });
}).listen(Number(port), '127.0.0.1');
