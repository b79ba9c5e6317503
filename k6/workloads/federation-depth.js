/**
 * Relations in GraphQL: what each further level costs, and relations beside each other.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { EntityClient, Oracle, WorkloadContext } from '../types.d.ts'
 */
import { demand, NOWHERE, payloads, pick, populate, SUITE } from './entities/data.js';

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
  drive: 'iteration',
  shown: { suite: SUITE },
  pipelines: false,
  minOperations: 100,
  dataset: { keys: 10_000, thinkMs: 0, scale: 1 },
});

const SIZES = { farms: 2, coopsPerFarm: 3, hensPerCoop: 4, reportsPerHen: 2, containers: 3, consumers: 2 };

/** Entity, selection below `getById`, and how many there must be of what. */
const QUERIES = Object.freeze({
  'depth-2': ['farm', 'id name coops { id name }'],
  'depth-3': ['farm', 'id name coops { id name hens { id name breed status } }'],
  'depth-3-parallel': [
    'farm',
    'id name coops { id name hens { id name breed status } } farmOutput { eggs_today eggs_week eggs_month }',
  ],
  'container-inventory': ['container', 'id name inventory { current_eggs total_deposits }'],
  'hen-relations': [
    'hen',
    'id name coop { id name } layReports { eggs timestamp quality } productivity { total_eggs quality_rate }',
  ],
});

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
  const [entity, selection] = QUERIES[/** @type {keyof typeof QUERIES} */ (operation)];
  const id = pick(world[/** @type {'farm' | 'container' | 'hen'} */ (entity)], key);
  const { getById } = client.query(entity, `{ getById(id: "${id}") { ${selection} } }`);
  if (client.checks) check(operation, getById);
}

/**
 * @param {string} operation
 * @param {any} found
 */
function check(operation, found) {
  if (operation === 'container-inventory') return demand(Array.isArray(found?.inventory), true, 'inventory');
  if (operation === 'hen-relations')
    return demand(found?.layReports?.length, SIZES.reportsPerHen, 'reports of a hen');
  demand(found?.coops?.length, SIZES.coopsPerFarm, 'coops of a farm');
  if (operation === 'depth-2') return;
  for (const coop of found.coops) demand(coop.hens?.length, SIZES.hensPerCoop, 'hens of a coop');
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
