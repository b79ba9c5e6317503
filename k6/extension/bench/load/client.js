/**
 * What scripts/bench-generator.mjs loads by k6/main.js in place of a system's client: the workload `counters`, over RESP
 * as systems have it; over HTTP and WebSocket every operation sends the same body, as the other side of the row does.
 * @import { Target } from '../../../types.d.ts'
 */

const body = __ENV.BODY;
const same = (/** @type {object} */ template) => ({ ping: template, increment: template, get: template });

/** @type {Record<string, Record<string, object>>} */
const byTransport = {
  resp: {
    ping: { command: ['PING'], expect: 'simple:PONG' },
    increment: { command: ['INCR', 'counter:__rand_int__'], expect: 'integer' },
    get: { command: ['GET', 'key:__rand_int__'], expect: 'bulk-or-null' },
  },
  http: same({ method: 'POST', path: '/', headers: { 'Content-Type': 'application/json' }, body }),
  ws: same({ message: body }),
};

/** @param {Target} target */
export function templates(target) {
  return byTransport[target.transport];
}

/** @param {Target} target */
export function burst(target) {
  return { protocol: target.transport, address: `${target.host}:${target.port}` };
}

/** Every client has it; here nothing is looked at before or after the load. */
export function open() {
  throw new Error('the benchmark looks at no state: ROLE=calibration is missing');
}
