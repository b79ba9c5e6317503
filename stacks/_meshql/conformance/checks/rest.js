import { randomUUID } from 'node:crypto';
import { expectMembers, expectStatus, Tolerated } from '../tally.js';
import { CHANGES, make, payloads } from '../world.js';

/** @import { Server } from '../server.js' */
/** @import { Tally } from '../tally.js' */

/**
 * Create, read, list and replace each entity.
 * @param {Tally} tally
 * @param {Server} server
 * @param {Record<string, string>} ids
 */
export async function checkRest(tally, server, ids) {
  for (const [entity, { payload, mark }] of Object.entries(payloads(ids))) {
    let id = '';
    await tally.check(`POST /${entity}/api answers 201 and the payload`, async () => {
      const { status, body } = await server.send('POST', `/${entity}/api`, payload);
      expectStatus(status, [201], 'POST');
      expectMembers(body, payload);
      id = body.id ?? (await lookUp(server, entity, mark, payload[mark]));
    });
    await tally.check(`GET /${entity}/api/{id} answers the payload`, async () => {
      const { status, body } = await server.send('GET', `/${entity}/api/${id}`);
      expectStatus(status, [200], 'GET');
      expectMembers(body, payload);
    });
    await tally.check(`GET /${entity}/api lists it once`, async () => {
      const { status, body } = await server.send('GET', `/${entity}/api`);
      expectStatus(status, [200], 'GET');
      const found = body.filter((/** @type {any} */ one) => one[mark] === payload[mark]);
      expectMembers(found, [payload]);
    });
    await tally.check(`PUT /${entity}/api/{id} makes a new version`, async () => {
      const changed = { ...payload, ...CHANGES[/** @type {keyof typeof CHANGES} */ (entity)] };
      const { status, body } = await server.send('PUT', `/${entity}/api/${id}`, changed);
      expectStatus(status, [200], 'PUT');
      expectMembers(body, changed);
      expectMembers((await server.send('GET', `/${entity}/api/${id}`)).body, changed);
    });
  }
}

/**
 * @param {Server} server
 * @param {string} entity
 * @param {string} field
 * @param {string} value
 * @returns {Promise<string>}
 */
async function lookUp(server, entity, field, value) {
  const { getAll } = await server.data(entity, `{ getAll { id ${field} } }`);
  return getAll.find((/** @type {any} */ one) => one[field] === value).id;
}

/**
 * @param {Tally} tally
 * @param {Server} server
 * @param {Record<string, string>} ids
 */
export async function checkDeletes(tally, server, ids) {
  for (const entity of ['farm', 'coop', 'hen', 'container', 'consumer', 'storage_deposit']) {
    const id = await make(server, entity, ids);
    const path = `/${entity}/api/${id}`;
    await tally.check(`DELETE ${entity} answers its id and "deleted"`, async () => {
      const { status, body } = await server.send('DELETE', path);
      expectStatus(status, [200], 'DELETE');
      expectMembers(body, { id, status: 'deleted' });
    });
    await tally.check(`a deleted ${entity} is not found`, async () => {
      expectStatus((await server.send('GET', path)).status, [404], 'GET');
    });
    await tally.check(`a deleted ${entity} is not listed`, async () => {
      const { body } = await server.send('GET', `/${entity}/api`);
      if (body.some((/** @type {any} */ one) => one.id === id)) throw new Error('it is still there');
    });
    await tally.check(`a deleted ${entity} is no more in GraphQL`, async () => {
      const { getAll } = await server.data(entity, '{ getAll { id } }');
      // One of the known implementations lists deleted documents there.
      if (getAll.some((/** @type {any} */ one) => one.id === id)) throw new Tolerated('still in getAll');
    });
  }
  await tally.check('a second DELETE finds nothing', async () => {
    const path = `/farm/api/${await make(server, 'farm', ids)}`;
    await server.send('DELETE', path);
    const { status } = await server.send('DELETE', path);
    expectStatus(status, [200, 404], 'second DELETE');
    if (status === 200) throw new Tolerated('answers 200 again');
  });
}

/**
 * @param {Tally} tally
 * @param {Server} server
 * @param {Record<string, string>} ids
 */
export async function checkEdges(tally, server, ids) {
  await tally.check('an unknown id is not found', async () => {
    expectStatus((await server.send('GET', `/farm/api/${randomUUID()}`)).status, [404], 'GET');
  });
  await tally.check('DELETE of an unknown id is not found', async () => {
    const { status } = await server.send('DELETE', `/farm/api/${randomUUID()}`);
    expectStatus(status, [200, 404], 'DELETE');
    if (status === 200) throw new Tolerated('answers 200');
  });
  await tally.check('PUT of an unknown id is not found', async () => {
    const { status } = await server.send('PUT', `/farm/api/${randomUUID()}`, payloads(ids).farm.payload);
    expectStatus(status, [200, 404], 'PUT');
    if (status === 200) throw new Tolerated('creates it');
  });
  await tally.check('a wrong method is refused', async () => {
    expectStatus((await server.send('PATCH', `/farm/api/${ids.farm}`, {})).status, [405], 'PATCH');
    expectStatus((await server.send('GET', '/farm/graph')).status, [405], 'GET /farm/graph');
  });
  await tally.check('any origin may read', async () => {
    const { headers } = await server.send('GET', '/farm/api');
    if (headers.get('access-control-allow-origin') !== '*') throw new Error('no CORS header');
  });
  await tally.check('a preflight request is answered', async () => {
    expectStatus((await server.send('OPTIONS', '/farm/api')).status, [200], 'OPTIONS');
  });
  for (const path of ['/health', '/ready']) {
    await tally.check(`GET ${path} says ok`, async () => {
      const { status, body } = await server.send('GET', path);
      if (status === 404) throw new Tolerated('there is none');
      expectStatus(status, [200], path);
      expectMembers(body, { status: 'ok' });
    });
  }
  await tally.check('POST /farm/api/bulk creates several', async () => {
    const items = [payloads(ids).farm.payload, payloads(ids).farm.payload];
    const { status, body } = await server.send('POST', '/farm/api/bulk', items);
    if (status === 404 || status === 405) throw new Tolerated('there is none');
    expectStatus(status, [201], 'POST');
    expectMembers(
      body,
      items.map((payload) => ({ payload, deleted: false })),
    );
    const ids2 = body.map((/** @type {any} */ one) => one.id).join(',');
    const read = await server.send('GET', `/farm/api/bulk?ids=${ids2},${randomUUID()}`);
    expectStatus(read.status, [200], 'GET');
    if (read.body.length !== 2) throw new Error(`${read.body.length} read`);
  });
}

/**
 * What violates the schema of which entity.
 * @type {ReadonlyArray<[string, Record<string, unknown>]>}
 */
const INVALID = Object.freeze([
  ['farm', { farm_type: 'zoo' }],
  ['farm', { name: undefined }],
  ['farm', { colour: 'red' }],
  ['coop', { capacity: 0 }],
  ['coop', { capacity: 1.5 }],
  ['coop', { farm_id: 'f1' }],
  ['hen', { status: 'asleep' }],
  ['consumer', { weekly_demand: -1 }],
  ['lay_report', { eggs: -1 }],
  ['storage_deposit', { eggs: 0 }],
  ['storage_withdrawal', { reason: 'hunger' }],
  ['container_transfer', { transport_method: 'plane' }],
  ['consumption_report', { consumer_id: 7 }],
  ['hen_productivity', { quality_rate: 1.5 }],
]);

/**
 * Validation is a matter of the implementation: one that stores everything is tolerated.
 * @param {Tally} tally
 * @param {Server} server
 * @param {Record<string, string>} ids
 */
export async function checkValidation(tally, server, ids) {
  for (const [entity, change] of INVALID) {
    await tally.check(`${entity} with ${describe(change)} is refused`, async () => {
      const payload = { ...payloads(ids)[entity].payload, ...change };
      const { status, body } = await server.send('POST', `/${entity}/api`, payload);
      expectStatus(status, [201, 400, 422], 'POST');
      if (status !== 201) return;
      // It must not stay: lists with an entity that lacks something are answered with errors.
      if (body?.id) await server.send('DELETE', `/${entity}/api/${body.id}`);
      throw new Tolerated('it is stored');
    });
  }
  await tally.check('a body that is no JSON is refused', async () => {
    expectStatus((await server.send('POST', '/farm/api', '{')).status, [400, 500], 'POST');
  });
  await tally.check('a body that is no object is refused', async () => {
    expectStatus((await server.send('POST', '/farm/api', '[]')).status, [400, 422, 500], 'POST');
  });
}

/** @param {Record<string, unknown>} change */
function describe(change) {
  const [[name, value]] = Object.entries(change);
  return value === undefined ? `no ${name}` : `${name} ${JSON.stringify(value)}`;
}
