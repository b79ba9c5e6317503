import { release } from 'node:os';
import { allowedCpus, apart } from '../process/placement.js';

/**
 * @import { Placement } from '../process/placement.js'
 * @import { DockerEngine } from './answers.js'
 */

/**
 * Which CPUs the containers of systems are held to and which the generator's, by control groups (`cpuset`).
 * @param {Pick<DockerEngine, 'kernel' | 'rootless' | 'cpuset' | 'cpus'>} engine
 * @param {number[]} [cpus] that may be used here
 * @param {string} [kernel] of this machine
 * @returns {Placement | {problem: string}}
 */
export function containerPlacement(engine, cpus = allowedCpus(), kernel = release()) {
  if (engine.kernel !== kernel)
    return {
      problem: 'Docker runs in a machine of its own: its threads and control groups cannot be read here',
    };
  if (engine.rootless)
    return { problem: 'Docker has a network of its own (rootless), which the runner cannot reach' };
  if (!engine.cpuset)
    return { problem: 'Docker cannot pin containers to CPUs: it lacks the control group cpuset' };
  return apart(cpus.filter((cpu) => cpu < engine.cpus));
}
