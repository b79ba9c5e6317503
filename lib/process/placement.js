import { textOrNull } from '../store.js';
import { which } from './tool.js';

/**
 * Which CPUs the systems run on and which the load: apart, so that neither takes the other's time. Two systems that
 * are measured side by side share one CPU, because only then what the machine does to one it does to the other.
 * @typedef {{systems: number[], generator: number[]}} Placement
 */

/**
 * @returns {number[]} CPUs that this process may use, in order; empty where that cannot be told
 */
export function allowedCpus() {
  const status = textOrNull('/proc/self/status') ?? '';
  return cpuList(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '');
}

/**
 * @param {string} text `0-2,5`
 * @returns {number[]}
 */
export function cpuList(text) {
  return text
    .split(',')
    .filter(Boolean)
    .flatMap((part) => {
      const [from, to = from] = part.split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
}

/**
 * @param {number[]} [cpus] that may be used
 * @returns {Placement | {problem: string}}
 */
export function placementOf(cpus = allowedCpus()) {
  if (process.platform !== 'linux') return { problem: 'processes are pinned to CPUs on Linux only' };
  if (which('taskset') === null) return { problem: 'taskset (util-linux) is not on PATH' };
  return apart(cpus);
}

/**
 * @param {number[]} cpus that may be used
 * @returns {Placement | {problem: string}} the last CPU is the systems'
 */
export function apart(cpus) {
  if (cpus.length < 2)
    return { problem: 'systems and load generator need a CPU each, and this machine has one' };
  return { systems: cpus.slice(-1), generator: cpus.slice(0, -1) };
}

/**
 * @param {string[]} command argument list
 * @param {number[]} cpus
 * @returns {string[]} the same, held to the CPUs with all that it starts; needs no rights
 */
export function pinned(command, cpus) {
  return ['taskset', '--cpu-list', cpus.join(','), ...command];
}
