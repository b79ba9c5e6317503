import { givenProcesses } from './given-processes.js';
import { unwatched } from './unwatched.js';

/**
 * @import { PlannedSystem } from '../types.d.ts'
 * @import { Instance } from './native.js'
 */

/**
 * What a k6 script of a user's own is sent against. Only the script knows what it speaks: a rehearsal has asked it.
 * @param {PlannedSystem} planned
 * @param {number[]} [watch] its processes are looked at; none named: who listens at its port
 * @returns {Instance}
 */
export function scriptTarget({ id, endpoint }, watch) {
  if (!endpoint || !watch) return unwatched(endpoint ?? '');
  const { port, protocol } = new URL(endpoint);
  const given = givenProcesses(id, Number(port) || USUAL_PORTS[protocol], watch);
  return { ...unwatched(endpoint), given, mark: async () => given.mark() };
}

/** @type {Record<string, number>} */
const USUAL_PORTS = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 };
