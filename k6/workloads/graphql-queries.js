/**
 * GraphQL without relations: by id, all, and by a field, over five kinds of entities.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { EntityClient, EntityRequests, Oracle, Turn, UserContext, WorkloadContext } from '../types.d.ts'
 * @import { Rows } from './entities/data.js'
 */
import { CHOICES, NOWHERE, populate, SUITE } from './entities/data.js';
import { answers, listed, texts, unchanged } from './entities/expected.js';

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

/** What is selected of each entity. */
const FIELDS = Object.freeze({
  farm: 'id name farm_type zone owner',
  coop: 'id name farm_id capacity coop_type',
  hen: 'id name coop_id breed dob status',
  container: 'id name container_type capacity zone',
});

/** By what many are found: the root field, and the list whose names it is asked with. */
const FILTERS = Object.freeze({
  farm: ['getByZone(zone: "{of:zone}")', 'zone', 'zone'],
  coop: ['getByFarm(id: "{of:farm}")', 'farm_id', 'farm'],
  hen: ['getByCoop(id: "{of:coop}")', 'coop_id', 'coop'],
});

/**
 * One user: three of each kind of query. Each answer must be, whole, what was sent before the load; of a list of all, where
 * the rows of others change meanwhile, one of ours.
 * @param {EntityRequests} requests
 * @param {Pick<UserContext, 'start' | 'othersChange'>} context
 * @returns {Turn}
 */
export function turn({ query }, { start, othersChange }) {
  const { farm, coop, hen, container } = start?.world ?? NOWHERE;
  const byId = (/** @type {'farm' | 'hen' | 'container'} */ entity) => ({
    op: 'get-by-id',
    ...query(entity, `{ getById(id: "{of:${entity}}") { ${FIELDS[entity]} } }`, [
      { at: '/data/getById', same: `{of:${entity}Row}` },
    ]),
  });
  const all = (/** @type {'farm' | 'coop' | 'container'} */ entity) => ({
    op: 'get-all',
    ...query(entity, `{ getAll { ${FIELDS[entity]} } }`, [
      othersChange
        ? { at: `/data/getAll/id={of:${entity}}`, same: `{of:${entity}Row}` }
        : { at: '/data/getAll', same: `{of:${entity}All}` },
    ]),
  });
  const byFilter = (/** @type {'farm' | 'coop' | 'hen'} */ entity) => ({
    op: 'get-by-filter',
    ...query(entity, `{ found: ${FILTERS[entity][0]} { ${FIELDS[entity]} } }`, [
      { at: '/data/found', same: `{of:${entity}Found}` },
    ]),
  });
  return {
    lists: { farm, coop, hen, container, zone: CHOICES.zone, ...start?.answers },
    steps: [
      ...[byId('farm'), byId('hen'), byId('container')],
      ...[all('farm'), all('coop'), all('container')],
      ...[byFilter('farm'), byFilter('coop'), byFilter('hen')],
    ],
  };
}

/**
 * @param {EntityClient} client
 * @param {WorkloadContext} context
 */
export async function before(client, context) {
  const { world, rows } = populate(client, SIZES, context);
  /** @type {Record<string, string[]>} */
  const lists = {};
  let count = 0;
  for (const entity of /** @type {const} */ (['farm', 'coop', 'container'])) {
    const all = listed(client, entity, 'getAll', FIELDS[entity], rows[entity]);
    lists[`${entity}All`] = texts([all]);
    count += all.length;
  }
  for (const entity of /** @type {const} */ (['farm', 'coop', 'hen', 'container']))
    lists[`${entity}Row`] = texts(answers(rows, entity, FIELDS[entity]));
  for (const [entity, [query, member, list]] of Object.entries(FILTERS)) {
    const names = list === 'zone' ? CHOICES.zone : world[/** @type {'farm' | 'coop'} */ (list)];
    lists[`${entity}Found`] = texts(
      names.map((name) => {
        const own = rows[entity].filter((row) => row[member] === name);
        const asked = `found: ${query.replace(`{of:${list}}`, name)}`;
        return listed(client, entity, asked, FIELDS[/** @type {'farm'} */ (entity)], own);
      }),
    );
  }
  return { world, rows, answers: lists, listed: count };
}

/**
 * After load: reads have changed nothing. That each answer was right is checked as it comes.
 * @param {EntityClient} client
 * @param {WorkloadContext} _context
 * @param {{rows: Rows}} start
 * @param {Record<string, {wrong?: number}>} totals
 * @returns {Promise<Oracle>}
 */
export async function after(client, _context, start, totals) {
  return unchanged(client, start.rows, FIELDS, totals);
}
