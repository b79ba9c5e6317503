import { plainLine } from '../controls.js';
import { versionIn } from '../process/tool.js';
import { answerOf } from './ready.js';

/** @import { Stack } from '../types.d.ts' */

/**
 * What a running server says of itself: INFO and CONFIG GET of RESP, a path of HTTP, or a question in
 * its own protocol.
 * @typedef {object} Stated
 * @property {string | null} version
 * @property {Record<string, string> | null} settings by the server's own names; null where they cannot be asked
 */

const TIMEOUT_MS = 3000;
/** More than any server says of itself. */
const MOST_BYTES = 1024 * 1024;
const NOTHING = Object.freeze({ version: null, settings: null });

/**
 * @param {Stack} stack
 * @param {{host: string, port: number}} where
 * @param {string[]} [login] words of the command that comes first, for RESP; none where no password is asked
 * @returns {Promise<Stated>} a server that does not answer has said nothing: that is for others to notice
 */
export async function askServer({ manifest }, where, login = []) {
  const { http, tcp, resp } = manifest.ask ?? {};
  const names = [...new Set([...Object.keys(manifest.settings ?? {}), ...(resp?.settings ?? [])])];
  const asked =
    (http && askHttp(where, http)) ??
    (tcp && askTcp(where, tcp)) ??
    (resp && askResp(where, { fields: resp.version, names, login }));
  return (await asked?.catch(() => null)) ?? NOTHING;
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
  const words = [...first, ['INFO'], ...names.map((name) => ['CONFIG', 'GET', name]), ['PING']];
  const text = await answerOf(where, words.map(respCommand).join(''), (so) => so.endsWith('+PONG\r\n'));
  const field = fields.find((f) => text.includes(`\n${f}:`));
  const settings = names.flatMap((name) => {
    const value = /^\$\d+\r\n(.*)\r\n/.exec(text.split(`\r\n${name}\r\n`)[1] ?? '');
    return value ? [[name, plainLine(value[1])]] : [];
  });
  return {
    version: field ? (new RegExp(`^${field}:(\\S+)\\s`, 'm').exec(text)?.[1] ?? null) : null,
    settings: settings.length > 0 ? Object.fromEntries(settings) : null,
  };
}

/**
 * @param {{host: string, port: number}} where
 * @param {{send: string, version: string}} question `version`: a pattern of the answer, whose first group it is
 * @returns {Promise<Stated>}
 */
async function askTcp(where, { send, version }) {
  const pattern = new RegExp(version);
  const text = await answerOf(where, send, (so) => pattern.test(so));
  return { version: pattern.exec(text)?.[1] ?? null, settings: null };
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
  if (!answer.ok) {
    await answer.body?.cancel();
    return NOTHING;
  }
  const text = await textOf(answer);
  if (field === undefined && names === undefined) return { version: versionOf(text), settings: null };
  const fields = JSON.parse(text);
  const stated = (names ?? []).flatMap((name) =>
    name in fields ? [[name, plainLine(String(fields[name]))]] : [],
  );
  return {
    version: field === undefined ? null : versionOf(fields[field]),
    settings: stated.length > 0 ? Object.fromEntries(stated) : null,
  };
}

/**
 * @param {Response} answer
 * @returns {Promise<string>}
 * @throws {Error} when it goes on and on
 */
async function textOf({ body }) {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > MOST_BYTES) throw new Error('the answer is too long');
  }
  return text;
}

/** @param {unknown} said */
function versionOf(said) {
  if (typeof said !== 'string' || ['', 'unknown'].includes(said.trim())) return null;
  return versionIn(said);
}

/**
 * @param {string[]} words
 * @returns {string} in RESP
 */
export function respCommand(words) {
  return `*${words.length}\r\n${words.map((w) => `$${Buffer.byteLength(w)}\r\n${w}\r\n`).join('')}`;
}
