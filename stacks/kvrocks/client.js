import { sleep } from 'k6';
import * as counters from '../_shared/resp-counters.js';
import { documentsOver, infoNumber, waitFor } from '../_shared/resp-documents.js';

/**
 * Of its table files only: what is still in the memtable and the write-ahead log is not among them.
 * @param {any} client of `k6/x/redis`
 */
async function storedBytes(client) {
  return {
    bytes: await infoNumber(client, 'keyspace', 'used_db_size'),
    counter: 'used_db_size (table files)',
  };
}

/** @param {any} client */
async function compact(client) {
  await client.sendCommand('COMPACT');
  await waitFor(
    async () => !/^is_compacting:yes/m.test(String(await client.sendCommand('INFO'))),
    'COMPACT',
    sleep,
  );
  return 'COMPACT';
}

export default { counters, documents: documentsOver({ storedBytes, compact }) };

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
