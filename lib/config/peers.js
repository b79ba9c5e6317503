import { isUnpublished } from './proven.js';

/** @import { Plan, Stack } from '../types.d.ts' */

/**
 * Who could have been measured beside a system that was measured alone; of several, only who never was.
 * @param {Pick<Plan, 'systems' | 'absent' | 'workloads'>} plan
 * @param {Stack[]} stacks all that are known
 * @returns {{id: string, title: string}[]} systems with one of its workloads, of which the run says nothing; where it has
 *   more than one system, those with all of its workloads of which no published run has a figure
 */
export function peersOf({ systems, absent, workloads }, stacks) {
  const own = new Set(systems.filter((s) => s.role === 'system').map((s) => s.id.split('@')[0]));
  const known = new Set([...own, ...absent.flatMap(({ system }) => system ?? [])]);
  return stacks
    .filter(({ id, base }) => id === base && !id.startsWith('_') && !known.has(id))
    .filter((stack) => {
      const takes = (/** @type {{id: string}} */ w) => w.id in stack.manifest.workloads;
      return own.size === 1 ? workloads.some(takes) : workloads.every(takes) && isUnpublished(stack);
    })
    .map(({ id, manifest }) => ({ id, title: manifest.title }));
}
