/**
 * @import { PlannedSystem } from '../types.d.ts'
 * @import { Instance } from './native.js'
 */

/**
 * What a k6 script of a user's own is sent against. Only the script knows what it speaks: a rehearsal has asked it.
 * @param {PlannedSystem} planned
 * @returns {Instance}
 */
export function scriptTarget({ endpoint }) {
  return {
    url: endpoint ?? '',
    pgid: null,
    version: null,
    running: () => true,
    died: new Promise(() => {}),
    logTail: () => [],
    diskBytes: async () => null,
    stop: async () => {},
  };
}
