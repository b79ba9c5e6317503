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
