/**
 * REST: a user creates entities, reads, replaces and deletes them; each user deletes its own.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { EntityClient, EntityRequests, Oracle, Turn, UserContext, WorkloadContext } from '../types.d.ts'
 */
import { CHOICES, NOWHERE, payloads, populate, SUITE } from './entities/data.js';
import { answeredWrong } from './entities/expected.js';

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
export function turn({ create, read, replace, remove }, { start, label, user, counters }) {
  const nameOf = (/** @type {string} */ kind) =>
    `${label}-${start?.mark ?? 'mark'}-${kind}-{stream}-${user}-{seq}`;
  const countedAs = (/** @type {string} */ what) => (counters ? { tally: placeOf(what, counters) } : {});
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
    set: { [as]: nameOf(as === 'spare' ? as : kind), ...set },
    ...create(kind, { ...payload, name: `{$${as}}` }, `${as}Id`),
    ...countedAs(as === 'spare' ? as : kind),
  });
  const updated = (/** @type {'farm' | 'container'} */ kind, /** @type {object} */ payload) => ({
    op: 'update',
    ...replace(kind, `{$${kind}Id}`, { ...payload, zone: '{of:newZone}' }),
    // Acknowledged: whoever reads now must see it.
    acked: { [`${kind}Zone`]: '{of:newZone}' },
    apart: { from: `${kind}Id`, ms: APART_MS },
  });
  const seen = (
    /** @type {'farm' | 'coop' | 'container' | 'consumer'} */ kind,
    /** @type {Record<string, string>} */ more,
  ) => ({ op: 'read', ...read(kind, `{$${kind}Id}`, { name: `{$${kind}}`, ...more }) });
  const coop = payloads.coop('{$coop}', '{of:farm}');
  return {
    lists: { ...CHOICES, newZone: NEW_ZONES, farm: (start?.world ?? NOWHERE).farm },
    steps: [
      created('farm', farm, 'farm', { farmType: '{of:farmType}', farmZone: '' }),
      created('coop', coop, 'coop', { coopFarm: '{of:farm}' }),
      created('container', container, 'container', {
        containerType: '{of:containerType}',
        containerZone: '',
      }),
      created('consumer', consumer, 'consumer', { consumerZone: '{of:zone}' }),
      created('consumer', consumer, 'spare'),
      updated('farm', farm),
      updated('container', container),
      seen('farm', { zone: '{$farmZone}', farm_type: '{$farmType}' }),
      seen('coop', { farm_id: '{$coopFarm}' }),
      seen('container', { zone: '{$containerZone}', container_type: '{$containerType}' }),
      seen('consumer', { zone: '{$consumerZone}' }),
      { op: 'delete', ...remove('consumer', '{$spareId}') },
      created('coop', coop, 'last'),
    ],
  };
}

/** Creations are counted by what stands in the name: those that are deleted are the spare ones. */
const COUNTED = [...KINDS, 'spare'];

/** How many counters the tally of the load has. */
export function tallied() {
  return COUNTED.length;
}

/**
 * @param {string} what
 * @param {{name: string, of: number}} counters
 */
function placeOf(what, { name, of }) {
  return { name, of, from: COUNTED.indexOf(what), each: 1 };
}

/**
 * Before load: the data, and a round trip of one entity.
 * @param {EntityClient} client
 * @param {WorkloadContext} context
 */
export async function before(client, context) {
  const { world } = populate(client, SIZES, context);
  // On the same store in an earlier run, another one has been left.
  const mark = Math.random().toString(36).slice(2, 8);
  const name = `${context.label}-probe-${mark}`;
  const id = client.create('consumer', payloads.consumer(name, 0));
  client.demandRead('consumer', id, name);
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, client.list(kind).length]));
  return { world, mark, tellsIds: client.tellsIds(), counts };
}

/**
 * After load: of each kind there are as many as were created and not deleted, each by a name of its own that this load
 * gave, and nobody else came.
 * @param {EntityClient} client
 * @param {WorkloadContext} context
 * @param {{mark: string, counts: Record<string, number>}} start
 * @param {Record<string, {acked: number, indeterminate: number, wrong: number}>} totals
 * @returns {Promise<Oracle>}
 */
export async function after(client, { label, tally }, start, totals) {
  const none = { acked: 0, indeterminate: 0 };
  const created = totals.create ?? none;
  const deleted = totals.delete ?? none;
  const indeterminate = created.indeterminate + deleted.indeterminate;
  const counts = tally?.counts();
  const of = (/** @type {'sent' | 'acked'} */ what, /** @type {string} */ name) =>
    counts?.[what][COUNTED.indexOf(name)] ?? 0;
  let stored = 0;
  let missing = 0;
  let surplus = 0;
  for (const kind of KINDS) {
    const names = client.list(kind).map((/** @type {any} */ row) => String(row?.name));
    let grown = names.length - start.counts[kind];
    stored += grown;
    for (const as of kind === 'consumer' ? [kind, 'spare'] : [kind]) {
      const own = names.filter((/** @type {string} */ name) =>
        name.startsWith(`${label}-${start.mark}-${as}-`),
      );
      const single = new Set(own).size;
      grown -= single;
      if (!counts || of('sent', as) === 0) continue;
      const [least, most] = as === 'spare' ? [deleted.acked, deleted.acked + deleted.indeterminate] : [0, 0];
      missing += Math.max(0, of('acked', as) - most - single);
      surplus += Math.max(0, single - of('sent', as) + least);
    }
    // Whom nobody created, and who is there twice; less than none: whoever was there before is not.
    surplus += Math.max(0, grown);
    missing += Math.max(0, -grown);
  }
  const acked = created.acked - deleted.acked;
  const { wrong, told } = answeredWrong(totals);
  const isCountRight = acked - deleted.indeterminate <= stored && stored <= acked + created.indeterminate;
  const strayed =
    missing + surplus === 0
      ? 'entities stored against created less deleted, of each kind by name'
      : `${missing} entities that were acknowledged are not there, ${surplus} that nobody created, or that were deleted, are`;
  return {
    ok: isCountRight && missing + surplus + wrong === 0,
    ...{ acked, stored, indeterminate },
    ...(wrong > 0 ? { wrong } : {}),
    ...(missing + surplus > 0 ? { missing, surplus } : {}),
    detail: `${strayed}${told}`,
  };
}
