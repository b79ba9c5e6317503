/**
 * Relations in GraphQL: what each further level costs, and relations beside each other.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { EntityClient, EntityRequests, Oracle, Turn, UserContext, WorkloadContext } from '../types.d.ts'
 * @import { Rows } from './entities/data.js'
 */
import { add, NOWHERE, payloads, populate, SUITE } from './entities/data.js';
import { answers, settledProjections, texts, unchanged } from './entities/expected.js';

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

/** Entity, and selection below `getById`. */
const QUERIES = Object.freeze(
  /** @type {Record<string, ['farm' | 'container' | 'hen', string]>} */ ({
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
  }),
);

/** What is looked at again after the load. */
const FIELDS = Object.freeze({
  farm: 'id name farm_type zone owner',
  coop: 'id name farm_id capacity coop_type',
  hen: 'id name coop_id breed dob status',
  container: 'id name container_type capacity zone',
});

/** Lists of answers by query. */
const ANSWERS = Object.freeze(Object.fromEntries(Object.keys(QUERIES).map((op, n) => [op, `answer${n}`])));

/** Of projections: a list, whatever is known of it. */
const LISTS = /** @type {Record<string, string>} */ ({
  'depth-3-parallel': 'farmOutput',
  'container-inventory': 'inventory',
  'hen-relations': 'productivity',
});

/**
 * One user: each query once. Each answer must be, whole, what was sent before the load, and what followed from it then.
 * @param {EntityRequests} requests
 * @param {UserContext} context
 * @returns {Turn}
 */
export function turn({ query }, { start }) {
  const { farm, container, hen } = start?.world ?? NOWHERE;
  return {
    lists: { farm, container, hen, ...start?.answers },
    steps: facts.windows.round.turns.map((op) => {
      const [entity, selection] = QUERIES[op];
      return {
        op,
        ...query(entity, `{ getById(id: "{of:${entity}}") { ${selection} } }`, [
          ...(LISTS[op] ? [{ at: `/data/getById/${LISTS[op]}`, list: true }] : []),
          { at: '/data/getById', same: `{of:${ANSWERS[op]}}` },
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
  const { world, rows } = populate(client, SIZES, context);
  for (const container of world.container)
    add(client, rows, 'storage_deposit', payloads.storage_deposit({ container, farm: world.farm[0] }, 12));
  for (const consumer of world.consumer) {
    const event = payloads.consumption_report({ consumer, container: world.container[0] }, 2);
    add(client, rows, 'consumption_report', event);
  }
  const stored = { ...rows, ...settledProjections(client, rows) };
  const lists = Object.entries(QUERIES).map(([op, [entity, selection]]) => [
    ANSWERS[op],
    texts(answers(stored, entity, selection)),
  ]);
  return { world, rows, answers: Object.fromEntries(lists) };
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
