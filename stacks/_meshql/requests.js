/**
 * The requests of the workloads on entities, as the burst module sends them. Pure: it imports nothing of k6.
 * @import { EntityRequests, Target, TurnCheck, TurnRequest } from '../../k6/types.d.ts'
 */

/** What a query's answer must not have: some servers say `null`, some leave it out. */
const NO_ERRORS = Object.freeze({ at: '/errors', none: true });

/**
 * @param {Target} target
 * @param {{tellsIds?: boolean} | null} start `tellsIds`: whether an answer to a creation names the new id
 * @returns {EntityRequests}
 */
export function requests(target, start) {
  const base = (/^[a-z+]+:\/\/[^/]+(\/.*)?$/.exec(target.url)?.[1] ?? '').replace(/\/+$/, '');
  const request = (
    /** @type {string} */ method,
    /** @type {string} */ path,
    /** @type {number} */ status,
    /** @type {unknown} */ body,
  ) => ({ method, path: base + path, status, ...(body === undefined ? {} : { body: json(body) }) });
  const query = (
    /** @type {string} */ entity,
    /** @type {string} */ text,
    /** @type {TurnCheck[]} */ checks,
  ) => ({ ...request('POST', `/${entity}/graph`, 200, { query: text }), checks: [NO_ERRORS, ...checks] });
  /** @returns {Pick<TurnRequest, 'take'> & {more?: TurnRequest[]}} */
  const idTaken = (/** @type {string} */ entity, /** @type {string} */ name, /** @type {string} */ as) =>
    start?.tellsIds === false
      ? {
          more: [
            {
              ...query(entity, '{ getAll { id name } }', []),
              take: { [as]: { at: `/data/getAll/name=${name}/id` } },
            },
          ],
        }
      : { take: { [as]: { at: '/id' } } };
  return {
    create: (entity, payload, as) => ({
      ...request('POST', `/${entity}/api`, 201, payload),
      ...(as ? idTaken(entity, payload.name, as) : {}),
    }),
    read: (entity, id, expected) => ({
      ...request('GET', `/${entity}/api/${id}`, 200, undefined),
      checks: Object.entries(expected).map(([name, is]) => ({ at: `/${name}`, is })),
    }),
    replace: (entity, id, payload) => request('PUT', `/${entity}/api/${id}`, 200, payload),
    remove: (entity, id) => request('DELETE', `/${entity}/api/${id}`, 200, undefined),
    query,
  };
}

/**
 * @param {unknown} value in which a text that begins with # stands for a number
 */
function json(value) {
  return JSON.stringify(value).replaceAll(/"#(\{[^}"]+\})"/g, '$1');
}
