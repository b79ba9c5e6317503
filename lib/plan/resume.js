import { BenchError } from '../errors.js';

/** @import { Plan, Stack } from '../types.d.ts' */

/**
 * A run goes on with the systems that it began with, or not at all.
 * @param {Plan} plan
 * @param {Stack[]} stacks as they are now
 * @param {string} run its name, for the message
 * @throws {BenchError} a stack is gone, or its program is another one: the vendor's then and ours now, or the other way round
 */
export function demandSameSystems(plan, stacks, run) {
  for (const planned of plan.systems) {
    const stack = stacks.find((s) => s.id === planned.id);
    if (!stack) throw new BenchError(`the run ${run} has a system "${planned.id}" that is not in stacks/`);
    const variable = stack.manifest.native?.override?.env ?? 'the variable that names its program';
    if (planned.engine === 'native' && planned.origin !== stack.manifest.origin) {
      throw new BenchError(
        `the run ${run} measured "${planned.id}" as ${planned.origin}, and it would now be ${stack.manifest.origin}`,
        { hint: `set or unset ${variable} as it was` },
      );
    }
  }
}
