/**
 * Requests of the size that the workload `realtime` has; every answer is a constant, over WebSocket an echo.
 * @import { Target, Turns } from '../../k6/types.d.ts'
 */
import http from 'k6/http';
import { converse as converseOver } from '../../k6/drives/conversation.js';

/** @param {Target} target */
export function burst({ host, port, transport }) {
  const headers = { 'Content-Type': 'application/json' };
  const address = `${host}:${port}`;
  if (transport === 'http') return { protocol: 'http', address, headers };
  return { protocol: 'ws', address, path: transport === 'subscribed' ? '/follow' : '/' };
}

/**
 * The responder tells everybody, the sender too: a push more for each increment than a database makes.
 * @param {Target} target
 */
export function pushes({ transport }) {
  return transport === 'subscribed' ? { contains: '"push"', momentAfter: '"push":', perMs: 1000 } : null;
}

/** @param {Record<string, number>} dataset */
function bodies({ messageBytes }) {
  return {
    increment: '{"call":"increment","args":[{key},1]}',
    createMessage: `{"call":"createMessage","args":[{stream},"{uuid:${messageBytes}}"]}`,
  };
}

/**
 * @param {Target} target
 * @param {unknown} _workload
 * @param {Record<string, number>} dataset
 */
export function templates({ transport }, _workload, dataset) {
  return Object.fromEntries(
    Object.entries(bodies(dataset)).map(([op, body]) => [
      op,
      transport === 'http' ? { method: 'POST', path: '/call', body } : { message: body, success: '"call"' },
    ]),
  );
}

/**
 * @param {Target} target
 * @param {Turns} turns
 * @param {Record<string, number>} dataset
 * @returns {boolean}
 */
export function converse({ host, port, transport }, turns, dataset) {
  if (transport === 'http') return false;
  converseOver(`ws://${host}:${port}/`, '', turns, {
    greeting: ['{"ready":1}'],
    ready: '"ready"',
    answered: '"call"',
    succeeded: '"call"',
    message: ({ op, key, author, text }) =>
      JSON.stringify({
        call: op,
        args: op === 'increment' ? [key, 1] : [author, text(dataset.messageBytes)],
      }),
  });
  return true;
}

/** @param {Target} target */
export function open({ host, port }) {
  const headers = { 'Content-Type': 'application/json' };
  const call = (/** @type {unknown} */ body) => {
    const { status } = http.post(`http://${host}:${port}/call`, JSON.stringify(body), { headers });
    if (status !== 200) throw new Error(`answered ${status}`);
  };
  return {
    increment: (/** @type {number} */ counter, /** @type {number} */ by) =>
      call({ call: 'increment', args: [counter, by] }),
    createMessage: (/** @type {number} */ author, /** @type {string} */ body) =>
      call({ call: 'createMessage', args: [author, body] }),
    close: () => {},
  };
}

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
