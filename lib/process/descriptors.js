import { BenchError } from '../errors.js';
import { textOrNull } from '../store.js';

/** What a server or the load opens beside its connections: its files, its own sockets. */
const BESIDE = 128;

/**
 * @returns {number | null} how many files and connections a process may have open; null where it cannot be told, or there
 *   is no limit
 */
export function openFilesLimit() {
  const soft = /^Max open files\s+(\d+)/m.exec(textOrNull('/proc/self/limits') ?? '')?.[1];
  return soft === undefined ? null : Number(soft);
}

/**
 * Reports before anything is started what would fail during the run.
 * @param {number} users connections of the widest step
 * @param {number | null} [limit]
 * @throws {BenchError} naming the number that is needed
 */
export function demandDescriptors(users, limit = openFilesLimit()) {
  const needed = users + BESIDE;
  if (limit === null || limit >= needed) return;
  throw new BenchError(
    `too few file descriptors: ${users} connections at once need ${needed} open files, and the limit is ${limit}`,
    { hint: `type: ulimit -n ${needed}` },
  );
}
