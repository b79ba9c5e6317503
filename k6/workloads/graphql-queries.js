/**
 * GraphQL without relations: by id, all, and by a field, over five kinds of entities.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { EntityClient, Oracle, WorkloadContext } from '../types.d.ts'
 */
import { demand, NOWHERE, pick, populate, SUITE, zoneOf } from './entities/data.js';

export const facts = Object.freeze({
  title: 'GraphQL queries',
  operations: {
    'get-by-id': { window: 'round', shown: { query: 'getById' } },
    'get-all': { window: 'round', shown: { query: 'getAll' } },
    'get-by-filter': { window: 'round', shown: { query: 'getByZone / getByFarm / getByCoop' } },
  },
  windows: {
    round: {
      order: 'turns',
      turns: [
        ...['get-by-id', 'get-by-id', 'get-by-id'],
        ...['get-all', 'get-all', 'get-all'],
        ...['get-by-filter', 'get-by-filter', 'get-by-filter'],
      ],
    },
  },
  drive: 'iteration',
  shown: { suite: SUITE },
  pipelines: false,
  minOperations: 100,
  dataset: { keys: 10_000, thinkMs: 0, scale: 1 },
});

const SIZES = { farms: 3, coopsPerFarm: 3, hensPerCoop: 5, reportsPerHen: 3, containers: 4, consumers: 0 };

/** Root fields and what is selected, by the place in a user's round. */
const FIELDS = Object.freeze({
  farm: 'id name farm_type zone owner',
  coop: 'id name farm_id capacity coop_type',
  hen: 'id name coop_id breed dob status',
  container: 'id name container_type capacity zone',
});

/** @type {WeakMap<EntityClient, Record<string, number>>} */
const rounds = new WeakMap();

/**
 * One operation of the iteration drive.
 * @param {EntityClient} client
 * @param {string} operation
 * @param {number} key
 * @param {WorkloadContext} context
 * @returns {Promise<void>} rejects on a wrong answer
 */
export async function perform(client, operation, key, { start }) {
  const world = start?.world ?? NOWHERE;
  const round = rounds.get(client) ?? {};
  rounds.set(client, round);
  const turn = (round[operation] ?? 0) % 3;
  round[operation] = turn + 1;
  if (operation === 'get-by-id') return byId(client, world, turn, key);
  if (operation === 'get-all') return all(client, start?.counts, turn);
  return byFilter(client, world, turn, key);
}

/**
 * @param {EntityClient} client
 * @param {import('./entities/data.js').World} world
 * @param {number} turn
 * @param {number} key
 */
function byId(client, world, turn, key) {
  const entity = /** @type {const} */ (['farm', 'hen', 'container'])[turn];
  const id = pick(world[entity], key);
  const data = client.query(entity, `{ getById(id: "${id}") { ${FIELDS[entity]} } }`);
  if (client.checks) demand(data.getById?.id, id, `getById of ${entity}`);
}

/**
 * @param {EntityClient} client
 * @param {Record<string, number> | undefined} counts
 * @param {number} turn
 */
function all(client, counts, turn) {
  const entity = /** @type {const} */ (['farm', 'coop', 'container'])[turn];
  const data = client.query(entity, `{ getAll { ${FIELDS[entity]} } }`);
  if (client.checks) demand(data.getAll.length, counts?.[entity], `getAll of ${entity}`);
}

/**
 * @param {EntityClient} client
 * @param {import('./entities/data.js').World} world
 * @param {number} turn
 * @param {number} key
 */
function byFilter(client, world, turn, key) {
  const [entity, root] = /** @type {const} */ ([
    ['farm', `getByZone(zone: "${zoneOf(key)}")`],
    ['coop', `getByFarm(id: "${pick(world.farm, key)}")`],
    ['hen', `getByCoop(id: "${pick(world.coop, key)}")`],
  ])[turn];
  const data = client.query(entity, `{ found: ${root} { ${FIELDS[entity]} } }`);
  if (client.checks && !Array.isArray(data.found)) throw new Error(`${root}: expected a list`);
}

/**
 * @param {EntityClient} client
 * @param {WorkloadContext} context
 */
export async function before(client, context) {
  const world = populate(client, SIZES, context);
  return { world, counts: counted(client) };
}

/** @param {EntityClient} client what its queries list, not what lives */
function counted(client) {
  const listed = (/** @type {string} */ entity) => client.query(entity, '{ getAll { id } }').getAll.length;
  return Object.fromEntries(['farm', 'coop', 'container'].map((entity) => [entity, listed(entity)]));
}

/**
 * After load: reads have changed nothing. That each answer was right is checked as it comes.
 * @param {EntityClient} client
 * @param {WorkloadContext} _context
 * @param {{counts: Record<string, number>}} start
 * @returns {Promise<Oracle>}
 */
export async function after(client, _context, start) {
  const total = (/** @type {Record<string, number>} */ counts) =>
    Object.values(counts).reduce((s, n) => s + n, 0);
  const acked = total(start.counts);
  const stored = total(counted(client));
  return {
    ok: acked === stored,
    acked,
    stored,
    indeterminate: 0,
    detail: 'entities before and after the queries',
  };
}
