import { randomUUID } from 'node:crypto';

/** Names that no other run uses. */
const RUN = randomUUID().slice(0, 8);
let count = 0;

/** @param {string} kind */
export function unique(kind) {
  count += 1;
  return `conformance-${RUN}-${kind}-${count}`;
}

/**
 * A valid payload of each entity, in an order in which foreign keys exist, and the field that tells it from others.
 * @param {Record<string, string>} ids of the entities before it
 * @returns {Record<string, {payload: Record<string, any>, mark: string}>}
 */
export function payloads(ids) {
  const { farm, coop, hen, container, second, consumer } = ids;
  const zone = unique('zone');
  /** Timestamps are plain text: unique ones mark the events. */
  const event = (/** @type {Record<string, any>} */ fields) => ({
    payload: { ...fields, timestamp: unique('2026-01-01T00:00:00Z') },
    mark: 'timestamp',
  });
  const actor = (/** @type {string} */ kind, /** @type {Record<string, any>} */ fields) => ({
    payload: { name: unique(kind), ...fields },
    mark: 'name',
  });
  return {
    farm: actor('farm', { farm_type: 'homestead', zone, owner: 'Al' }),
    coop: actor('coop', { farm_id: farm, capacity: 12, coop_type: 'barn' }),
    hen: actor('hen', { coop_id: coop, breed: 'leghorn', dob: '2024-05-06', status: 'active' }),
    container: actor('container', { container_type: 'fridge', capacity: 300, zone }),
    consumer: actor('consumer', { consumer_type: 'bakery', zone, weekly_demand: 90 }),
    lay_report: event({ hen_id: hen, coop_id: coop, farm_id: farm, eggs: 3, quality: 'grade_a' }),
    storage_deposit: event({ container_id: container, source_type: 'farm', source_id: farm, eggs: 40 }),
    storage_withdrawal: event({ container_id: container, reason: 'spoilage', eggs: 4 }),
    container_transfer: event({
      source_container_id: container,
      dest_container_id: second,
      eggs: 5,
      transport_method: 'van',
    }),
    consumption_report: event({
      consumer_id: consumer,
      container_id: container,
      eggs: 6,
      purpose: 'baking',
    }),
    container_inventory: {
      payload: {
        container_id: randomUUID(),
        current_eggs: 7,
        total_deposits: 9,
        total_withdrawals: 1,
        total_transfers_in: 0,
        total_transfers_out: 1,
        total_consumed: 0,
        utilization_pct: 12.5,
      },
      mark: 'container_id',
    },
    hen_productivity: {
      payload: {
        hen_id: randomUUID(),
        farm_id: farm,
        eggs_today: 1,
        eggs_week: 5,
        eggs_month: 20,
        avg_per_week: 5.5,
        total_eggs: 120,
        quality_rate: 0.75,
      },
      mark: 'hen_id',
    },
    farm_output: {
      payload: {
        farm_id: randomUUID(),
        farm_type: 'homestead',
        eggs_today: 10,
        eggs_week: 60,
        eggs_month: 250,
        active_hens: 11,
        total_hens: 12,
        avg_per_hen_per_week: 5.25,
      },
      mark: 'farm_id',
    },
  };
}

/** A member of each entity that can be changed, and to what. */
export const CHANGES = Object.freeze({
  farm: { owner: 'Bo' },
  coop: { capacity: 13 },
  hen: { status: 'retired' },
  container: { capacity: 301 },
  consumer: { weekly_demand: 91 },
  lay_report: { eggs: 4 },
  storage_deposit: { eggs: 41 },
  storage_withdrawal: { reason: 'breakage' },
  container_transfer: { transport_method: 'cart' },
  consumption_report: { purpose: 'raw' },
  container_inventory: { current_eggs: 8 },
  hen_productivity: { total_eggs: 121 },
  farm_output: { total_hens: 13 },
});

/**
 * One connected example of everything.
 * @param {import('./server.js').Server} server
 * @returns {Promise<Record<string, string>>} entity to id; `second` is another container
 */
export async function populate(server) {
  /** @type {Record<string, string>} */
  const ids = {};
  for (const entity of Object.keys(payloads(ids))) {
    // Foreign keys appear as the entities before do; the events come after all of them.
    if (entity === 'lay_report') ids.second = await make(server, 'container', ids);
    ids[entity] = await make(server, entity, ids);
  }
  return ids;
}

/**
 * @param {import('./server.js').Server} server
 * @param {string} entity
 * @param {Record<string, string>} ids
 * @param {Record<string, unknown>} [changes]
 * @returns {Promise<string>} id
 */
export function make(server, entity, ids, changes = {}) {
  const { payload, mark } = payloads(ids)[entity];
  const whole = { ...payload, ...changes };
  return server.create(entity, whole, { field: mark, value: String(whole[mark]) });
}
