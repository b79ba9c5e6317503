/**
 * Documents: JSON documents of about 1 KB are written, read and deleted by known keys, one kind after the other.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { DocumentsClient, Oracle, WorkloadContext } from '../types.d.ts'
 */

export const facts = Object.freeze({
  title: 'Documents',
  /** In the order in which they run: what was written is read, and what was read is deleted. */
  operations: { set: { writes: true }, get: {}, del: { footprintBefore: true } },
  pipelines: false,
  fixedCount: 'documents',
  keys: { each: true, documents: true },
});

const PROBE_KEY = 'ladderbench:probe';

/** How many documents a check of the state asks for at a time. */
const CHUNK = 1000;

/**
 * @param {number} key
 * @returns {string}
 */
export function keyName(key) {
  return `document:${key}`;
}

/**
 * One operation of the iteration drive.
 * @param {DocumentsClient} client
 * @param {string} operation
 * @param {number} key
 * @param {WorkloadContext} context
 * @returns {Promise<unknown>} rejects on a wrong answer
 */
export async function perform(client, operation, key, context) {
  const name = keyName(key);
  if (operation === 'set') return client.set(name, context.document(key));
  if (operation === 'get') {
    const read = await client.get(name);
    if (context.checksAnswers && read !== context.document(key))
      throw new Error(`${name}: unexpected document`);
    return undefined;
  }
  if ((await client.del(name)) !== 1) throw new Error(`${name}: expected one deletion`);
  return undefined;
}

/**
 * Before load: a document round-trips.
 * @param {DocumentsClient} client
 * @param {WorkloadContext} context
 * @returns {Promise<null>}
 * @throws when an answer is wrong
 */
export async function before(client, context) {
  const written = context.document(0);
  await client.set(PROBE_KEY, written);
  const read = await client.get(PROBE_KEY);
  await client.del(PROBE_KEY);
  const gone = await client.get(PROBE_KEY);
  if (read !== written)
    throw new Error(`a document of ${written.length} bytes was written, and read as ${read}`);
  if (gone !== null) throw new Error('a deleted document was still there');
  return null;
}

/**
 * After load: every acknowledged document was read back, byte for byte, and every acknowledged deletion is in force.
 * @param {DocumentsClient} client
 * @param {WorkloadContext} context
 * @param {unknown} _start
 * @param {Record<string, {acked: number, indeterminate: number, wrong: number, failed: number}>} totals
 * @returns {Promise<Oracle>} `acked`: acknowledged writes and deletions; `stored`: those that hold
 */
export async function after(client, context, _start, totals) {
  const none = { acked: 0, indeterminate: 0, wrong: 0, failed: 0 };
  const { set = none, get = none, del = none } = totals;
  if (context.slices) return afterSlices(client, context, set, get);
  if (context.keys === 0) return afterKill(client, context, set);
  const left = await countOf(client, context.keys);
  // A document that was not acknowledged may be missing or wrong, and one whose deletion was not may be left.
  const lost = Math.max(0, get.wrong - (context.keys - set.acked));
  const undeleted = Math.max(0, left - (context.keys - del.acked));
  return {
    ok: lost === 0 && undeleted === 0 && get.acked + get.wrong > 0,
    acked: set.acked + del.acked,
    stored: set.acked + del.acked - lost - undeleted,
    indeterminate: set.indeterminate + del.indeterminate,
    detail: `documents read back byte for byte: ${get.acked} as written, ${get.wrong} wrong or missing; ${left} left after their deletion`,
  };
}

/**
 * After a load that wrote the same documents again and again: each is there, byte for byte, as it was written last.
 * @param {DocumentsClient} client
 * @param {WorkloadContext} context
 * @param {{acked: number, indeterminate: number}} set
 * @param {{wrong: number}} get
 * @returns {Promise<Oracle>} `acked`: documents of the space, each of which was written; `stored`: those that are right
 */
async function afterSlices(client, { dataset: { keys }, mayBe }, set, get) {
  let stored = 0;
  for (let from = 0; from < keys; from += CHUNK) {
    const size = Math.min(CHUNK, keys - from);
    const values = await client.getMany(Array.from({ length: size }, (_, i) => keyName(from + i)));
    stored += values.filter((value, i) => value !== null && mayBe?.(from + i, value)).length;
  }
  return {
    ok: stored === keys && get.wrong === 0 && set.acked >= keys,
    acked: keys,
    stored,
    indeterminate: 0,
    ...(get.wrong > 0 ? { wrong: get.wrong } : {}),
    detail: `${set.acked} writes of ${keys} documents: ${keys - stored} are missing after the load, or not as they were written last; ${get.wrong} were read otherwise in it`,
  };
}

/** A user may have sent so many times the usual number of documents. */
const BUSIEST = 2;

/**
 * After a load that wrote until it was killed, or in the midst of which a fault came: each user's documents, in the order
 * in which they were sent. What was refused or lost in the fault makes a gap, and what came after it is looked for.
 * @param {DocumentsClient} client
 * @param {WorkloadContext} context
 * @param {{acked: number, indeterminate: number, failed: number}} set
 * @returns {Promise<Oracle>} `stored`: documents that are there, byte for byte
 */
async function afterKill(client, context, { acked, indeterminate, failed }) {
  let stored = 0;
  let wrong = 0;
  const reach = (BUSIEST * (acked + indeterminate + failed)) / context.users;
  for (let user = 1; user <= context.users; user++) {
    const keys = context.keysOf('set', user);
    if (!keys) throw new Error('the load wrote no documents');
    for (let from = 0, found = 1; found > 0 || from < reach; from += CHUNK) {
      const names = Array.from({ length: CHUNK }, (_, i) => `document:${user}:${from + i}`);
      const values = await client.getMany(names);
      const right = values.filter((value) => value === context.document(keys.next())).length;
      found = values.filter((value) => value !== null).length;
      stored += right;
      wrong += found - right;
    }
  }
  return {
    ok: wrong === 0 && acked <= stored && stored <= acked + indeterminate,
    acked,
    stored,
    indeterminate,
    ...(wrong > 0 ? { wrong } : {}),
    detail: `documents that are there after the restart: ${stored} as written, ${wrong} otherwise`,
  };
}

/**
 * @param {DocumentsClient} client
 * @param {number} keys
 * @returns {Promise<number>} how many of the keys exist
 */
async function countOf(client, keys) {
  let found = 0;
  for (let from = 0; from < keys; from += CHUNK) {
    const names = Array.from({ length: Math.min(CHUNK, keys - from) }, (_, i) => keyName(from + i));
    found += (await client.getMany(names)).filter((value) => value !== null).length;
  }
  return found;
}
