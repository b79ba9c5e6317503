import { BenchError } from '../errors.js';

/**
 * `--watch NAME` or `--watch NAME=PID,PID`: processes of this machine that are a system given by its address. Whose they
 * are nobody but the user knows: what listens at a port may be a proxy, a tunnel or a part of the system.
 * @param {string[]} texts of the flag
 * @param {Record<string, string>} endpoints URLs by name
 * @returns {Record<string, number[]> | undefined} process ids by system, none: whoever listens at its port; undefined
 *   without the flag
 * @throws {BenchError} another name than an endpoint's, an address elsewhere, or no process ids
 */
export function watchOf(texts, endpoints) {
  if (texts.length === 0) return undefined;
  return Object.fromEntries(texts.map((text) => [nameIn(text, endpoints), pidsIn(text)]));
}

/**
 * @param {string} text
 * @param {Record<string, string>} endpoints
 */
function nameIn(text, endpoints) {
  const [name] = text.split('=', 1);
  const url = Object.hasOwn(endpoints, name) ? endpoints[name] : null;
  if (url === null)
    throw new BenchError(`--watch ${text}: "${name}" has no --endpoint`, {
      hint: `add --endpoint ${name}=URL`,
    });
  if (!isLoopback(url))
    throw new BenchError(
      `--watch ${text}: ${name} is at ${url}, and only this machine's processes are seen`,
      {
        hint: 'leave it out, or give an address on the loopback',
      },
    );
  return name;
}

/** @param {string} text @returns {number[]} */
function pidsIn(text) {
  const [, list] = /=(.*)/s.exec(text) ?? [];
  const pids = list?.split(',') ?? [];
  const odd = pids.find((pid) => !/^[1-9]\d{0,9}$/.test(pid));
  if (odd !== undefined)
    throw new BenchError(`--watch ${text}: "${odd}" is no process id`, { hint: 'write NAME=PID,PID' });
  return pids.map(Number);
}

/** @param {string} url @returns {boolean} whether it is this machine for sure */
export function isLoopback(url) {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}
