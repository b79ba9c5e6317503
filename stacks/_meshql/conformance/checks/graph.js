import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectMembers, expectStatus, Tolerated } from '../tally.js';
import { make, payloads, unique } from '../world.js';

/** @import { Server } from '../server.js' */
/** @import { Tally } from '../tally.js' */

/** Entity, query, argument, and the payload field that it filters on. */
const FILTERS = Object.freeze([
  ['farm', 'getByZone', 'zone', 'zone'],
  ['coop', 'getByFarm', 'id', 'farm_id'],
  ['hen', 'getByCoop', 'id', 'coop_id'],
  ['container', 'getByZone', 'zone', 'zone'],
  ['consumer', 'getByZone', 'zone', 'zone'],
  ['lay_report', 'getByHen', 'id', 'hen_id'],
  ['lay_report', 'getByFarm', 'id', 'farm_id'],
  ['storage_deposit', 'getByContainer', 'id', 'container_id'],
  ['storage_withdrawal', 'getByContainer', 'id', 'container_id'],
  ['container_transfer', 'getBySourceContainer', 'id', 'source_container_id'],
  ['container_transfer', 'getByDestContainer', 'id', 'dest_container_id'],
  ['consumption_report', 'getByConsumer', 'id', 'consumer_id'],
  ['consumption_report', 'getByContainer', 'id', 'container_id'],
  ['container_inventory', 'getByContainer', 'id', 'container_id'],
  ['hen_productivity', 'getByHen', 'id', 'hen_id'],
  ['farm_output', 'getByFarm', 'id', 'farm_id'],
]);

/**
 * All 42 queries.
 * @param {Tally} tally
 * @param {Server} server
 * @param {Record<string, string>} ids
 */
export async function checkQueries(tally, server, ids) {
  for (const [entity, { payload }] of Object.entries(payloads(ids))) {
    const fields = Object.keys(payload).join(' ');
    const id = await make(server, entity, ids, payload);
    await tally.check(`${entity}: getById`, async () => {
      const { getById } = await server.data(entity, `{ getById(id: "${id}") { id ${fields} } }`);
      expectMembers(getById, { id, ...payload });
    });
    await tally.check(`${entity}: getAll`, async () => {
      const { getAll } = await server.data(entity, `{ getAll { id ${fields} } }`);
      const found = getAll.filter((/** @type {any} */ one) => one.id === id);
      expectMembers(found, [{ id, ...payload }]);
    });
  }
  for (const [entity, query, argument, field] of FILTERS) {
    const value = argument === 'zone' ? unique('zone') : randomUUID();
    const id = await make(server, entity, ids, { [field]: value });
    await tally.check(`${entity}: ${query}`, async () => {
      const data = await server.data(entity, `{ ${query}(${argument}: "${value}") { id ${field} } }`);
      expectMembers(data[query], [{ id, [field]: value }]);
    });
  }
}

/**
 * All 19 resolvers.
 * @param {Tally} tally
 * @param {Server} server
 * @param {Record<string, string>} ids
 */
export async function checkResolvers(tally, server, ids) {
  const inventory = await make(server, 'container_inventory', ids, { container_id: ids.container });
  const productivity = await make(server, 'hen_productivity', ids, { hen_id: ids.hen });
  const output = await make(server, 'farm_output', ids, { farm_id: ids.farm });
  const one = (/** @type {string} */ id) => ({ id });
  /** @type {[string, string, string, string][]} parent, its id, field, id that it leads to */
  const relations = [
    ['farm', ids.farm, 'coops', ids.coop],
    ['farm', ids.farm, 'farmOutput', output],
    ['coop', ids.coop, 'farm', ids.farm],
    ['coop', ids.coop, 'hens', ids.hen],
    ['hen', ids.hen, 'coop', ids.coop],
    ['hen', ids.hen, 'layReports', ids.lay_report],
    ['hen', ids.hen, 'productivity', productivity],
    ['container', ids.container, 'inventory', inventory],
    ['consumer', ids.consumer, 'consumptionReports', ids.consumption_report],
    ['lay_report', ids.lay_report, 'hen', ids.hen],
    ['storage_deposit', ids.storage_deposit, 'container', ids.container],
    ['storage_withdrawal', ids.storage_withdrawal, 'container', ids.container],
    ['container_transfer', ids.container_transfer, 'sourceContainer', ids.container],
    ['container_transfer', ids.container_transfer, 'destContainer', ids.second],
    ['consumption_report', ids.consumption_report, 'consumer', ids.consumer],
    ['consumption_report', ids.consumption_report, 'container', ids.container],
    ['container_inventory', inventory, 'container', ids.container],
    ['hen_productivity', productivity, 'hen', ids.hen],
    ['farm_output', output, 'farm', ids.farm],
  ];
  for (const [entity, id, field, target] of relations) {
    await tally.check(`${entity}.${field}`, async () => {
      const { getById } = await server.data(entity, `{ getById(id: "${id}") { ${field} { id } } }`);
      const found = getById[field];
      if (!Array.isArray(found)) return expectMembers(found, one(target));
      // A processor may have made a projection of its own beside.
      if (!found.some((related) => related.id === target)) {
        throw new Error(`${target} is not among ${JSON.stringify(found)}`);
      }
    });
  }
}

/**
 * Depth, parallel relations, missing targets, mistakes.
 * @param {Tally} tally
 * @param {Server} server
 * @param {Record<string, string>} ids
 */
export async function checkFederation(tally, server, ids) {
  const farm = await make(server, 'farm', ids);
  /** @type {Record<string, string[]>} */
  const hens = {};
  for (let c = 0; c < 3; c++) {
    const coop = await make(server, 'coop', { ...ids, farm });
    hens[coop] = [];
    for (let h = 0; h < 2; h++) hens[coop].push(await make(server, 'hen', { ...ids, coop }));
  }
  const sorted = (/** @type {any[]} */ list) => list.map((one) => one.id).sort();
  const expectTree = (/** @type {any} */ coops) => {
    expectMembers(sorted(coops), Object.keys(hens).sort());
    for (const coop of coops) if (coop.hens) expectMembers(sorted(coop.hens), [...hens[coop.id]].sort());
  };
  await tally.check('depth 2: a farm and its coops', async () => {
    const { getById } = await server.data('farm', `{ getById(id: "${farm}") { name coops { id } } }`);
    expectTree(getById.coops);
  });
  await tally.check('depth 3: a farm, its coops and their hens', async () => {
    const query = `{ getById(id: "${farm}") { coops { id hens { id } } } }`;
    const { getById } = await server.data('farm', query);
    expectTree(getById.coops);
    if (!getById.coops.every((/** @type {any} */ coop) => coop.hens)) throw new Error('no hens');
  });
  await tally.check('depth 3 and a parallel relation', async () => {
    const query = `{ getById(id: "${farm}") { coops { id hens { id } } farmOutput { eggs_week } } }`;
    const { getById } = await server.data('farm', query);
    expectTree(getById.coops);
    if (!Array.isArray(getById.farmOutput)) throw new Error('no farmOutput');
  });
  await tally.check('aliases and several root fields', async () => {
    const query = `{ a: getById(id: "${ids.farm}") { id } b: getById(id: "${farm}") { id __typename } }`;
    const data = await server.data('farm', query);
    expectMembers(data, { a: { id: ids.farm }, b: { id: farm, __typename: 'Farm' } });
  });
  await tally.check('a filter without a match is empty', async () => {
    expectMembers(await server.data('coop', `{ getByFarm(id: "${randomUUID()}") { id } }`), {
      getByFarm: [],
    });
  });
  await tally.check('getById without a match is null', async () => {
    const { getById } = await server.data('hen', `{ getById(id: "${randomUUID()}") { id } }`);
    expectMembers(getById?.id, null);
  });
  await tally.check('a relation without a target is null', async () => {
    const hen = await make(server, 'hen', { ...ids, coop: randomUUID() });
    const { getById } = await server.data('hen', `{ getById(id: "${hen}") { coop { id } } }`);
    expectMembers(getById.coop?.id, null);
  });
  for (const query of ['{ getAll { colour } }', '{ getAll { id }']) {
    await tally.check(`${query} is answered with errors`, async () => {
      const { status, body } = await server.send('POST', '/farm/graph', { query });
      expectStatus(status, [200], 'POST');
      if (!(body.errors?.length > 0)) throw new Error('no errors');
    });
  }
  await tally.check('introspection', async () => {
    const data = await server.data('coop', '{ __schema { queryType { name } } }');
    expectMembers(data, { __schema: { queryType: { name: 'Query' } } });
  });
}

/**
 * Reads of the past. Servers that answer nested levels "now" are tolerated.
 * @param {Tally} tally
 * @param {Server} server
 * @param {Record<string, string>} ids
 */
export async function checkTime(tally, server, ids) {
  const before = await moment();
  const farm = await make(server, 'farm', ids, { owner: 'first' });
  const coop = await make(server, 'coop', { ...ids, farm }, { capacity: 1 });
  const early = await moment();
  await replace(server, 'farm', farm, ids, { owner: 'second' });
  await replace(server, 'coop', coop, { ...ids, farm }, { capacity: 2 });
  const late = await moment();
  await replace(server, 'farm', farm, ids, { owner: 'third' });

  const owner = async (/** @type {string} */ at) => {
    const { getById } = await server.data('farm', `{ getById(id: "${farm}"${at}) { owner } }`);
    return getById?.owner;
  };
  await tally.check('getById now', async () => expectMembers(await owner(''), 'third'));
  await tally.check('getById at the first version', async () => {
    expectMembers(await owner(`, at: ${early}`), 'first');
  });
  await tally.check('getById at the second version', async () => {
    expectMembers(await owner(`, at: ${late}`), 'second');
  });
  await tally.check('getById before its creation', async () => {
    expectMembers(await owner(`, at: ${before}`), null);
  });
  await tally.check('getAll at the first version', async () => {
    const { getAll } = await server.data('farm', `{ getAll(at: ${early}) { id owner } }`);
    expectMembers(
      getAll.filter((/** @type {any} */ one) => one.id === farm),
      [{ owner: 'first' }],
    );
  });
  await tally.check('a filter before its creation', async () => {
    const query = `{ getByFarm(id: "${farm}", at: ${before}) { id } }`;
    expectMembers(await server.data('coop', query), { getByFarm: [] });
  });
  await tally.check('a filter at the first version', async () => {
    const query = `{ getByFarm(id: "${farm}", at: ${early}) { id capacity } }`;
    expectMembers(await server.data('coop', query), { getByFarm: [{ id: coop, capacity: 1 }] });
  });
  await tally.check('a nested level at the time of its root', async () => {
    const query = `{ getById(id: "${farm}", at: ${early}) { owner coops { capacity } } }`;
    const { getById } = await server.data('farm', query);
    expectMembers(getById, { owner: 'first' });
    if (getById.coops?.[0]?.capacity === 2) throw new Tolerated('nested levels are read now');
    expectMembers(getById.coops, [{ capacity: 1 }]);
  });
}

/** A time with room to every write before and after it; some servers include a version 1 ms later. */
async function moment() {
  await sleep(5);
  const now = Date.now();
  await sleep(5);
  return now;
}

/**
 * @param {Server} server
 * @param {string} entity
 * @param {string} id
 * @param {Record<string, string>} ids
 * @param {Record<string, unknown>} changes
 */
async function replace(server, entity, id, ids, changes) {
  const payload = { ...payloads(ids)[entity].payload, ...changes };
  expectStatus((await server.send('PUT', `/${entity}/api/${id}`, payload)).status, [200], 'PUT');
}
