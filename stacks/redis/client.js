import * as counters from '../_shared/resp-counters.js';
import { documentsOver } from '../_shared/resp-documents.js';
import * as memory from '../_shared/resp-memory.js';

export default { counters, documents: documentsOver(memory) };

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
