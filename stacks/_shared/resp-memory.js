/**
 * What Redis and its relatives say about their size: they keep all data in memory, and rewrite their append-only file.
 */
import { sleep } from 'k6';
import { infoNumber, waitFor } from './resp-documents.js';

/** @param {any} client of `k6/x/redis` */
export async function storedBytes(client) {
  const bytes = await infoNumber(client, 'memory', 'used_memory_dataset');
  return { bytes, counter: 'used_memory_dataset (in memory)' };
}

/**
 * @param {any} client
 * @returns {Promise<string | null>} null without an append-only file: memory has nothing to compact
 */
export async function compact(client) {
  if ((await infoNumber(client, 'persistence', 'aof_enabled')) !== 1) return null;
  await client.sendCommand('BGREWRITEAOF');
  await waitFor(
    async () =>
      (await infoNumber(client, 'persistence', 'aof_rewrite_in_progress')) === 0 &&
      (await infoNumber(client, 'persistence', 'aof_rewrite_scheduled')) === 0,
    'BGREWRITEAOF',
    sleep,
  );
  return 'BGREWRITEAOF';
}
