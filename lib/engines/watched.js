import { processTable } from '../process/table.js';
import { sampleWatched } from '../sample/watched.js';

/**
 * @import { Watched } from '../sample/watched.js'
 * @import { Instance } from './native.js'
 */

/**
 * @param {Instance} instance
 * @returns {Watched | null} its processes as they are now; null where they are not all ours to see: no part is shown as if
 *   it were the whole
 */
export function watchedOf({ pgid, companions, containers, given }) {
  if (given) return { roots: given.roots };
  if (containers) return containers.views ? { containers: containers.views } : null;
  if (pgid === null || companions?.elsewhere) return null;
  return { pgids: [pgid, ...(companions?.pgids() ?? [])] };
}

/**
 * @param {Instance} instance
 * @returns {number | null} bytes of its resident memory without pages of files; null where they are not ours to see
 */
export function memoryOf(instance) {
  const watched = watchedOf(instance);
  return watched && (sampleWatched(watched, processTable())?.rssBytes ?? null);
}
