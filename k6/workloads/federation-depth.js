/**
 * Relations in GraphQL: what each further level costs, and relations beside each other.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { EntityClient, EntityRequests, Oracle, Turn, TurnCheck, UserContext, WorkloadContext } from '../types.d.ts'
 */
import { NOWHERE, payloads, populate, SUITE } from './entities/data.js';

export const facts = Object.freeze({
  title: 'Federation depth',
  operations: {
    'depth-2': { window: 'round', shown: { depth: 2, label: 'farm → coops' } },
    'depth-3': { window: 'round', main: true, shown: { depth: 3, label: 'farm → coops → hens' } },
    'depth-3-parallel': {
      window: 'round',
      shown: { depth: 3, label: 'farm → coops → hens', beside: 'farmOutput' },
    },
    'container-inventory': { window: 'round' },
    'hen-relations': { window: 'round' },
  },
  windows: {
    round: {
      order: 'turns',
      turns: ['depth-2', 'depth-3', 'depth-3-parallel', 'container-inventory', 'hen-relations'],
    },
  },
  drive: 'burst',
  shown: { suite: SUITE },
  pipelines: false,
  minOperations: 100,
  dataset: { keys: 10_000, thinkMs: 0, scale: 1 },
});

const SIZES = { farms: 2, coopsPerFarm: 3, hensPerCoop: 4, reportsPerHen: 2, containers: 3, consumers: 2 };

/** @type {TurnCheck} */
const COOPS = { at: '/data/getById/coops', length: SIZES.coopsPerFarm };
/** @type {TurnCheck} */
const HENS = { at: '/data/getById/coops/*/hens', length: SIZES.hensPerCoop };

/**
 * Entity, selection below `getById`, and what there must be of it.
 * @type {Readonly<Record<string, [string, string, TurnCheck[]]>>}
 */
const QUERIES = Object.freeze({
  'depth-2': ['farm', 'id name coops { id name }', [COOPS]],
  'depth-3': ['farm', 'id name coops { id name hens { id name breed status } }', [COOPS, HENS]],
  'depth-3-parallel': [
    'farm',
    'id name coops { id name hens { id name breed status } } farmOutput { eggs_today eggs_week eggs_month }',
    [COOPS, HENS],
  ],
  'container-inventory': [
    'container',
    'id name inventory { current_eggs total_deposits }',
    [{ at: '/data/getById/inventory', list: true }],
  ],
  'hen-relations': [
    'hen',
    'id name coop { id name } layReports { eggs timestamp quality } productivity { total_eggs quality_rate }',
    [{ at: '/data/getById/layReports', length: SIZES.reportsPerHen }],
  ],
});

/**
 * One user: each query once.
 * @param {EntityRequests} requests
 * @param {UserContext} context
 * @returns {Turn}
 */
export function turn({ query }, { start }) {
  const { farm, container, hen } = start?.world ?? NOWHERE;
  return {
    lists: { farm, container, hen },
    steps: facts.windows.round.turns.map((op) => {
      const [entity, selection, checks] = QUERIES[op];
      const id = `{of:${entity}}`;
      return {
        op,
        ...query(entity, `{ getById(id: "${id}") { ${selection} } }`, [
          { at: '/data/getById/id', is: id },
          ...checks,
        ]),
      };
    }),
  };
}

/**
 * @param {EntityClient} client
 * @param {WorkloadContext} context
 */
export async function before(client, context) {
  const world = populate(client, SIZES, context);
  for (const container of world.container) {
    client.create('storage_deposit', payloads.storage_deposit({ container, farm: world.farm[0] }, 12));
  }
  for (const consumer of world.consumer) {
    const event = payloads.consumption_report({ consumer, container: world.container[0] }, 2);
    client.create('consumption_report', event);
  }
  client.settle();
  return { world, hens: client.count('hen') };
}

/**
 * After load: reads have changed nothing. That each answer was right is checked as it comes.
 * @param {EntityClient} client
 * @param {WorkloadContext} _context
 * @param {{hens: number}} start
 * @returns {Promise<Oracle>}
 */
export async function after(client, _context, start) {
  const stored = client.count('hen');
  const detail = 'hens before and after the queries';
  return { ok: stored === start.hens, acked: start.hens, stored, indeterminate: 0, detail };
}
