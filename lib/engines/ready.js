import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { plainLine } from '../controls.js';
import { causeOf } from '../errors.js';
import { runTool } from '../process/tool.js';

/** @import { CompanionCheck, ReadyCheck } from '../types.d.ts' */

/** Nobody needs more to say that it is there. */
const MOST_BYTES = 64 * 1024;

/**
 * Asks a real question until the system gives the right answer.
 * @param {ReadyCheck | CompanionCheck} check
 * @param {{host: string, port: number, stillRunning: () => boolean, signal?: AbortSignal,
 *   fill?: (text: string) => string, output?: () => string, pause?: () => Promise<unknown>}} where `output`: what it has
 *   written so far; `pause`: between two questions
 * @returns {Promise<{ready: boolean, last: string}>} `last`: the last answer or error, for the message
 */
export async function waitUntilReady(check, where) {
  const { stillRunning, signal, output, pause = () => sleep(25) } = where;
  // Not by the clock of the day, which may be set.
  const until = performance.now() + check.timeoutSec * 1000;
  let last = 'no answer yet';
  while (performance.now() < until && stillRunning() && !signal?.aborted) {
    const answer = 'log' in check ? said(check.log, output?.() ?? '') : await ask(check, where);
    last = plainLine(answer.text);
    if (answer.ok) return { ready: true, last };
    await pause();
  }
  return { ready: false, last };
}

/**
 * @param {string} wanted
 * @param {string} output
 * @returns {{ok: boolean, text: string}}
 */
function said(wanted, output) {
  return { ok: output.includes(wanted), text: `its output has no "${wanted}"` };
}

/**
 * @param {ReadyCheck} check
 * @param {{host: string, port: number, fill?: (text: string) => string}} where
 * @returns {Promise<{ok: boolean, text: string}>}
 */
async function ask(check, { host, port, fill = (text) => text }) {
  try {
    if ('tcp' in check) return await askTcp({ host, port }, check.tcp);
    if ('http' in check) return await askHttp({ host, port }, check.http);
  } catch (error) {
    return { ok: false, text: causeOf(error) };
  }
  const { ok, stderr, stdout } = await runTool(check.command.map(fill), { timeoutMs: 5000 });
  return { ok, text: (stderr || stdout).trim() };
}

/**
 * @param {{host: string, port: number}} where
 * @param {{send: string, expect: string}} question `expect`: the answer must begin with it
 * @returns {Promise<{ok: boolean, text: string}>}
 */
async function askTcp(where, { send, expect }) {
  const text = await answerOf(where, send, (so) => so.length >= expect.length);
  return { ok: text.startsWith(expect), text: strangeProtocol(text) ?? tellingOf(text) };
}

/**
 * Over a plain socket: a start-up is timed by it, without a library's own in the way.
 * @param {{host: string, port: number}} where
 * @param {{path: string, status: number}} question
 * @returns {Promise<{ok: boolean, text: string}>}
 */
async function askHttp(where, { path, status }) {
  const { host, port } = where;
  const bracketed = host.includes(':') ? `[${host}]` : host;
  const send = `GET ${path} HTTP/1.1\r\nHost: ${bracketed}:${port}\r\nConnection: close\r\n\r\n`;
  const text = await answerOf(where, send, isHead);
  if (!isHead(text)) return { ok: false, text: 'only part of an answer came before its end or our timeout' };
  const [, told] = /^HTTP\/1\.[01] (\d{3})\b/.exec(text) ?? [];
  if (!told)
    return { ok: false, text: strangeProtocol(text) ?? `it does not speak HTTP: ${tellingOf(text)}` };
  const [, to] = /^location: *(.*?)\s*$/im.exec(text.split('\r\n\r\n')[0]) ?? [];
  return { ok: Number(told) === status, text: `HTTP ${told}${to ? `, to ${to}` : ''}` };
}

/** @param {string} text what was received so far @returns {boolean} whether it is the whole head of an answer, or none will come */
function isHead(text) {
  return text.includes('\r\n\r\n') || !text.startsWith('HTTP/'.slice(0, text.length));
}

/** @param {string} text of several answers @returns {string} the first error, which brings others with it, or the last */
function tellingOf(text) {
  const lines = text.trimEnd().split('\r\n');
  return lines.find((line) => line.startsWith('-')) ?? lines.pop() ?? '';
}

/**
 * @param {string} text how an answer begins
 * @returns {string | null} what else is spoken there, where that can be told
 */
function strangeProtocol(text) {
  // A record of TLS: an alert or a handshake, of some version 3.
  if ([0x15, 0x16].includes(text.charCodeAt(0)) && text.charCodeAt(1) === 3)
    return 'it speaks TLS, which the load generator does not support';
  const [first] = text.split('\r\n');
  if (/^HTTP\/\d/.test(first)) return `it speaks HTTP: ${first}`;
  return /^220[ -]/.test(first) ? `it speaks first, as a mail or file server: ${first}` : null;
}

/**
 * @param {{host: string, port: number}} where
 * @param {string} send
 * @param {(text: string) => boolean} isWhole whether enough was received
 * @returns {Promise<string>} what was received until then, or in 2 s
 * @throws {Error} when nothing was
 */
export function answerOf({ host, port }, send, isWhole) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    let text = '';
    const end = (/** @type {string} */ why) => {
      clearTimeout(timer);
      socket.destroy();
      if (text === '') reject(new Error(why));
      else resolve(text);
    };
    const timer = setTimeout(() => end('no answer in 2 s'), 2000);
    socket.once('connect', () => socket.write(send));
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (isWhole(text) || text.length > MOST_BYTES) end('');
    });
    socket.once('error', (error) => end(error.message));
    socket.once('close', () => end('the connection was closed'));
  });
}
