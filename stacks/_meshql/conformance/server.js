/**
 * A server of the contract, seen through its HTTP interface. It takes what any of the known implementations answers:
 * ids that are not told, members that are null or left out, `errors` that is null, and any order.
 */

/** Longest wait for one answer. */
const TIMEOUT_MS = 10_000;

/**
 * @typedef {{status: number, body: any, headers: Headers}} Answer
 */

export class Server {
  /**
   * @param {string} url base, without a path
   * @param {string} [authorization] sent as the header of that name
   */
  constructor(url, authorization) {
    this.url = url.replace(/\/+$/, '');
    this.headers = {
      'content-type': 'application/json',
      ...(authorization ? { authorization } : {}),
    };
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body] sent as JSON; a string as it is
   * @returns {Promise<Answer>} the body parsed where it is JSON
   */
  async send(method, path, body) {
    const response = await fetch(this.url + path, {
      method,
      headers: this.headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: parsed(text), headers: response.headers };
  }

  /**
   * @param {string} entity
   * @param {string} query
   * @returns {Promise<any>} the data
   * @throws when the answer has errors
   */
  async data(entity, query) {
    const { status, body } = await this.send('POST', `/${entity}/graph`, { query });
    if (status !== 200) throw new Error(`${query}: status ${status}`);
    if (body?.errors?.length > 0) throw new Error(`${query}: ${body.errors[0].message}`);
    return body.data;
  }

  /**
   * Creates an entity.
   * @param {string} entity
   * @param {Record<string, unknown>} payload
   * @param {{field: string, value: string}} mark a field by whose unique value it can be found again
   * @returns {Promise<string>} its id: from the answer, or looked up
   */
  async create(entity, payload, mark) {
    const { status, body } = await this.send('POST', `/${entity}/api`, payload);
    if (status !== 201) throw new Error(`POST /${entity}/api: status ${status}, ${JSON.stringify(body)}`);
    if (typeof body?.id === 'string') return body.id;
    const { getAll } = await this.data(entity, `{ getAll { id ${mark.field} } }`);
    const found = getAll.find((/** @type {any} */ one) => one[mark.field] === mark.value);
    if (!found) throw new Error(`${entity}: what was created is not in getAll`);
    return found.id;
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
