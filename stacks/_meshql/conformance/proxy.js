/** Between the conformance check and a real server: changes what passes. Only for the check's own tests. */
import { createServer } from 'node:http';

/**
 * @typedef {{method: string, path: string, count: number, sent: any, underLoad: boolean}} Passing `count`: which request
 *   of this method it is; `sent`: its body; `underLoad`: it is of the load, which has no name (User-Agent)
 * @typedef {object} Change
 * @property {(request: Passing) => number | undefined} [refuse] a status that is answered in place of the real server
 * @property {(request: Passing) => boolean} [skip] true: a POST or PUT is answered as if it were done, and is not
 * @property {(query: string) => string} [query] another GraphQL query
 * @property {(body: string, request: Passing) => string} [body] another answer
 * @property {(request: Passing) => number | undefined} [status] another status
 */

/**
 * @param {string} url of the real server
 * @param {Change} change
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export async function proxyTo(url, change) {
  /** @type {Record<string, number>} */
  const counts = {};
  const server = createServer(async (request, response) => {
    const method = request.method ?? 'GET';
    const path = request.url ?? '/';
    counts[method] = (counts[method] ?? 0) + 1;
    const sent = ['GET', 'DELETE', 'OPTIONS'].includes(method) ? undefined : await bodyOf(request);
    const underLoad = request.headers['user-agent'] === undefined;
    const passing = { method, path: path.split('?')[0], count: counts[method], sent, underLoad };
    const refused = change.refuse?.(passing);
    if (refused) {
      response.writeHead(refused).end();
      return;
    }
    if ((path.endsWith('/api') || method === 'PUT') && change.skip?.(passing)) {
      const [status, id] =
        method === 'PUT' ? [200, path.split('/')[3]] : [201, '00000000-0000-4000-8000-000000000000'];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ ...sent, id }));
      return;
    }
    if (change.query && sent?.query) sent.query = change.query(sent.query);
    const answer = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(sent === undefined ? {} : { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
    });
    const text = await answer.text();
    const headers = Object.fromEntries(
      [...answer.headers].filter(
        ([name]) => !['content-length', 'transfer-encoding', 'connection'].includes(name),
      ),
    );
    response.writeHead(change.status?.(passing) ?? answer.status, headers);
    response.end(change.body?.(text, passing) ?? text);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<any>} parsed, or the text when it is no JSON
 */
async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
