/**
 * The workloads on entities, for every server of the MeshQL contract: ids that are told or not, `errors` that is
 * null or left out, bulk requests or none.
 * @import { EntityClient, Target } from '../../k6/types.d.ts'
 */
import { sleep } from 'k6';
import http from 'k6/http';

export { requests } from './requests.js';

const JSON_BODY = { headers: { 'Content-Type': 'application/json' }, timeout: '10s' };

/** Longest wait for the projections, and the pause between two looks. */
const SETTLE_SEC = 30;
const PAUSE_SEC = 0.05;
/** The same where the server does not say how far they are behind. */
const UNTOLD_SEC = 2;

/**
 * @param {Target} target
 * @returns {EntityClient}
 */
export function open(target) {
  const base = target.url.replace(/\/+$/, '');
  const send = (/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body) =>
    http.request(method, base + path, body === undefined ? null : JSON.stringify(body), JSON_BODY);
  const query = (/** @type {string} */ entity, /** @type {string} */ text) => {
    const answer = /** @type {any} */ (
      right(send('POST', `/${entity}/graph`, { query: text }), [200]).json()
    );
    if (answer.errors?.length > 0) throw new Error(`answered with errors: ${answer.errors[0].message}`);
    return answer.data;
  };
  /** @param {string} entity @param {any} payload */
  const idOf = (entity, payload) => {
    const known = query(entity, '{ getAll { id name } }').getAll.filter(
      (/** @type {any} */ e) => e.name === payload.name,
    );
    if (known.length !== 1)
      throw new Error(`expected one ${entity} named ${payload.name}, found ${known.length}`);
    return known[0].id;
  };
  let tellsIds = true;
  const create = (/** @type {string} */ entity, /** @type {any} */ payload) => {
    const { id } = /** @type {any} */ (right(send('POST', `/${entity}/api`, payload), [201]).json());
    tellsIds = id !== undefined;
    // Events have no name to be found by, and nobody asks for them by id.
    return id ?? (payload.name === undefined ? '' : idOf(entity, payload));
  };
  /**
   * Asked with nothing: a server without bulk requests may refuse many rows before it has read them, and close the
   * connection under the next request.
   * @type {boolean | null}
   */
  let takesBulk = null;
  return {
    create,
    tellsIds: () => tellsIds,
    createMany: (entity, payloads) => {
      takesBulk ??= ![404, 405].includes(send('POST', `/${entity}/api/bulk`, []).status);
      if (!takesBulk) return payloads.map((one) => create(entity, one));
      const answer = right(send('POST', `/${entity}/api/bulk`, payloads), [201]);
      return /** @type {any} */ (answer.json()).map((/** @type {any} */ one) => one.id);
    },
    demandRead: (entity, id, name) => {
      const found = /** @type {any} */ (right(send('GET', `/${entity}/api/${id}`, undefined), [200]).json());
      if (found.name !== name) throw new Error(`expected ${name}, answered ${found.name}`);
    },
    query,
    // One of the known servers lists deleted entities in GraphQL.
    list: (entity) => /** @type {any} */ (right(send('GET', `/${entity}/api`, undefined), [200]).json()),
    settle: (done) => {
      for (let waited = 0; waited < SETTLE_SEC; waited += PAUSE_SEC) {
        const answer = send('GET', '/ready', undefined);
        const processor = answer.status === 200 ? /** @type {any} */ (answer.json()).processor : undefined;
        if (processor ? processor.lag === 0 : done()) return true;
        if (!processor && waited >= UNTOLD_SEC) return false;
        sleep(PAUSE_SEC);
      }
      throw new Error(`the projections did not catch up in ${SETTLE_SEC} s`);
    },
    close: () => {},
  };
}

/**
 * @param {Target} target
 * @throws {Error} for what the module does not speak
 */
export function burst({ url, host, port }) {
  if (url.startsWith('https:')) throw new Error(`${url}: event loops speak HTTP without TLS`);
  return {
    protocol: 'http',
    address: `${host}:${port || 80}`,
    headers: { 'Content-Type': 'application/json' },
  };
}

/**
 * @param {import('k6/http').Response} answer
 * @param {number[]} statuses
 */
function right(answer, statuses) {
  if (statuses.includes(answer.status)) return answer;
  if (answer.status === 0) throw new Error(`${answer.error}`);
  throw new Error(`answered ${answer.status}: ${String(answer.body).slice(0, 200)}`);
}

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
