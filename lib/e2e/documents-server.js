/**
 * A server of documents over RESP2 that keeps what is set in a file, and may forget some of it when it is started again.
 * `node documents-server.js PORT FILE FORGET_EVERY`: one of so many documents is forgotten at a start; 0: none.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const [port, file, forgetEvery] = process.argv.slice(2);
/** @type {Map<string, string>} */
const documents = new Map();
const stored = existsSync(file) ? readFileSync(file, 'latin1').split('\n').filter(Boolean) : [];
for (const [i, line] of stored.entries()) {
  const [key, value] = JSON.parse(line);
  if (Number(forgetEvery) === 0 || (i + 1) % Number(forgetEvery) !== 0) documents.set(key, value);
}

/** @param {string} key */
function bulk(key) {
  const value = documents.get(key);
  return value === undefined ? '$-1\r\n' : `$${value.length}\r\n${value}\r\n`;
}

/** @param {string[]} words */
function answer([command, ...words]) {
  switch (command.toUpperCase()) {
    case 'PING':
      return '+PONG\r\n';
    case 'SET':
      appendFileSync(file, `${JSON.stringify(words.slice(0, 2))}\n`, 'latin1');
      documents.set(words[0], words[1]);
      return '+OK\r\n';
    case 'GET':
      return bulk(words[0]);
    case 'MGET':
      return `*${words.length}\r\n${words.map(bulk).join('')}`;
    case 'DEL':
      return `:${words.filter((key) => documents.delete(key)).length}\r\n`;
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
    socket.write(out, 'latin1');
  });
}).listen(Number(port), '127.0.0.1');
