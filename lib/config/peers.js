/** @import { Plan, Stack } from '../types.d.ts' */

/**
 * Who could have been measured beside a system that was measured alone.
 * @param {Pick<Plan, 'systems' | 'absent' | 'workloads'>} plan
 * @param {Stack[]} stacks all that are known
 * @returns {{id: string, title: string}[]} systems with one of its workloads, of which the run says nothing; none where it
 *   has more than one
 */
export function peersOf({ systems, absent, workloads }, stacks) {
  const own = new Set(systems.filter((s) => s.role === 'system').map((s) => s.id.split('@')[0]));
  if (own.size !== 1) return [];
  const known = new Set([...own, ...absent.flatMap(({ system }) => system ?? [])]);
  return stacks
    .filter(({ id, base }) => id === base && !id.startsWith('_') && !known.has(id))
    .filter(({ manifest }) => workloads.some((w) => w.id in manifest.workloads))
    .map(({ id, manifest }) => ({ id, title: manifest.title }));
}
