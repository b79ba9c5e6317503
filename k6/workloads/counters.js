/**
 * Counters: PING, INCR and GET over a seeded choice of keys, each operation in a window of its own.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { CountersClient, Oracle, WorkloadContext } from '../types.d.ts'
 */

export const facts = Object.freeze({
  title: 'Counters',
  /** In the order in which they run: reads come after the writes that give them something to find. */
  operations: ['ping', 'increment', 'get'],
  writes: 'increment',
  pipelines: true,
});

/** A key outside the measured ones, for the round trip before load. */
const PROBE_KEY = 'ladderbench:probe';

/**
 * @param {number} key 0 … dataset.keys - 1
 * @returns {string}
 */
export function keyName(key) {
  return `counter:${key}`;
}

/**
 * One operation of the iteration drive.
 * @param {CountersClient} client
 * @param {string} operation
 * @param {number} key
 * @returns {Promise<unknown>} settles when the answer is known; rejects on a wrong one
 */
export function perform(client, operation, key) {
  if (operation === 'ping') return client.ping();
  if (operation === 'increment') return client.increment(keyName(key));
  return client.get(keyName(key));
}

/**
 * Before load: known values round-trip, and the state that load will be added to is read.
 * @param {CountersClient} client
 * @param {WorkloadContext} context
 * @returns {Promise<{sum: number}>}
 * @throws when an answer is wrong
 */
export async function before(client, context) {
  await client.ping();
  const first = await client.increment(PROBE_KEY);
  const second = await client.increment(PROBE_KEY);
  const read = await client.get(PROBE_KEY);
  if (second !== first + 1 || Number(read) !== second) {
    throw new Error(`two increments and a read gave ${first}, ${second} and ${read}`);
  }
  return { sum: await sumOfCounters(client, context) };
}

/**
 * After load: every acknowledged increment is in the server, and nothing that was never sent.
 * @param {CountersClient} client
 * @param {WorkloadContext} context
 * @param {{sum: number}} start what `before` returned
 * @param {Record<string, {acked: number, indeterminate: number}>} totals
 * @returns {Promise<Oracle>}
 */
export async function after(client, context, start, totals) {
  const { acked, indeterminate } = totals.increment ?? { acked: 0, indeterminate: 0 };
  const stored = (await sumOfCounters(client, context)) - start.sum;
  const ok = acked <= stored && stored <= acked + indeterminate;
  return { ok, acked, stored, indeterminate, detail: 'sum of all counters against acknowledged increments' };
}

/**
 * @param {CountersClient} client
 * @param {WorkloadContext} context
 * @returns {Promise<number>}
 */
async function sumOfCounters(client, context) {
  const chunk = 1000;
  let sum = 0;
  for (let from = 0; from < context.dataset.keys; from += chunk) {
    const size = Math.min(chunk, context.dataset.keys - from);
    const values = await client.getMany(Array.from({ length: size }, (_, i) => keyName(from + i)));
    for (const value of values) sum += Number(value ?? 0);
  }
  return sum;
}
