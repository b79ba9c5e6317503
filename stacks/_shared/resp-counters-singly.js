/**
 * The operations of `counters` on servers that have no MGET, and may answer GET of a counter with an integer where Redis
 * has a bulk string: a value is taken in either form, and many are asked for one by one.
 * @import { CountersClient, Target } from '../../k6/types.d.ts'
 */
import burstModule from 'k6/x/burst';
import * as shared from './resp-counters.js';

export const burst = shared.burst;

export const templates = {
  ...shared.templates,
  get: { ...shared.templates.get, expect: 'integer-or-bulk-or-null' },
};

/**
 * What a virtual user does goes through the library that all systems of the workload share.
 * @param {Target} target
 * @returns {CountersClient}
 */
export function open(target) {
  const client = shared.open(target);
  const checks = burstModule.connect({ ...burst(target), timeoutMs: 10_000 });
  return {
    ...client,
    getMany: async (keys) => keys.map((key) => textOrNull(checks.call(['GET', key]))),
    close() {
      checks.close();
      client.close();
    },
  };
}

/**
 * @param {unknown} reply an integer, a text, or nothing
 * @returns {string | null}
 */
function textOrNull(reply) {
  return reply === null || reply === undefined ? null : String(reply);
}
