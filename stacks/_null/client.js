import * as counters from '../_shared/resp-counters.js';
import { documentsOver } from '../_shared/resp-documents.js';

/** It answers, and that is all: the tests' own systems are this with a memory. */
const nothing = {
  storedBytes: async () => ({ bytes: null, counter: 'it does not say' }),
  compact: async () => null,
};

export default { counters, documents: documentsOver(nothing) };
