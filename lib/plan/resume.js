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

/**
 * @typedef {object} Conditions
 * @property {{sha: string | null, dirty: boolean | null}} git
 * @property {{cpuModel: string, cores: number, usableCpus: number, memoryBytes: number}} host
 */

/** The kernel counts a little more or less memory from one start of a machine to the next. */
const SAME_MEMORY = 0.02;

/**
 * A run goes on under the conditions that it began under, or its cells are of two kinds.
 * @param {Conditions} then as its environment says
 * @param {Conditions} now
 * @returns {string[]} what is another, as `commit: a then, b now`; empty when nothing is
 */
export function otherConditions(then, now) {
  const differ = (/** @type {string} */ what, /** @type {unknown} */ a, /** @type {unknown} */ b) =>
    a === b ? [] : [`${what}: ${a} then, ${b} now`];
  const memory = Math.abs(then.host.memoryBytes - now.host.memoryBytes) <= SAME_MEMORY * now.host.memoryBytes;
  return [
    ...differ('commit', shownCommit(then.git), shownCommit(now.git)),
    ...differ('processor', then.host.cpuModel, now.host.cpuModel),
    ...differ('cores', then.host.cores, now.host.cores),
    ...differ('usable CPUs', then.host.usableCpus, now.host.usableCpus),
    ...(memory ? [] : [`memory: ${then.host.memoryBytes} bytes then, ${now.host.memoryBytes} now`]),
  ];
}

/** @param {Conditions['git']} git */
function shownCommit({ sha, dirty }) {
  if (sha === null) return 'unknown';
  return dirty ? `${sha.slice(0, 12)} with changes` : sha.slice(0, 12);
}
