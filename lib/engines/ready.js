import { connect } from 'node:net';
import { plainLine } from '../controls.js';
import { causeOf } from '../errors.js';
import { runTool } from '../process/tool.js';

/** @import { CompanionCheck, ReadyCheck } from '../types.d.ts' */

/** Nobody needs more to say that it is there. */
const MOST_BYTES = 64 * 1024;

/**
 * Asks a real question until the system gives the right answer.
 * @param {ReadyCheck | CompanionCheck} check
 * @param {{host: string, port: number, stillRunning: () => boolean, signal: AbortSignal,
 *   fill?: (text: string) => string, output?: () => string}} where `output`: what it has written so far
 * @returns {Promise<{ready: boolean, last: string}>} `last`: the last answer or error, for the message
 */
export async function waitUntilReady(check, { host, port, stillRunning, signal, fill = (t) => t, output }) {
  // Not by the clock of the day, which may be set.
  const until = performance.now() + check.timeoutSec * 1000;
  let last = 'no answer yet';
  while (performance.now() < until && stillRunning() && !signal.aborted) {
    const answer = 'log' in check ? said(check.log, output?.() ?? '') : await ask(check, host, port, fill);
    last = plainLine(answer.text);
    if (answer.ok) return { ready: true, last };
    await new Promise((resolve) => setTimeout(resolve, 25));
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
 * @param {string} host
 * @param {number} port
 * @param {(text: string) => string} fill
 * @returns {Promise<{ok: boolean, text: string}>}
 */
async function ask(check, host, port, fill) {
  if ('tcp' in check) return askTcp(host, port, check.tcp.send, check.tcp.expect);
  if ('http' in check) {
    const bracketed = host.includes(':') ? `[${host}]` : host;
    return askHttp(`http://${bracketed}:${port}${check.http.path}`, check.http.status);
  }
  const { ok, stderr, stdout } = await runTool(check.command.map(fill), { timeoutMs: 5000 });
  return { ok, text: (stderr || stdout).trim() };
}

/**
 * @param {string} host
 * @param {number} port
 * @param {string} send
 * @param {string} expect the answer must begin with it
 * @returns {Promise<{ok: boolean, text: string}>}
 */
async function askTcp(host, port, send, expect) {
  try {
    const text = await answerOf({ host, port }, send, (so) => so.length >= expect.length);
    return { ok: text.startsWith(expect), text: strangeProtocol(text) ?? tellingOf(text) };
  } catch (error) {
    return { ok: false, text: causeOf(error) };
  }
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

/**
 * @param {string} url
 * @param {number} status
 * @returns {Promise<{ok: boolean, text: string}>}
 */
async function askHttp(url, status) {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    const to = response.headers.get('location');
    return { ok: response.status === status, text: `HTTP ${response.status}${to ? `, to ${to}` : ''}` };
  } catch (error) {
    const cause = /** @type {any} */ (error).cause;
    const why = String(cause?.message ?? error);
    if (!cause?.code?.startsWith('HPE_')) return { ok: false, text: why };
    return { ok: false, text: strangeProtocol(String(cause.data ?? '')) ?? `it does not speak HTTP: ${why}` };
  }
}
