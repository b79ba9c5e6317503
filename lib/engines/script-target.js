import { unwatched } from './unwatched.js';

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
  return unwatched(endpoint ?? '');
}
