import { BenchError } from '../errors.js';
import { connectProblem, portOf } from '../process/ports.js';
import { givenProcesses } from './given-processes.js';
import { unwatched } from './unwatched.js';

/**
 * @import { PlannedSystem } from '../types.d.ts'
 * @import { Instance } from './native.js'
 */

/**
 * What a k6 script of a user's own is sent against. Only the script knows what it speaks: a rehearsal has asked it.
 * @param {PlannedSystem} planned
 * @param {{watch?: number[], isSeen?: boolean}} options `watch`: its processes are looked at; none named: who listens at its
 *   port. `isSeen`: from here it could be connected to
 * @returns {Instance}
 */
export function scriptTarget({ id, endpoint }, { watch, isSeen = false }) {
  if (!endpoint) return unwatched('');
  const target = unwatched(endpoint);
  if (isSeen)
    target.demandThere = async () => {
      const problem = await connectProblem(endpoint);
      // A whole load of failures would say no more.
      if (problem) throw new BenchError(`${id} no longer answers: ${problem}`);
    };
  if (!watch) return target;
  const given = givenProcesses(id, Number(portOf(endpoint)), watch);
  return { ...target, given, mark: async () => given.mark() };
}
