/**
 * A server of counters over RESP2 that answers every command, and one kind of them wrongly: what a check of sums and
 * types cannot see. `node wrong-answers.js PORT FAULT`
 */
import { createServer } from 'node:net';

const [port, fault] = process.argv.slice(2);
/** For an answer: nobody asks for speed, and the machine is left to what is tested beside. */
const ANSWER_MS = 2;
/** @type {Map<string, number>} */
const counters = new Map();
let increments = 0;
/** Commands of all connections. */
let served = 0;

/** @param {string} key `counter:N` @returns {string} */
function neighbourOf(key) {
  return key.replace(/\d+$/, (n) => String((Number(n) + 1) % 500));
}

/** Of the command before, in the same piece of what was received. */
let inRow = 0;
/** The increment that is taken only when the next one comes. @type {string | null} */
let held = null;
/** What a replica has, which is behind. @type {Map<string, number>} */
const replica = new Map();

/** @param {string} key */
function increment(key) {
  const measured = key.startsWith('counter:');
  // Of a pipeline one in some is answered as if it were counted.
  if (measured && fault === 'pipelined' && inRow > 0 && ++increments % 20 === 0)
    return `:${(counters.get(key) ?? 0) + 1}\r\n`;
  if (measured && fault === 'last') {
    if (held) counters.set(held, (counters.get(held) ?? 0) + 1);
    held = key;
    return `:${(counters.get(key) ?? 0) + 1}\r\n`;
  }
  if (fault === 'replica') replica.set(key, counters.get(key) ?? 0);
  const strays = measured && (fault === 'neighbour' || (fault === 'stray' && ++increments % 50 === 0));
  const at = strays ? neighbourOf(key) : key;
  const value = (counters.get(at) ?? 0) + 1;
  counters.set(at, value);
  if (measured && fault === 'constant') return ':1\r\n';
  return `:${strays ? (counters.get(key) ?? 0) + 1 : value}\r\n`;
}

/** @param {string} key @param {Map<string, number>} [from] */
function bulk(key, from = counters) {
  const value = from.get(key);
  if (value === undefined) return '$-1\r\n';
  return `$${String(value).length}\r\n${value}\r\n`;
}

/** @param {string[]} words @returns {string} */
function answer([command, ...keys]) {
  const name = command.toUpperCase();
  if (name === 'PING') return '+PONG\r\n';
  if (name === 'INCR') return increment(keys[0]);
  if (name === 'MGET') return `*${keys.length}\r\n${keys.map((key) => bulk(key)).join('')}`;
  if (name !== 'GET') return '-ERR unknown command\r\n';
  if (fault === 'replica' && keys[0].startsWith('counter:')) return bulk(keys[0], replica);
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
    let before = '';
    inRow = 0;
    for (;;) {
      const parsed = commandIn(rest);
      if (!parsed) break;
      rest = rest.slice(parsed.length);
      commands++;
      served++;
      if (fault === 'silent' && commands > 200) return;
      const said = answer(parsed.words);
      // Two answers of a pipeline, one in the place of the other.
      if (fault === 'swapped' && inRow % 2 === 1 && out !== '') {
        const at = out.lastIndexOf(before);
        out = `${out.slice(0, at)}${said}${before}`;
      } else out += said;
      before = said;
      inRow++;
      if (fault === 'extra' && served % 300 === 0) out += '+OK\r\n';
      if (fault === 'closes' && served % 300 === 0) {
        setTimeout(() => socket.end(out, 'latin1'), ANSWER_MS);
        return;
      }
    }
    setTimeout(() => socket.write(out, 'latin1'), ANSWER_MS);
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
