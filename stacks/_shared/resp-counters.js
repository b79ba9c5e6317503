/**
 * The operations of `counters` over RESP2, for every system that speaks it.
 * @import { CountersClient, Target } from '../../k6/types.d.ts'
 */
import redis from 'k6/x/redis';
import { loginOf } from './resp-login.js';

/** Driven by the burst module: one JS call, many operations. */
export const templates = {
  ping: { command: ['PING'], expect: 'simple:PONG' },
  increment: { command: ['INCR', 'counter:{key}'], expect: 'integer', tally: 'adds' },
  get: { command: ['GET', 'counter:{key}'], expect: 'bulk-or-null', tally: 'reads' },
};

/**
 * @param {Target} target
 * @returns {{protocol: 'resp', address: string, setup?: string[][]}}
 */
export function burst(target) {
  return { protocol: 'resp', address: `${target.host}:${target.port}`, ...loginOf(target) };
}

/**
 * One connection for each client: a pool would hide more connections than the step has virtual users.
 * @param {Target} target
 * @returns {CountersClient}
 */
export function open(target) {
  const client = new redis.Client({
    socket: {
      host: target.host,
      port: target.port,
      poolSize: 1,
      dialTimeout: 5000,
      readTimeout: 5000,
      writeTimeout: 5000,
    },
    ...(target.login ? { username: target.login.user ?? '', password: target.login.password } : {}),
  });
  return {
    async ping() {
      const answer = await client.sendCommand('PING');
      if (answer !== 'PONG') throw new Error(`PING answered ${JSON.stringify(answer)}`);
    },
    increment: (key) => client.incr(key),
    get: (key) => valueOrNull(client.get(key)),
    getMany: (keys) => client.mget(...keys),
    close() {},
  };
}

/**
 * The library rejects when a key does not exist; for a reader of counters that is a value like any other.
 * @param {Promise<string>} reply
 * @returns {Promise<string | null>}
 */
async function valueOrNull(reply) {
  try {
    return await reply;
  } catch (error) {
    if (String(error).includes('redis: nil')) return null;
    throw error;
  }
}
