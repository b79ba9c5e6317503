import { withoutUserinfo } from '../controls.js';
import { BenchError, orNull } from '../errors.js';

/** @import { Stack } from '../types.d.ts' */

/**
 * The address of a system that somebody else runs. What is secret in it is kept in memory alone: it reaches no plan, no
 * record, no log and no command line.
 */

/** Schemes that mean TLS, which the load does not speak: to ignore it would send everything in plain text. */
const TLS = new Set(['https', 'wss', 'tls', 'ssl']);
const WEB = new Set(['http', 'ws']);

/** Name of the variable that carries `user:password`, or a password alone, to the generator. */
export const USERINFO = 'LADDERBENCH_USERINFO';
/** The same of a password alone, whatever characters it has. */
const PASSWORD = 'LADDERBENCH_PASSWORD';

/** By system, from its address. @type {Map<string, string>} */
const given = new Map();

/**
 * @typedef {object} Endpoint
 * @property {string} url without user and password
 * @property {string} hostname
 * @property {number | null} port
 */

/**
 * @param {Stack} stack
 * @param {string} text of `--endpoint`
 * @returns {Endpoint}
 * @throws {BenchError} one that is none, or asks for something that the load does not do
 */
export function parseEndpoint(stack, text) {
  const said = `--endpoint ${stack.id}=${withoutUserinfo(text)}`;
  const form = stack.manifest.endpoint.url.replace(/[{}]/g, '');
  const refuse = (/** @type {string} */ why, hint = `write ${form}`) =>
    new BenchError(`${said}: ${why}`, { hint });
  if (!URL.canParse(text)) {
    const hint = `in a password write / as %2F and # as %23, or give it as the variable ${variableOf(PASSWORD, stack.id)}`;
    throw refuse('not a URL', text.includes('@') ? hint : undefined);
  }
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1);
  const speaksHttp = stack.manifest.endpoint.url.startsWith('http');
  if (!url.hostname) throw refuse('no host in it');
  const own = stack.manifest.endpoint.url.split(':')[0];
  if (TLS.has(scheme) || scheme === `${own}s`)
    throw refuse(
      `${scheme} means TLS, which the load generator does not support`,
      'measure a listener without TLS',
    );
  if (speaksHttp !== WEB.has(scheme)) throw refuse(`${stack.id} does not speak ${scheme}`);
  if (url.search || url.hash) throw refuse('what follows "?" or "#" would be ignored: leave it out');
  if (!speaksHttp && !['', '/'].includes(url.pathname))
    throw refuse(
      `"${url.pathname}" would be ignored: the load uses the database that a connection begins with`,
    );
  const { username, password } = url;
  if (username || password) {
    given.set(stack.id, `${decoded(username)}:${decoded(password)}`);
    // The address is also on our own command line: from now on that shows the name only.
    process.title = 'ladderbench';
  }
  if (speaksHttp && userinfoOf(stack.id))
    throw refuse('the load over HTTP does not log in', 'measure a listener without a password');
  url.username = '';
  url.password = '';
  const bare = url.pathname === '/' ? `${scheme}://${url.host}` : url.href;
  return {
    url: bare,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port ? Number(url.port) : null,
  };
}

/**
 * @param {string} id of a system
 * @returns {string | undefined} `user:password` or a password alone: from its address, or from the environment
 */
export function userinfoOf(id) {
  const password = process.env[variableOf(PASSWORD, id)];
  // What follows the first colon is a password, however many it has.
  return (
    given.get(id) ??
    process.env[variableOf(USERINFO, id)] ??
    (password === undefined ? undefined : `:${password}`)
  );
}

/**
 * @param {string} prefix
 * @param {string} id of a system
 */
function variableOf(prefix, id) {
  return `${prefix}_${id.replace(/[^a-z0-9]/gi, '_').toUpperCase()}`;
}

/**
 * @param {string} id
 * @returns {string[]} the words that log in over RESP; none without a password
 */
export function loginOf(id) {
  const userinfo = userinfoOf(id);
  if (!userinfo) return [];
  const at = userinfo.indexOf(':');
  return at <= 0 ? ['AUTH', userinfo.slice(at + 1)] : ['AUTH', userinfo.slice(0, at), userinfo.slice(at + 1)];
}

/** @param {string} text of a URL @returns {string} as it is meant; a "%" that begins no code stands for itself */
function decoded(text) {
  return orNull(() => decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))) ?? text;
}
