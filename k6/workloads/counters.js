/**
 * Counters: PING, INCR and GET over a seeded choice of keys, each operation in a window of its own.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { CountersClient, Oracle, WorkloadContext } from '../types.d.ts'
 */
import { strayed, sumOf } from '../counted.js';

export const facts = Object.freeze({
  title: 'Counters',
  /** In the order in which they run: reads come after the writes that give them something to find. */
  operations: { ping: {}, increment: { writes: true }, get: {} },
  keys: { tallied: true },
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
 * @param {WorkloadContext} context
 * @returns {Promise<unknown>} settles when the answer is known; rejects on a wrong one
 */
export async function perform(client, operation, key, { tally }) {
  if (operation === 'ping') return client.ping();
  const adds = operation === 'increment';
  const mayBe = tally?.ask(key, adds);
  const value = adds ? await client.increment(keyName(key)) : await client.get(keyName(key));
  if (mayBe && !mayBe(Number(value ?? 0))) throw new Error(`${keyName(key)}: unexpected value ${value}`);
  return value;
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
  const values = await valuesOf(client, context);
  context.tally?.begin(0, values);
  return { sum: sumOf(values) };
}

/**
 * After load: every acknowledged increment is in the counter that it was sent to, and nothing that was never sent.
 * @param {CountersClient} client
 * @param {WorkloadContext} context
 * @param {{sum: number}} start what `before` returned
 * @param {Record<string, {acked: number, indeterminate: number, wrong: number}>} totals
 * @returns {Promise<Oracle>}
 */
export async function after(client, context, start, totals) {
  const { acked, indeterminate } = totals.increment ?? { acked: 0, indeterminate: 0 };
  // An increment that was lost and answered with a value that cannot be is not acknowledged: no sum shows it.
  const answered = Object.values(totals).reduce((sum, { wrong }) => sum + (wrong ?? 0), 0);
  const values = await valuesOf(client, context);
  const stored = sumOf(values) - start.sum;
  const { over, under, missing, surplus } = strayed(values, context.tally);
  const ok =
    acked <= stored && stored <= acked + indeterminate && over === 0 && under === 0 && answered === 0;
  const detail =
    over + under === 0
      ? 'sum of all counters against acknowledged increments'
      : `of ${values.length} counters ${over} hold more than was sent to them, ${under} less than was acknowledged`;
  const wrong = over + answered;
  const told = answered === 0 ? detail : `${detail}; ${answered} answers with a value that cannot be`;
  return {
    ...{ ok, acked, stored, indeterminate },
    ...(wrong > 0 ? { wrong } : {}),
    ...(missing ? { missing } : {}),
    ...(surplus ? { surplus } : {}),
    detail: told,
  };
}

/**
 * @param {CountersClient} client
 * @param {WorkloadContext} context
 * @returns {Promise<number[]>} by key; 0 where there is none
 */
async function valuesOf(client, context) {
  const chunk = 1000;
  /** @type {number[]} */
  const values = [];
  for (let from = 0; from < context.dataset.keys; from += chunk) {
    const size = Math.min(chunk, context.dataset.keys - from);
    const answers = await client.getMany(Array.from({ length: size }, (_, i) => keyName(from + i)));
    if (answers.length !== size) throw new Error(`asked for ${size} counters, got ${answers.length}`);
    for (const value of answers) values.push(Number(value ?? 0));
  }
  return values;
}
