import { connect } from 'node:net';
import { versionIn } from '../process/version.js';

/** @import { Stack } from '../types.d.ts' */

/**
 * What a running server says of itself: INFO and CONFIG GET of RESP, a path of HTTP, or a question in
 * its own protocol.
 * @typedef {object} Stated
 * @property {string | null} version
 * @property {Record<string, string> | null} settings by the server's own names; null where they cannot be asked
 */

const TIMEOUT_MS = 3000;
const NOTHING = Object.freeze({ version: null, settings: null });

/**
 * @param {Stack} stack
 * @param {{host: string, port: number}} where
 * @param {string[]} [login] words of the command that comes first, for RESP; none where no password is asked
 * @returns {Promise<Stated>} a server that does not answer has said nothing: that is for others to notice
 */
export async function askServer({ manifest }, where, login = []) {
  const { ask } = manifest;
  if (!ask) return NOTHING;
  try {
    if (ask.http) return await askHttp(where, ask.http);
    if (ask.tcp) return await askTcp(where, ask.tcp);
    if (ask.resp) {
      const names = [...new Set([...Object.keys(manifest.settings ?? {}), ...(ask.resp.settings ?? [])])];
      return await askResp(where, { fields: ask.resp.version, names, login });
    }
  } catch {
    return NOTHING;
  }
  return NOTHING;
}

/**
 * @param {Record<string, string>} given
 * @param {Record<string, string> | null} stated
 * @returns {{setting: string, given: string, stated: string}[]} what the server was given, and says otherwise
 */
export function untakenOf(given, stated) {
  if (!stated) return [];
  return Object.entries(given)
    .filter(([name, value]) => name in stated && plain(stated[name]) !== plain(value))
    .map(([setting, value]) => ({ setting, given: value, stated: stated[setting] }));
}

/** @param {string} value */
function plain(value) {
  return value
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase();
}

/**
 * @param {{host: string, port: number}} where
 * @param {{fields: string[], names: string[], login: string[]}} question `fields`: of INFO, the one that says most
 *   first; `names`: of settings
 * @returns {Promise<Stated>}
 */
async function askResp(where, { fields, names, login }) {
  const first = login.length > 0 ? [login] : [];
  const words = [...first, ['INFO'], ...names.map((name) => ['CONFIG', 'GET', name])];
  const request = words.map(respCommand).join('');
  const all = await exchange(where, request, (text) => respReplies(text, words.length));
  const replies = all.slice(first.length);
  const info = String(replies[0] ?? '');
  const field = fields.find((f) => new RegExp(`^${f}:`, 'm').test(info));
  const pairs = replies
    .slice(1)
    .flatMap((reply) =>
      Array.isArray(reply) && reply.length === 2 ? [/** @type {[string, string]} */ (reply)] : [],
    );
  return {
    version: field ? (new RegExp(`^${field}:(\\S+)`, 'm').exec(info)?.[1] ?? null) : null,
    settings: pairs.length > 0 ? Object.fromEntries(pairs) : null,
  };
}

/**
 * @param {{host: string, port: number}} where
 * @param {{send: string, version: string}} question `version`: a pattern of the answer, whose first group it is
 * @returns {Promise<Stated>}
 */
async function askTcp(where, { send, version }) {
  const pattern = new RegExp(version);
  return { version: await exchange(where, send, (text) => pattern.exec(text)?.[1] ?? null), settings: null };
}

/**
 * @param {{host: string, port: number}} where
 * @param {{path: string, version?: string, settings?: string[]}} question `version` and `settings`: fields of a JSON
 *   answer; without either the whole text is the version
 * @returns {Promise<Stated>}
 */
async function askHttp({ host, port }, { path, version: field, settings: names }) {
  const bracketed = host.includes(':') ? `[${host}]` : host;
  const answer = await fetch(`http://${bracketed}:${port}${path}`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await answer.text();
  if (!answer.ok) return NOTHING;
  if (field === undefined && names === undefined) return { version: versionOf(text), settings: null };
  const fields = JSON.parse(text);
  const stated = (names ?? []).flatMap((name) => (name in fields ? [[name, String(fields[name])]] : []));
  return {
    version: field === undefined ? null : versionOf(fields[field]),
    settings: stated.length > 0 ? Object.fromEntries(stated) : null,
  };
}

/** @param {unknown} said */
function versionOf(said) {
  return typeof said === 'string' && said.trim() !== '' ? versionIn(said) : null;
}

/**
 * @template T
 * @param {{host: string, port: number}} where
 * @param {string} request
 * @param {(text: string) => T | null} parse null while the answer is not whole
 * @returns {Promise<T>}
 */
function exchange({ host, port }, request, parse) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    let text = '';
    socket.once('connect', () => socket.write(request));
    socket.on('data', (data) => {
      text += data.toString('latin1');
      const answer = parse(text);
      if (answer === null) return;
      socket.destroy();
      resolve(answer);
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
}

/**
 * @param {string[]} words
 * @returns {string} in RESP
 */
export function respCommand(words) {
  return `*${words.length}\r\n${words.map((w) => `$${Buffer.byteLength(w)}\r\n${w}\r\n`).join('')}`;
}

/**
 * @param {string} text
 * @param {number} count
 * @returns {unknown[] | null} null while fewer replies have come; a refusal is null
 */
function respReplies(text, count) {
  let at = 0;
  /** @returns {unknown} undefined while it is not whole */
  const reply = () => {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const [kind, rest] = [text[at], text.slice(at + 1, end)];
    at = end + 2;
    if (kind === '*') {
      const parts = Array.from({ length: Math.max(0, Number(rest)) }, reply);
      return parts.includes(undefined) ? undefined : parts;
    }
    if (kind !== '$') return kind === '-' ? null : rest;
    const size = Number(rest);
    if (size < 0) return null;
    if (text.length < at + size + 2) return undefined;
    at += size + 2;
    return text.slice(at - size - 2, at - 2);
  };
  const replies = [];
  while (replies.length < count) {
    const next = reply();
    if (next === undefined) return null;
    replies.push(next);
  }
  return replies;
}
