/**
 * REST: a user creates entities, reads, replaces and deletes them; each user deletes its own.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { EntityClient, Oracle, WorkloadContext } from '../types.d.ts'
 */
import { NOWHERE, payloads, pick, populate, SUITE } from './entities/data.js';

export const facts = Object.freeze({
  title: 'REST CRUD',
  operations: {
    create: { window: 'round', writes: true },
    read: { window: 'round' },
    update: { window: 'round' },
    delete: { window: 'round' },
  },
  windows: {
    /**
     * Four kinds of entities are created and read, two replaced; one more is created and deleted. Reads lie between a
     * write and the deletion: versions within one millisecond have no order in the contract.
     */
    round: {
      order: 'turns',
      turns: [
        ...['create', 'create', 'create', 'create', 'create', 'update', 'update'],
        ...['read', 'read', 'read', 'read', 'delete', 'create'],
      ],
    },
  },
  drive: 'iteration',
  shown: { suite: SUITE },
  pipelines: false,
  minOperations: 100,
  dataset: { keys: 10_000, thinkMs: 0, scale: 1 },
});

const SIZES = { farms: 3, coopsPerFarm: 2, hensPerCoop: 3, reportsPerHen: 0, containers: 3, consumers: 3 };
/** Versions that are further apart than this have an order in the contract, ms. */
const APART_MS = 2;
const KINDS = /** @type {const} */ (['farm', 'coop', 'container', 'consumer']);

/**
 * What one user has created: for reads and replacements the newest of each kind, for its delete the newest of all.
 * `user` makes its names unlike any other's, in this run and in others on the same store: some servers tell no ids.
 * @typedef {{user: string, created: number, read: number, newest: Record<string, {id: string, payload: any,
 *   createdMs: number, updated: string | undefined}>,
 *   last: {kind: string, id: string} | null}} Own
 * @type {WeakMap<EntityClient, Own>}
 */
const owned = new WeakMap();

/** @returns {string} of eight characters */
function randomName() {
  return Math.random().toString(36).slice(2, 10).padEnd(8, '0');
}

/** @param {EntityClient} client @returns {Own} */
function ownOf(client) {
  const own = owned.get(client) ?? { user: randomName(), created: 0, read: 0, newest: {}, last: null };
  owned.set(client, own);
  return own;
}

/**
 * One operation of the iteration drive.
 * @param {EntityClient} client
 * @param {string} operation
 * @param {number} key
 * @param {WorkloadContext} context
 * @returns {Promise<void>} rejects on a wrong answer
 */
export async function perform(client, operation, key, context) {
  const own = ownOf(client);
  if (operation === 'create') return create(client, own, key, context);
  const kind =
    operation === 'update' ? pick(['farm', 'container'], own.read++) : pick([...KINDS], own.read++);
  if (operation === 'delete') {
    if (!own.last) throw new Error('nothing was created that could be deleted');
    const { id, kind: of } = own.last;
    own.last = null;
    return client.remove(of, id);
  }
  const { id, payload } = own.newest[kind] ?? {};
  if (!id) throw new Error(`no ${kind} was created that could be read`);
  if (operation === 'read') return client.demandRead(kind, id, payload.name, own.newest[kind].updated);
  const zone = `zone-${key % 9}`;
  const isLater = Date.now() - own.newest[kind].createdMs >= APART_MS;
  own.newest[kind].updated = undefined;
  client.replace(kind, id, { ...payload, zone });
  // Acknowledged: whoever reads now must see it.
  if (isLater) own.newest[kind].updated = zone;
}

/**
 * @param {EntityClient} client
 * @param {Own} own
 * @param {number} key
 * @param {WorkloadContext} context
 */
function create(client, own, key, { start, label }) {
  const world = start?.world ?? NOWHERE;
  const kind = pick([...KINDS], own.created++);
  const name = `${label}-${kind}-${key}-${own.user}-${own.created}`;
  const payload =
    kind === 'coop'
      ? payloads.coop(name, pick(world.farm, key))
      : payloads[/** @type {'farm' | 'container' | 'consumer'} */ (kind)](name, key);
  const id = client.create(kind, payload);
  own.newest[kind] = { id, payload, createdMs: Date.now(), updated: undefined };
  own.last = { kind, id };
}

/**
 * Before load: the data, and a round trip of one entity.
 * @param {EntityClient} client
 * @param {WorkloadContext} context
 */
export async function before(client, context) {
  const world = populate(client, SIZES, context);
  client.demandRead('farm', world.farm[0], `${context.label}-farm-0`);
  return { world, stored: stored(client) };
}

/**
 * After load: as many entities as were created and not deleted.
 * @param {EntityClient} client
 * @param {WorkloadContext} _context
 * @param {{stored: number}} start
 * @param {Record<string, {acked: number, indeterminate: number}>} totals
 * @returns {Promise<Oracle>}
 */
export async function after(client, _context, start, totals) {
  const none = { acked: 0, indeterminate: 0 };
  const created = totals.create ?? none;
  const deleted = totals.delete ?? none;
  const acked = created.acked - deleted.acked;
  const now = stored(client) - start.stored;
  const ok = acked - deleted.indeterminate <= now && now <= acked + created.indeterminate;
  const indeterminate = created.indeterminate + deleted.indeterminate;
  return { ok, acked, stored: now, indeterminate, detail: 'entities stored against created less deleted' };
}

/** @param {EntityClient} client */
function stored(client) {
  return KINDS.reduce((sum, kind) => sum + client.count(kind), 0);
}
