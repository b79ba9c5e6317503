/**
 * Events by REST beside queries of the projections that follow from them, and of relations.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { EntityClient, EntityRequests, Oracle, Turn, UserContext, WorkloadContext } from '../types.d.ts'
 */
import { NOWHERE, payloads, pick, populate, SUITE } from './entities/data.js';

export const facts = Object.freeze({
  title: 'Mixed writes and reads',
  operations: {
    event: { window: 'round', writes: true },
    projections: { window: 'round' },
    federation: { window: 'round' },
    'consumer-reports': { window: 'round' },
  },
  windows: {
    round: {
      order: 'turns',
      turns: [
        ...['event', 'event', 'event', 'event'],
        ...['projections', 'projections', 'projections'],
        ...['federation', 'consumer-reports'],
      ],
    },
  },
  drive: 'burst',
  shown: { suite: SUITE },
  pipelines: false,
  minOperations: 100,
  dataset: { keys: 10_000, thinkMs: 0, scale: 1 },
});

const SIZES = { farms: 2, coopsPerFarm: 2, hensPerCoop: 5, reportsPerHen: 0, containers: 4, consumers: 3 };

/** Event and the projection total that its eggs go into. */
const TOTALS = Object.freeze([
  ['lay_report', 'hen_productivity', 'total_eggs'],
  ['storage_deposit', 'container_inventory', 'total_deposits'],
  ['storage_withdrawal', 'container_inventory', 'total_withdrawals'],
  ['container_transfer', 'container_inventory', 'total_transfers_in'],
  ['container_transfer', 'container_inventory', 'total_transfers_out'],
]);

const EVENTS = /** @type {const} */ ([
  'lay_report',
  'storage_deposit',
  'storage_withdrawal',
  'container_transfer',
]);

const PROJECTIONS = /** @type {const} */ ([
  ['container_inventory', 'id container_id current_eggs total_deposits'],
  ['hen_productivity', 'id hen_id total_eggs quality_rate'],
  ['farm_output', 'id farm_id eggs_week'],
]);

const EGGS = Array.from({ length: 12 }, (_, n) => String(n + 1));

/**
 * One user: an event of each kind, then what follows from events, and relations.
 * @param {EntityRequests} requests
 * @param {UserContext} context
 * @returns {Turn}
 */
export function turn({ create, query }, { start }) {
  const world = start?.world ?? NOWHERE;
  const list = (/** @type {string} */ entity, /** @type {string} */ fields) => ({
    op: 'projections',
    ...query(entity, `{ getAll { ${fields} } }`, [{ at: '/data/getAll', list: true }]),
  });
  const byId = (/** @type {string} */ op, /** @type {string} */ entity, /** @type {string} */ selection) => ({
    op,
    ...query(entity, `{ getById(id: "{of:${entity}}") { ${selection} } }`, [
      { at: '/data/getById/id', is: `{of:${entity}}` },
    ]),
  });
  return {
    lists: { ...world, eggs: EGGS },
    steps: [
      ...EVENTS.map((kind) => ({ op: 'event', ...create(kind, eventOf(kind)) })),
      ...PROJECTIONS.map(([entity, fields]) => list(entity, fields)),
      byId('federation', 'farm', 'id coops { name hens { name } } farmOutput { eggs_week }'),
      byId('consumer-reports', 'consumer', 'id name consumptionReports { eggs purpose }'),
    ],
  };
}

/** @param {typeof EVENTS[number]} kind */
function eventOf(kind) {
  const eggs = '#{of:eggs}';
  const [hen, coop, farm, container] = ['{of:hen}', '{of:coop}', '{of:farm}', '{of:container}'];
  if (kind === 'lay_report') return payloads.lay_report({ hen, coop, farm }, eggs);
  if (kind === 'storage_deposit') return payloads.storage_deposit({ container, farm }, eggs);
  if (kind === 'storage_withdrawal') return payloads.storage_withdrawal({ container }, eggs);
  return payloads.container_transfer({ source: container, dest: '{of:container+1}' }, eggs);
}

/**
 * @param {EntityClient} client
 * @param {WorkloadContext} context
 */
export async function before(client, context) {
  const world = populate(client, SIZES, context);
  for (const [n, consumer] of world.consumer.entries()) {
    const event = payloads.consumption_report({ consumer, container: pick(world.container, n) }, 2);
    client.create('consumption_report', event);
  }
  client.settle();
  return { world, events: events(client), gaps: gaps(client) };
}

/**
 * After load: as many events as were acknowledged; and where the server says that its projections have caught up,
 * their totals are the sums of the events.
 * @param {EntityClient} client
 * @param {WorkloadContext} _context
 * @param {{events: number, gaps: number[]}} start
 * @param {Record<string, {acked: number, indeterminate: number}>} totals
 * @returns {Promise<Oracle>}
 */
export async function after(client, _context, start, totals) {
  const { acked, indeterminate } = totals.event ?? { acked: 0, indeterminate: 0 };
  const stored = events(client) - start.events;
  const exact = acked <= stored && stored <= acked + indeterminate;
  const settled = client.settle();
  const wrong = settled ? differences(client, start.gaps) : [];
  const projections = settled ? wrong.join('; ') || 'projections are exact' : 'the server tells no lag';
  const detail = `events stored against acknowledged; ${projections}`;
  return { ok: exact && wrong.length === 0, acked, stored, indeterminate, detail };
}

/** @param {EntityClient} client */
function events(client) {
  return EVENTS.reduce((sum, kind) => sum + client.count(kind), 0);
}

/**
 * What projections have that events have not, total by total: 0, unless others have written projections before.
 * @param {EntityClient} client
 * @returns {number[]}
 */
function gaps(client) {
  const sum = (/** @type {string} */ entity, /** @type {string} */ name) =>
    client
      .query(entity, `{ getAll { ${name} } }`)
      .getAll.reduce(
        (/** @type {number} */ s, /** @type {Record<string, number | undefined>} */ one) =>
          s + (one[name] ?? 0),
        0,
      );
  return TOTALS.map(([event, projection, field]) => sum(projection, field) - sum(event, 'eggs'));
}

/**
 * @param {EntityClient} client
 * @param {number[]} before
 * @returns {string[]} totals that have not grown as the sum of their events
 */
function differences(client, before) {
  return gaps(client).flatMap((gap, i) =>
    gap === before[i] ? [] : [`${TOTALS[i][2]} is off by ${gap - before[i]}`],
  );
}
