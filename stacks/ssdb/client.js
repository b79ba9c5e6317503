import { documentsOver } from '../_shared/resp-documents.js';
import * as native from '../_shared/ssdb-documents.js';

/**
 * One port speaks both protocols. Sizes are asked over the native one in any case: the answers over RESP are less.
 * @import { Target } from '../../k6/types.d.ts'
 */

/** @param {Target} target */
function over(target) {
  return target.transport === 'ssdb' ? native : respClient(target);
}

/** @param {Target} target */
function respClient(target) {
  const ask = async (/** @type {'storedBytes' | 'compact'} */ what) => {
    const client = native.open(target);
    const answer = await client[what]();
    client.close();
    return answer;
  };
  return documentsOver({
    storedBytes: () => /** @type {any} */ (ask('storedBytes')),
    compact: () => /** @type {any} */ (ask('compact')),
  });
}

export default {
  documents: {
    open: (/** @type {Target} */ target) => over(target).open(target),
    burst: (/** @type {Target} */ target) => over(target).burst(target),
    templates: (/** @type {Target} */ target) => over(target).templates,
  },
};

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
