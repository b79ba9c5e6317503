import { request } from 'node:http';

/**
 * One call of the engine's API over its socket.
 * @param {string} socket
 * @param {string} path for example `/containers/ID/json`
 * @param {{method?: string, timeoutMs?: number, signal?: AbortSignal}} [options] no `timeoutMs`: waits as long as it takes
 * @returns {Promise<any>} the decoded answer; null when the engine says that there is no such thing
 * @throws when the engine does not answer, or answers with an error
 */
export function callEngine(socket, path, { method = 'GET', timeoutMs, signal } = {}) {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: socket, path, method, signal, timeout: timeoutMs, agent: false });
    call.once('timeout', () =>
      call.destroy(new Error(`the engine did not answer ${path} in ${timeoutMs} ms`)),
    );
    call.once('error', reject);
    call.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
      });
      response.once('error', reject);
      response.once('end', () => {
        const status = response.statusCode ?? 0;
        if (status === 404) return resolve(null);
        if (status >= 400)
          return reject(new Error(`the engine answered ${path} with ${status}: ${text.trim()}`));
        resolve(text === '' ? {} : JSON.parse(text));
      });
    });
    call.end();
  });
}
