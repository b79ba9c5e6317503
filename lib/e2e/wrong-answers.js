/**
 * A server of counters over RESP2 that answers every command, and one kind of them wrongly: what a check of sums and
 * types cannot see. `node wrong-answers.js PORT FAULT`
 */
import { createServer } from 'node:net';

const [port, fault] = process.argv.slice(2);
/** @type {Map<string, number>} */
const counters = new Map();
let increments = 0;
/** Commands of all connections. */
let served = 0;

/** @param {string} key `counter:N` @returns {string} */
function neighbourOf(key) {
  return key.replace(/\d+$/, (n) => String((Number(n) + 1) % 500));
}

/** @param {string} key */
function increment(key) {
  const measured = key.startsWith('counter:');
  const strays = measured && (fault === 'neighbour' || (fault === 'stray' && ++increments % 50 === 0));
  const at = strays ? neighbourOf(key) : key;
  const value = (counters.get(at) ?? 0) + 1;
  counters.set(at, value);
  if (measured && fault === 'constant') return ':1\r\n';
  return `:${strays ? (counters.get(key) ?? 0) + 1 : value}\r\n`;
}

/** @param {string} key */
function bulk(key) {
  const value = counters.get(key);
  if (value === undefined) return '$-1\r\n';
  return `$${String(value).length}\r\n${value}\r\n`;
}

/** @param {string[]} words @returns {string} */
function answer([command, ...keys]) {
  const name = command.toUpperCase();
  if (name === 'PING') return '+PONG\r\n';
  if (name === 'INCR') return increment(keys[0]);
  if (name === 'MGET') return `*${keys.length}\r\n${keys.map(bulk).join('')}`;
  if (name !== 'GET') return '-ERR unknown command\r\n';
  if (fault === 'null' && keys[0].startsWith('counter:')) return '$-1\r\n';
  return bulk(fault === 'other' && keys[0].startsWith('counter:') ? neighbourOf(keys[0]) : keys[0]);
}

createServer((socket) => {
  let rest = '';
  let commands = 0;
  socket.on('error', () => {});
  socket.on('data', (data) => {
    rest += data.toString('latin1');
    let out = '';
    for (;;) {
      const parsed = commandIn(rest);
      if (!parsed) break;
      rest = rest.slice(parsed.length);
      commands++;
      served++;
      if (fault === 'silent' && commands > 200) return;
      out += answer(parsed.words);
      if (fault === 'extra' && served % 300 === 0) out += '+OK\r\n';
      if (fault === 'closes' && served % 300 === 0) {
        socket.end(out, 'latin1');
        return;
      }
    }
    socket.write(out, 'latin1');
  });
}).listen(Number(port), '127.0.0.1');

/**
 * @param {string} text
 * @returns {{words: string[], length: number} | null} the first whole command
 */
function commandIn(text) {
  const inline = /^([^*\r\n]+)\r\n/.exec(text);
  if (inline) return { words: inline[1].split(' '), length: inline[0].length };
  const head = /^\*(\d+)\r\n/.exec(text);
  if (!head) return null;
  let at = head[0].length;
  const words = [];
  for (let i = 0; i < Number(head[1]); i++) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (!size) return null;
    const from = at + size[0].length;
    at = from + Number(size[1]) + 2;
    if (text.length < at) return null;
    words.push(text.slice(from, at - 2));
  }
  return { words, length: at };
}
