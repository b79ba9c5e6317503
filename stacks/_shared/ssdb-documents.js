/**
 * The operations of `documents` over SSDB's native protocol. Its commands are lower case, lengths are bytes, and a
 * deletion answers 1 whether or not there was anything: that documents are gone is seen by the check after load.
 * @import { DocumentsClient, Target } from '../../k6/types.d.ts'
 */
import burstModule from 'k6/x/burst';

export const templates = {
  set: { command: ['set', 'document:{key}', '{document}'], expect: 'ok' },
  get: { command: ['get', 'document:{key}'], expect: 'bulk', returns: '{document}' },
  del: { command: ['del', 'document:{key}'], expect: 'ok' },
};

/**
 * @param {Target} target
 * @returns {{protocol: 'ssdb', address: string, setup?: string[][]}}
 */
export function burst(target) {
  return {
    protocol: 'ssdb',
    address: `${target.host}:${target.port}`,
    ...(target.login ? { setup: [['auth', target.login.password]] } : {}),
  };
}

/**
 * @param {Target} target
 * @returns {DocumentsClient}
 */
export function open(target) {
  const connection = burstModule.connect({ ...burst(target), timeoutMs: 60_000 });
  const call = (/** @type {string[]} */ words) => {
    const [status, ...values] = /** @type {string[]} */ (connection.call(words));
    if (status !== 'ok' && status !== 'not_found')
      throw new Error(`${words[0]} answered ${status}: ${values.join(' ')}`);
    return { status, values };
  };
  return {
    set: async (key, document) => call(['set', key, document]),
    get: async (key) => {
      const { status, values } = call(['get', key]);
      return status === 'ok' ? values[0] : null;
    },
    del: async (key) => Number(call(['del', key]).values[0]),
    getMany: async (keys) => {
      // Pairs of key and value, of those that exist.
      const { values } = call(['multi_get', ...keys]);
      const found = new Map(values.flatMap((v, i) => (i % 2 === 0 ? [[v, values[i + 1]]] : [])));
      return keys.map((key) => found.get(key) ?? null);
    },
    storedBytes: async () => ({ bytes: Number(call(['dbsize']).values[0]), counter: 'dbsize (approximate)' }),
    compact: async () => {
      call(['compact']);
      return 'compact';
    },
    close: () => connection.close(),
  };
}
