/**
 * GraphQL without relations: by id, all, and by a field, over five kinds of entities.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { EntityClient, EntityRequests, Oracle, Turn, UserContext, WorkloadContext } from '../types.d.ts'
 */
import { CHOICES, NOWHERE, populate, SUITE } from './entities/data.js';

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
  drive: 'burst',
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

/**
 * One user: three of each kind of query.
 * @param {EntityRequests} requests
 * @param {UserContext} context
 * @returns {Turn}
 */
export function turn({ query }, { start }) {
  const { farm, coop, hen, container } = start?.world ?? NOWHERE;
  const byId = (/** @type {'farm' | 'hen' | 'container'} */ entity) => ({
    op: 'get-by-id',
    ...query(entity, `{ getById(id: "{of:${entity}}") { ${FIELDS[entity]} } }`, [
      { at: '/data/getById/id', is: `{of:${entity}}` },
    ]),
  });
  const all = (/** @type {'farm' | 'coop' | 'container'} */ entity) => ({
    op: 'get-all',
    ...query(entity, `{ getAll { ${FIELDS[entity]} } }`, [
      { at: '/data/getAll', length: start?.counts[entity] ?? 0 },
    ]),
  });
  const byFilter = (/** @type {'farm' | 'coop' | 'hen'} */ entity, /** @type {string} */ root) => ({
    op: 'get-by-filter',
    ...query(entity, `{ found: ${root} { ${FIELDS[entity]} } }`, [{ at: '/data/found', list: true }]),
  });
  return {
    lists: { farm, coop, hen, container, zone: CHOICES.zone },
    steps: [
      ...[byId('farm'), byId('hen'), byId('container')],
      ...[all('farm'), all('coop'), all('container')],
      byFilter('farm', 'getByZone(zone: "{of:zone}")'),
      byFilter('coop', 'getByFarm(id: "{of:farm}")'),
      byFilter('hen', 'getByCoop(id: "{of:coop}")'),
    ],
  };
}

/**
 * @param {EntityClient} client
 * @param {WorkloadContext} context
 */
export async function before(client, context) {
  const world = populate(client, SIZES, context);
  const counts = counted(client);
  return { world, counts, listed: totalOf(counts) };
}

/** @param {Record<string, number>} counts */
function totalOf(counts) {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
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
  const acked = totalOf(start.counts);
  const stored = totalOf(counted(client));
  return {
    ok: acked === stored,
    acked,
    stored,
    indeterminate: 0,
    detail: 'entities before and after the queries',
  };
}
