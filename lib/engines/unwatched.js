/** @import { Instance } from './native.js' */

/**
 * A system of which nothing is seen from here but its address: others started it, and others know whether it answers.
 * @param {string} url
 * @returns {Instance}
 */
export function unwatched(url) {
  return {
    url,
    pgid: null,
    version: null,
    running: () => true,
    died: new Promise(() => {}),
    logTail: () => [],
    diskBytes: async () => null,
    stop: async () => {},
  };
}
