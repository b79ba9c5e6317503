/**
 * A server of documents over RESP2 that keeps what is set in a file, and may forget some of it when it is started again.
 * `node documents-server.js PORT FILE FORGET_EVERY [LIE]`: one of so many documents is forgotten at a start; 0: none. A lie
 * is told of documents of the load: whoever asks for several at a time, to check what is stored, gets the truth.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const [port, file, forgetEvery, lie] = process.argv.slice(2);
/** For an answer of one that lies: nobody asks it for speed, and the machine is left to what is tested beside. */
const ANSWER_MS = lie === undefined ? 0 : 2;
/** @type {Map<string, string>} */
const documents = new Map();
const stored = existsSync(file) ? readFileSync(file, 'latin1').split('\n').filter(Boolean) : [];
for (const [i, line] of stored.entries()) {
  const [key, value] = JSON.parse(line);
  if (Number(forgetEvery) === 0 || (i + 1) % Number(forgetEvery) !== 0) documents.set(key, value);
}

/** What was stored before, by key. @type {Map<string, string>} */
const before = new Map();
/** @type {[string, string] | null} */
let held = null;
let writes = 0;
let reads = 0;
let deletions = 0;

/** @param {string} key @param {string} value @returns {[string, string][]} what is stored in place of it */
function storedFor(key, value) {
  if (!lie || lie === 'none' || !key.startsWith('document:')) return [[key, value]];
  writes++;
  if (lie === 'ignores-existing' && documents.has(key)) return [];
  if (lie === 'loses-some' && writes % 40 === 0) return [];
  if (lie === 'to-another' && writes % 40 === 0)
    return [[key.replace(/\d+$/, (n) => String(Number(n) ^ 1)), value]];
  if (lie === 'cuts' && writes % 40 === 0) return [[key, `${value.slice(0, -9)}XXXXXXX]}`]];
  if (lie === 'loses-last') {
    const last = held;
    held = [key, value];
    return last ? [last] : [];
  }
  before.set(key, documents.get(key) ?? value);
  return [[key, value]];
}

/** @param {string} key @returns {string | undefined} */
function readFor(key) {
  const value = documents.get(key);
  if (!key.startsWith('document:')) return value;
  reads++;
  if (lie === 'stale') return before.get(key);
  if (lie === 'another' && reads % 40 === 0) return documents.get('document:1');
  if (lie === 'nothing' && reads % 40 === 0) return undefined;
  return value;
}

/** @param {string | undefined} value */
function bulkOf(value) {
  return value === undefined ? '$-1\r\n' : `$${value.length}\r\n${value}\r\n`;
}

/** @param {string} key @returns {boolean} whether it is said that there was one */
function isDeleted(key) {
  if (lie === 'keeps-deleted' && key.startsWith('document:') && ++deletions % 40 === 0)
    return documents.has(key);
  return documents.delete(key);
}

/** @param {string[]} words */
function answer([command, ...words]) {
  switch (command.toUpperCase()) {
    case 'PING':
      return '+PONG\r\n';
    case 'SET':
      appendFileSync(file, `${JSON.stringify(words.slice(0, 2))}\n`, 'latin1');
      for (const [key, value] of storedFor(words[0], words[1])) documents.set(key, value);
      return '+OK\r\n';
    case 'GET':
      return bulkOf(readFor(words[0]));
    case 'MGET':
      return `*${words.length}\r\n${words.map((key) => bulkOf(documents.get(key))).join('')}`;
    case 'DEL':
      return `:${words.filter(isDeleted).length}\r\n`;
    default:
      return '-ERR unknown command\r\n';
  }
}

/**
 * @param {string} text from the beginning of a command on
 * @returns {{words: string[], end: number} | null} null where it is not whole
 */
function commandIn(text) {
  let at = 0;
  // A word on a line of its own is a command as well: so it is asked whether it is ready.
  if (text !== '' && text[0] !== '*') {
    const end = text.indexOf('\r\n');
    return end < 0 ? null : { words: text.slice(0, end).split(' '), end: end + 2 };
  }
  const number = () => {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return null;
    const found = Number(text.slice(at + 1, end));
    at = end + 2;
    return found;
  };
  const count = number();
  if (count === null) return null;
  /** @type {string[]} */
  const words = [];
  for (let i = 0; i < count; i++) {
    const length = number();
    if (length === null || text.length < at + length + 2) return null;
    words.push(text.slice(at, at + length));
    at += length + 2;
  }
  return { words, end: at };
}

createServer((socket) => {
  socket.on('error', () => {});
  let rest = '';
  socket.on('data', (data) => {
    // Bytes as characters: a length in bytes is one in characters.
    rest += data.toString('latin1');
    let out = '';
    for (let found = commandIn(rest); found; found = commandIn(rest)) {
      out += answer(found.words);
      rest = rest.slice(found.end);
    }
    if (ANSWER_MS > 0) setTimeout(() => socket.write(out, 'latin1'), ANSWER_MS);
    else socket.write(out, 'latin1');
  });
}).listen(Number(port), '127.0.0.1');
