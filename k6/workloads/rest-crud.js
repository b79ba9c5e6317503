/**
 * REST: a user creates entities, reads, replaces and deletes them; each user deletes its own.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { EntityClient, EntityRequests, Oracle, Turn, UserContext, WorkloadContext } from '../types.d.ts'
 */
import { CHOICES, NOWHERE, payloads, populate, SUITE } from './entities/data.js';

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
  drive: 'burst',
  shown: { suite: SUITE },
  pipelines: false,
  minOperations: 100,
  dataset: { keys: 10_000, thinkMs: 0, scale: 1 },
});

const SIZES = { farms: 3, coopsPerFarm: 2, hensPerCoop: 3, reportsPerHen: 0, containers: 3, consumers: 3 };
/** Versions that are further apart than this have an order in the contract, ms. */
const APART_MS = 2;
const KINDS = /** @type {const} */ (['farm', 'coop', 'container', 'consumer']);
/** No entity is created in one of these: an update that was lost is seen. */
const NEW_ZONES = ['zone-4', 'zone-5', 'zone-6', 'zone-7', 'zone-8'];

/**
 * One user: creates its own entities, and reads, replaces and deletes those. `user` makes its names unlike any other's:
 * some servers tell no ids.
 * @param {EntityRequests} requests
 * @param {UserContext} context
 * @returns {Turn}
 */
export function turn({ create, read, replace, remove }, { start, label, user }) {
  const nameOf = (/** @type {string} */ kind) => `${label}-${kind}-{stream}-${user}-{seq}`;
  const farm = {
    ...payloads.farm('{$farm}', 0),
    farm_type: '{$farmType}',
    zone: '{of:zone}',
  };
  const container = {
    ...payloads.container('{$container}', 0),
    container_type: '{$containerType}',
    zone: '{of:zone}',
  };
  const consumer = {
    ...payloads.consumer('{$consumer}', 0),
    consumer_type: '{of:consumerType}',
    zone: '{of:zone}',
  };
  const created = (
    /** @type {string} */ kind,
    /** @type {{name: string}} */ payload,
    /** @type {string} */ as,
    /** @type {Record<string, string>} */ set = {},
  ) => ({
    op: 'create',
    set: { [as]: nameOf(kind), ...set },
    ...create(kind, { ...payload, name: `{$${as}}` }, `${as}Id`),
  });
  const updated = (/** @type {'farm' | 'container'} */ kind, /** @type {object} */ payload) => ({
    op: 'update',
    ...replace(kind, `{$${kind}Id}`, { ...payload, zone: '{of:newZone}' }),
    // Acknowledged: whoever reads now must see it.
    acked: { [`${kind}Zone`]: '{of:newZone}' },
    apart: { from: `${kind}Id`, ms: APART_MS },
  });
  const seen = (/** @type {string} */ kind, /** @type {string} */ zone = '') => ({
    op: 'read',
    ...read(kind, `{$${kind}Id}`, { name: `{$${kind}}`, zone }),
  });
  const coop = payloads.coop('{$coop}', '{of:farm}');
  return {
    lists: { ...CHOICES, newZone: NEW_ZONES, farm: (start?.world ?? NOWHERE).farm },
    steps: [
      created('farm', farm, 'farm', { farmType: '{of:farmType}', farmZone: '' }),
      created('coop', coop, 'coop'),
      created('container', container, 'container', {
        containerType: '{of:containerType}',
        containerZone: '',
      }),
      created('consumer', consumer, 'consumer'),
      created('consumer', consumer, 'spare'),
      updated('farm', farm),
      updated('container', container),
      seen('farm', '{$farmZone}'),
      seen('coop'),
      seen('container', '{$containerZone}'),
      seen('consumer'),
      { op: 'delete', ...remove('consumer', '{$spareId}') },
      created('coop', coop, 'last'),
    ],
  };
}

/**
 * Before load: the data, and a round trip of one entity.
 * @param {EntityClient} client
 * @param {WorkloadContext} context
 */
export async function before(client, context) {
  const world = populate(client, SIZES, context);
  // On the same store in an earlier run, another one has been left.
  const name = `${context.label}-probe-${Math.random().toString(36).slice(2)}`;
  const id = client.create('consumer', payloads.consumer(name, 0));
  client.demandRead('consumer', id, name);
  return { world, tellsIds: client.tellsIds(), stored: stored(client) };
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
