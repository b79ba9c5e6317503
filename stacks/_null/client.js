import * as counters from '../_shared/resp-counters.js';
import { documentsOver } from '../_shared/resp-documents.js';
import * as native from '../_shared/ssdb-documents.js';

/** @import { Target } from '../../k6/types.d.ts' */

/** It answers, and that is all: the tests' own systems are this with a memory. */
const resp = documentsOver({
  storedBytes: async () => ({ bytes: null, counter: 'it does not say' }),
  compact: async () => null,
});

/** @param {Target} target */
function over(target) {
  return target.transport === 'ssdb' ? native : resp;
}

export default {
  counters,
  documents: {
    open: (/** @type {Target} */ target) => over(target).open(target),
    burst: (/** @type {Target} */ target) => over(target).burst(target),
    templates: (/** @type {Target} */ target) => over(target).templates,
  },
};

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
