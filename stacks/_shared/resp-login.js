/**
 * How every connection of the load logs in over RESP.
 * @import { Target } from '../../k6/types.d.ts'
 */

/**
 * @param {Target} target
 * @returns {{setup?: string[][]}} options of the burst module's `connect`
 */
export function loginOf({ login }) {
  if (!login) return {};
  return { setup: [['AUTH', ...(login.user ? [login.user] : []), login.password]] };
}
