import { docker } from '../docker/cli.js';
import { PROJECT_LABEL } from '../engines/docker/project.js';
import { ROOT } from '../paths.js';
import { startChild } from '../process/child.js';
import { dieWithUs } from '../setup/die-with-us.js';

/**
 * @import { Child } from '../process/child.js'
 * @import { Project } from '../engines/docker/project.js'
 */

/** The machine's own, in which a container has no address of its own. */
export const HOST_NETWORK = 'host';

/**
 * Starts k6 in a container, as its user's own user and with no rights beside. The checkout, the stacks and the run's
 * folder are mounted where they are: every path means the same inside.
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
export async function startGeneratorContainer(k6, options) {
  const { project, image, network, cpus, readOnly, writable, ports, logPath } = options;
  const container = `${project.name}-generator-1`;
  const user = process.getuid ? ['--user', `${process.getuid()}:${process.getgid?.()}`] : [];
  const child = await startChild(
    dieWithUs([
      'docker',
      'run',
      '--rm',
      '--pull=never',
      ...['--name', container],
      ...['--network', network],
      ...['--label', `${PROJECT_LABEL}=${project.name}`],
      ...('held' in cpus ? ['--cpuset-cpus', cpus.held.join(',')] : ['--cpus', String(cpus.limit)]),
      ...['--memory', process.env.GENERATOR_MEMORY ?? '4g'],
      ...['--ulimit', 'nofile=16384'],
      ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--pids-limit', '4096'],
      ...['--read-only', '--tmpfs', '/tmp'],
      ...user,
      ...mounts([ROOT, ...readOnly], writable),
      // By name alone: what they hold is in no list of processes.
      ...Object.keys(k6.env).flatMap((name) => ['--env', name]),
      ...ports.flatMap((port) => ['--publish', `127.0.0.1:${port}:${port}`]),
      image,
      ...k6.command,
    ]),
    { env: k6.env, logPath },
  );
  return {
    child,
    container,
    release: async () => {
      await docker(['rm', '--force', '--volumes', container], { timeoutMs: 30_000 });
    },
  };
}

/**
 * @param {string[]} readOnly
 * @param {string} writable
 * @returns {string[]}
 */
function mounts(readOnly, writable) {
  const bind = (/** @type {string} */ path, /** @type {string} */ mode) => [
    '--mount',
    `type=bind,source=${path},target=${path}${mode}`,
  ];
  return [...[...new Set(readOnly)].flatMap((path) => bind(path, ',readonly')), ...bind(writable, '')];
}
