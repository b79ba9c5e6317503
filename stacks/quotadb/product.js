/**
 * Answers as the product does, byte for byte, on the commands that a run sends: no MGET and no DEL, an integer for GET of
 * a counter, RESP2 whatever HELLO asks for. The replies are those that version 0.1.0 gave; it counts for real.
 * arguments: `--version`, or `--bind HOST:PORT`
 */
import { createServer } from 'node:net';

const VERSION = '0.1.0';

/** @type {Map<string, number>} */
const counters = new Map();

/** @param {string} text */
const bulk = (text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** @param {string} key @param {number} by */
function add(key, by) {
  counters.set(key, (counters.get(key) ?? 0) + by);
  return `:${counters.get(key)}\r\n`;
}

/**
 * @param {string[]} words
 * @returns {string}
 */
function answer([name, ...args]) {
  switch (name.toUpperCase()) {
    case 'PING':
      return '+PONG\r\n';
    case 'GET':
      return counters.has(args[0]) ? `:${counters.get(args[0])}\r\n` : '$-1\r\n';
    case 'INCR':
      return add(args[0], 1);
    case 'INCRBY':
      return add(args[0], Number(args[1]));
    case 'SELECT':
    case 'CLIENT':
      return '+OK\r\n';
    case 'HELLO':
      return `*8\r\n${bulk('server')}${bulk('quota-db')}${bulk('version')}${bulk(VERSION)}${bulk('proto')}:2\r\n${bulk('mode')}${bulk('standalone')}`;
    case 'CONFIG':
      return `*2\r\n${bulk(args[1])}${bulk(args[1] === 'appendonly' ? 'no' : '')}`;
    case 'INFO':
      return bulk(`# Server\r\nquota_db_version:${VERSION}\r\n`);
    default:
      return `-ERR Unknown command: ${name}\r\n`;
  }
}

/**
 * @param {string} text what has come so far
 * @returns {{words: string[], used: number} | null} the first whole command
 */
function command(text) {
  const lines = text.split('\r\n');
  if (lines.length < 2) return null;
  const parts = text.startsWith('*') ? Number(lines[0].slice(1)) * 2 : 0;
  if (lines.length < 2 + parts) return null;
  const used = lines.slice(0, 1 + parts).reduce((sum, line) => sum + line.length + 2, 0);
  const words = parts === 0 ? lines[0].split(' ') : lines.slice(1, 1 + parts).filter((_, i) => i % 2 === 1);
  return { words, used };
}

if (process.argv[2] === '--version') {
  console.log(`quota-db ${VERSION}`);
} else {
  const [host, port] = process.argv[3].split(':');
  createServer((socket) => {
    let pending = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      pending += data.toString('latin1');
      let out = '';
      for (let next = command(pending); next; next = command(pending)) {
        pending = pending.slice(next.used);
        out += answer(next.words);
      }
      if (out) socket.write(out, 'latin1');
    });
  }).listen(Number(port), host);
}
