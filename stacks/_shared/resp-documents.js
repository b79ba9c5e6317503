/**
 * The operations of `documents` over RESP2, for every system that speaks it. How much a system stores, and how it is
 * made to compact, each says for itself: `documentsOver({ storedBytes, compact })`.
 * @import { DocumentsClient, Target } from '../../k6/types.d.ts'
 */
import redis from 'k6/x/redis';
import { loginOf } from './resp-login.js';

/** Driven by the burst module. A deletion answers how many keys there were. */
export const templates = {
  set: { command: ['SET', 'document:{key}', '{document}'], expect: 'simple:OK' },
  get: { command: ['GET', 'document:{key}'], expect: 'bulk', returns: '{document}' },
  del: { command: ['DEL', 'document:{key}'], expect: 'integer', returns: '1' },
};

/**
 * @param {Target} target
 * @returns {{protocol: 'resp', address: string, setup?: string[][]}}
 */
export function burst(target) {
  return { protocol: 'resp', address: `${target.host}:${target.port}`, ...loginOf(target) };
}

/**
 * @param {{storedBytes: (client: any) => ReturnType<DocumentsClient['storedBytes']>,
 *   compact: (client: any) => ReturnType<DocumentsClient['compact']>}} own `client` of `k6/x/redis`
 */
export function documentsOver({ storedBytes, compact }) {
  return { burst, templates, open: (/** @type {Target} */ target) => open(target, storedBytes, compact) };
}

/**
 * One connection for each client: a pool would hide more connections than the step has virtual users.
 * @param {Target} target
 * @param {(client: any) => ReturnType<DocumentsClient['storedBytes']>} storedBytes
 * @param {(client: any) => ReturnType<DocumentsClient['compact']>} compact
 * @returns {DocumentsClient}
 */
function open(target, storedBytes, compact) {
  const client = new redis.Client({
    socket: {
      host: target.host,
      port: target.port,
      poolSize: 1,
      dialTimeout: 5000,
      readTimeout: 30_000,
      writeTimeout: 5000,
    },
    ...(target.login ? { username: target.login.user ?? '', password: target.login.password } : {}),
  });
  return {
    set: (key, document) => client.set(key, document, 0),
    get: (key) => valueOrNull(client.get(key)),
    del: (key) => client.del(key),
    getMany: (keys) => client.mget(...keys),
    storedBytes: () => storedBytes(client),
    compact: () => compact(client),
    close() {},
  };
}

/**
 * One number of an `INFO` answer.
 * @param {any} client
 * @param {string} section
 * @param {string} field
 * @returns {Promise<number | null>} null where the system does not have it
 */
export async function infoNumber(client, section, field) {
  const text = String(await client.sendCommand('INFO', section));
  const match = new RegExp(`^${field}:(\\d+)`, 'm').exec(text);
  return match ? Number(match[1]) : null;
}

/**
 * Asks until a condition holds.
 * @param {() => Promise<boolean>} done
 * @param {string} what for the message
 * @param {(sec: number) => void} sleep
 */
export async function waitFor(done, what, sleep) {
  for (let tries = 0; tries < 600; tries++) {
    if (await done()) return;
    sleep(0.1);
  }
  throw new Error(`${what} took longer than 60 s`);
}

/**
 * The library rejects when a key does not exist; for a reader of documents that is a value like any other.
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
