import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { grafanaFaults, WRITES } from './testing-grafana.js';

/** The tests of a Grafana against a stand-in of one: they find an empty panel, and a write that is not refused. */

const REFUSED = { status: 403, body: { message: 'you need more permissions' } };
/** @typedef {{method: string, path: string, body: string, origin: string}} Asked */
/** What is not as it should be. @type {(asked: Asked) => any} */
let fault = () => null;

const server = createServer(async (request, response) => {
  const [method, path] = [String(request.method), String(request.url)];
  const asked = { method, path, body: await text(request), origin: String(request.headers.origin) };
  const { status = 200, body } = fault(asked) ?? soundAnswer(asked);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
const grafana = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
after(() => server.close());

/** @param {Asked} asked @returns {{status?: number, body: any}} */
function soundAnswer({ method, path, body, origin }) {
  if (method !== 'POST' || path !== '/api/ds/query' || origin !== grafana) return REFUSED;
  const { query } = JSON.parse(body).queries[0];
  if (!/^(SELECT|SHOW)/.test(query)) return { body: { results: { A: { error: 'not authorized' } } } };
  return { body: { results: { A: { frames: [frame([7])] } } } };
}

/** @param {any[]} values */
function frame(values) {
  return {
    schema: { fields: [{ type: 'time' }, { type: 'number' }] },
    data: { values: [values.map(() => 0), values] },
  };
}

test('a Grafana that answers all panels and refuses all writes passes', async () => {
  fault = () => null;
  assert.deepEqual(await grafanaFaults(grafana), []);
});

test('a panel without rows, with empty rows, or with an error is found', async () => {
  for (const [answer, why] of /** @type {[any, string][]} */ ([
    [{ frames: [] }, 'no rows'],
    [{ frames: [frame([null])] }, 'no rows'],
    [{ error: 'no such data source' }, 'no such data source'],
  ])) {
    const body = { results: { A: answer } };
    fault = (asked) => (asked.body.includes('\\"vus\\" WHERE') ? { body } : null);
    assert.deepEqual(await grafanaFaults(grafana), [`Live run / Virtual users / A: ${why}`]);
  }
  fault = (asked) =>
    asked.body.includes('\\"vus\\" WHERE') ? { body: { results: { A: { frames: [] } } } } : null;
  assert.deepEqual(await grafanaFaults(grafana, { mayBeEmpty: /"vus" WHERE/ }), []);
});

test('a panel that was emptied by a write is found, whatever the write was answered', async () => {
  let dropped = false;
  fault = ({ path, body }) => {
    dropped ||= path.includes('DROP');
    return dropped && body.includes('SELECT') ? { body: { results: { A: { frames: [] } } } } : null;
  };
  assert.ok((await grafanaFaults(grafana)).includes('Live run / Virtual users / A: no rows'));
});

test('each write that is not refused is found', async () => {
  for (const { what, method = 'POST', path, body = '', origin = grafana } of WRITES) {
    const same = (/** @type {Asked} */ asked) =>
      asked.method === method &&
      asked.path === path &&
      asked.origin === origin &&
      asked.body === (typeof body === 'object' ? JSON.stringify(body) : body);
    fault = (asked) => (same(asked) ? { body: { results: { A: {} } } } : null);
    assert.deepEqual(await grafanaFaults(grafana, { mayBeEmpty: /^/ }), [`accepted: ${what}`]);
  }
});
