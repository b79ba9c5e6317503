import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

/**
 * @typedef {object} CallOptions
 * @property {string} [method]
 * @property {Record<string, string>} [headers]
 * @property {number} [timeoutMs] how long the engine may say nothing; without it, as long as it takes
 * @property {AbortSignal} [signal]
 */

/**
 * One call of the engine's API over its socket.
 * @param {string} socket
 * @param {string} path for example `/containers/ID/json`
 * @param {CallOptions} [options]
 * @returns {Promise<any>} the decoded answer; null when the engine says that there is no such thing
 * @throws when the engine does not answer, or answers with an error
 */
export async function callEngine(socket, path, options) {
  const response = await begin(socket, path, options);
  const answer = await text(response);
  const status = response.statusCode ?? 0;
  if (status === 404) return null;
  if (status >= 400) throw new Error(`the engine answered ${path} with ${status}: ${answer.trim()}`);
  return answer === '' ? {} : JSON.parse(answer);
}

/**
 * @param {string} socket
 * @param {string} container id or name
 * @returns {Promise<any>} what the engine says of it; null where it is gone
 */
export function inspectContainer(socket, container) {
  return callEngine(socket, `/containers/${container}/json`, { timeoutMs: 5000 });
}

/**
 * One call that the engine answers bit by bit, while it works.
 * @param {string} socket
 * @param {string} path
 * @param {CallOptions} [options]
 * @returns {AsyncGenerator<any, void, void>} each message
 * @throws with the engine's own words
 */
export async function* streamEngine(socket, path, options) {
  const response = await begin(socket, path, options);
  if ((response.statusCode ?? 0) >= 400) throw new Error(JSON.parse(await text(response)).message);
  for await (const line of createInterface({ input: response })) if (line !== '') yield JSON.parse(line);
}

/**
 * @param {string} socket
 * @param {string} path
 * @param {CallOptions} [options]
 * @returns {Promise<import('node:http').IncomingMessage>}
 */
function begin(socket, path, { method = 'GET', headers, timeoutMs, signal } = {}) {
  return new Promise((resolve, reject) => {
    const call = request({
      ...{ socketPath: socket, path, method, headers, signal },
      ...{ timeout: timeoutMs, agent: false },
    });
    const silence = () => new Error(`the engine did not answer ${path} in ${timeoutMs} ms`);
    /** @type {import('node:http').IncomingMessage | null} */
    let answer = null;
    call.once('timeout', () => (answer ?? call).destroy(silence()));
    call.on('error', reject);
    call.once('response', (response) => {
      answer = response;
      resolve(response);
    });
    call.end();
  });
}
