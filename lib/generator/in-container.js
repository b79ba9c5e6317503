import { runContainer } from '../engines/docker/run-container.js';
import { ROOT } from '../paths.js';

/**
 * @import { Child } from '../process/child.js'
 * @import { Project } from '../engines/docker/project.js'
 * @import { Plan } from '../types.d.ts'
 */

/** The machine's own, in which a container has no address of its own. */
export const HOST_NETWORK = 'host';

/**
 * @param {Plan} plan with systems in containers
 * @returns {NonNullable<Plan['docker']>}
 */
export function conditionsOf({ docker }) {
  if (!docker) throw new Error('a plan with systems in containers lacks its conditions');
  return docker;
}

/**
 * Starts k6 in a container. The checkout, the stacks and the run's folder are mounted where they are.
 * @param {{command: string[], env: Record<string, string>}} k6 its arguments, without the program
 * @param {object} options
 * @param {Project} options.project
 * @param {string} options.image
 * @param {string} options.network the systems' own, so that the load passes through no published port
 * @param {{limit: number} | {held: number[]}} options.cpus how much of all of them, or which
 * @param {string[]} options.readOnly folders, absolute
 * @param {string} options.writable folder, absolute
 * @param {number[]} options.ports of k6, published on loopback for the progress and the dashboard
 * @param {string} options.logPath
 * @returns {Promise<{child: Child, container: string, release: () => Promise<void>}>} `release`: the container is gone
 */
export function startGeneratorContainer({ command, env }, { cpus, readOnly, writable, ...options }) {
  return runContainer(command, {
    ...options,
    role: 'generator',
    env,
    paths: { readOnly: [ROOT, ...readOnly], writable },
    flags: [
      ...('held' in cpus ? ['--cpuset-cpus', cpus.held.join(',')] : ['--cpus', String(cpus.limit)]),
      ...['--memory', process.env.GENERATOR_MEMORY ?? '4g'],
      ...['--ulimit', 'nofile=16384'],
    ],
  });
}
