import assert from 'node:assert/strict';

/** @import { Server } from './client.js' */

/**
 * @param {Server} server
 * @param {string[]} ids that must all be stored, each once
 * @param {string[]} [others] ids that must not be
 */
export async function assertStored(server, ids, others = []) {
  const stored = new Map();
  let cursor;
  do {
    const { json } = await server.page(cursor ? { limit: 1000, cursor } : { limit: 1000 });
    for (const { id } of json.events) stored.set(id, (stored.get(id) ?? 0) + 1);
    cursor = json.nextCursor;
  } while (cursor);
  assert.deepEqual(
    ids.filter((id) => stored.get(id) !== 1),
    [],
    'acknowledged events that are not stored once',
  );
  assert.deepEqual(
    others.filter((id) => stored.has(id)),
    [],
    'refused events that are stored',
  );
  const total = (await server.get('/api/stats')).json.events;
  assert.equal(total, stored.size, 'the counts agree with the events');
}
