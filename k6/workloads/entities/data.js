/**
 * The data of the workloads on farms, coops, hens, containers and consumers: payloads and what is there before load.
 * Pure: it knows no system, and k6 and the tests of Node read it alike.
 * @import { EntityClient } from '../../types.d.ts'
 */

/** Rows that are created by one request where the server takes several. */
const BULK = 100;

/** The name under which the workloads on this data are shown side by side. */
export const SUITE = 'Entities';

/** Of what entities are made, by a key: lists of a turn, and what there is before load. */
export const CHOICES = Object.freeze({
  zone: ['zone-0', 'zone-1', 'zone-2', 'zone-3'],
  farmType: ['megafarm', 'local_farm', 'homestead'],
  containerType: ['warehouse', 'market_shelf', 'fridge'],
  consumerType: ['household', 'restaurant', 'bakery'],
});
const TIMESTAMP = '2026-01-01T08:00:00Z';

/**
 * How much is there before load, for `scale` 1.
 * @typedef {object} Sizes
 * @property {number} farms
 * @property {number} coopsPerFarm
 * @property {number} hensPerCoop
 * @property {number} reportsPerHen
 * @property {number} containers
 * @property {number} consumers
 */

/**
 * Ids by entity, in the order of their creation.
 * @typedef {Record<'farm' | 'coop' | 'hen' | 'container' | 'consumer', string[]>} World
 */

/** What is stored, by entity: as it was sent, with its id where it was told. @typedef {Record<string, Row[]>} Rows */
/** @typedef {Record<string, any>} Row */

/** A number, or in a turn the placeholder of one: `#{of:eggs}`. @typedef {number | string} Count */

/** What each payload needs of others; the rest is the same for all. */
export const payloads = Object.freeze({
  farm: (/** @type {string} */ name, /** @type {number} */ n) => ({
    name,
    farm_type: pick(CHOICES.farmType, n),
    zone: zoneOf(n),
    owner: 'Al',
  }),
  coop: (/** @type {string} */ name, /** @type {string} */ farm) => ({
    name,
    farm_id: farm,
    capacity: 100,
    coop_type: 'barn',
  }),
  hen: (/** @type {string} */ name, /** @type {string} */ coop) => ({
    name,
    coop_id: coop,
    breed: 'leghorn',
    dob: '2024-05-06',
    status: 'active',
  }),
  container: (/** @type {string} */ name, /** @type {number} */ n) => ({
    name,
    container_type: pick(CHOICES.containerType, n),
    capacity: 1000,
    zone: zoneOf(n),
  }),
  consumer: (/** @type {string} */ name, /** @type {number} */ n) => ({
    name,
    consumer_type: pick(CHOICES.consumerType, n),
    zone: zoneOf(n),
    weekly_demand: 70,
  }),
  lay_report: (
    /** @type {{hen: string, coop: string, farm: string}} */ { hen, coop, farm },
    /** @type {Count} */ eggs,
  ) => ({ hen_id: hen, coop_id: coop, farm_id: farm, eggs, timestamp: TIMESTAMP, quality: 'grade_a' }),
  storage_deposit: (
    /** @type {{container: string, farm: string}} */ { container, farm },
    /** @type {Count} */ eggs,
  ) => ({ container_id: container, source_type: 'farm', source_id: farm, eggs, timestamp: TIMESTAMP }),
  storage_withdrawal: (/** @type {{container: string}} */ { container }, /** @type {Count} */ eggs) => ({
    container_id: container,
    reason: 'quality_check',
    eggs,
    timestamp: TIMESTAMP,
  }),
  container_transfer: (
    /** @type {{source: string, dest: string}} */ { source, dest },
    /** @type {Count} */ eggs,
  ) => ({
    source_container_id: source,
    dest_container_id: dest,
    eggs,
    timestamp: TIMESTAMP,
    transport_method: 'van',
  }),
  consumption_report: (
    /** @type {{consumer: string, container: string}} */ { consumer, container },
    /** @type {Count} */ eggs,
  ) => ({ consumer_id: consumer, container_id: container, eggs, timestamp: TIMESTAMP, purpose: 'baking' }),
});

/** @param {number} n */
function zoneOf(n) {
  return pick(CHOICES.zone, n);
}

/**
 * One of a list, by a key.
 * @param {string[]} list
 * @param {number} key
 */
export function pick(list, key) {
  return list[key % list.length];
}

/**
 * Creates the data that is there before load.
 * @param {EntityClient} client
 * @param {Sizes} sizes
 * @param {{label: string, dataset: Record<string, number>}} context `scale` of the dataset multiplies what there is
 * @returns {{world: World, rows: Rows}}
 */
export function populate(client, sizes, { label, dataset }) {
  const scale = dataset.scale ?? 1;
  /** @type {Rows} */
  const rows = {};
  const many = (/** @type {string} */ entity, /** @type {Row[]} */ payloads) => {
    const ids = createAll(client, entity, payloads);
    rows[entity] = payloads.map((payload, n) => ({ id: ids[n], ...payload }));
    return ids;
  };
  const named = (/** @type {number} */ count, /** @type {string} */ kind) =>
    Array.from({ length: count * scale }, (_, n) => `${label}-${kind}-${n}`);
  const times = (/** @type {string[]} */ list, /** @type {number} */ count) =>
    list.flatMap((one) => Array.from({ length: count }, () => one));

  const farm = many('farm', named(sizes.farms, 'farm').map(payloads.farm));
  const inFarm = times(farm, sizes.coopsPerFarm);
  const coop = many(
    'coop',
    inFarm.map((id, n) => payloads.coop(`${label}-coop-${n}`, id)),
  );
  const inCoop = times(coop, sizes.hensPerCoop);
  const hen = many(
    'hen',
    inCoop.map((id, n) => payloads.hen(`${label}-hen-${n}`, id)),
  );
  const container = many('container', named(sizes.containers, 'container').map(payloads.container));
  const consumer = many('consumer', named(sizes.consumers, 'consumer').map(payloads.consumer));
  const reports = hen.flatMap((id, n) =>
    Array.from({ length: sizes.reportsPerHen }, () => {
      const place = Math.floor(n / sizes.hensPerCoop);
      return payloads.lay_report({ hen: id, coop: coop[place], farm: inFarm[place] }, 1);
    }),
  );
  many('lay_report', reports);
  return { world: { farm, coop, hen, container, consumer }, rows };
}

/**
 * One more of an entity, as it was sent.
 * @param {EntityClient} client
 * @param {Rows} rows
 * @param {string} entity
 * @param {Row} payload
 */
export function add(client, rows, entity, payload) {
  rows[entity] = [...(rows[entity] ?? []), { id: client.create(entity, payload), ...payload }];
}

/**
 * @param {EntityClient} client
 * @param {string} entity
 * @param {unknown[]} rows
 * @returns {string[]} ids
 */
function createAll(client, entity, rows) {
  const ids = [];
  for (let from = 0; from < rows.length; from += BULK) {
    ids.push(...client.createMany(entity, rows.slice(from, from + BULK)));
  }
  return ids;
}

/**
 * What stands for the data where nothing is stored: the null responder.
 * @type {World}
 */
export const NOWHERE = Object.freeze({
  farm: ['00000000-0000-4000-8000-000000000001'],
  coop: ['00000000-0000-4000-8000-000000000002'],
  hen: ['00000000-0000-4000-8000-000000000003'],
  container: ['00000000-0000-4000-8000-000000000004', '00000000-0000-4000-8000-000000000005'],
  consumer: ['00000000-0000-4000-8000-000000000006'],
});
