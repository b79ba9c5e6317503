import { docker } from '../docker/cli.js';
import { PROJECT_LABEL } from '../engines/docker/project.js';
import { ROOT } from '../paths.js';
import { startChild } from '../process/child.js';
import { dieWithUs } from '../setup/die-with-us.js';

/**
 * @import { Child } from '../process/child.js'
 * @import { Project } from '../engines/docker/project.js'
 */

/**
 * Starts k6 in a container on the systems' own network, so that the load passes through no published port. The
 * checkout, the stack and the run's folder are mounted where they are: every path means the same inside.
 * @param {{command: string[], env: Record<string, string>}} k6 its arguments, without the program
 * @param {object} options
 * @param {Project} options.project
 * @param {string} options.image
 * @param {number} options.cpus
 * @param {string} options.runFolder written to
 * @param {string} options.stackFolder
 * @param {number[]} options.ports of k6, published on loopback for the progress and the dashboard
 * @param {string} options.logPath
 * @returns {Promise<{child: Child, container: string, release: () => Promise<void>}>} `release`: the container is gone
 */
export async function startGeneratorContainer(k6, options) {
  const { project, image, cpus, runFolder, stackFolder, ports, logPath } = options;
  const container = `${project.name}-generator-1`;
  const user = process.getuid ? ['--user', `${process.getuid()}:${process.getgid?.()}`] : [];
  const child = await startChild(
    dieWithUs([
      'docker',
      'run',
      '--rm',
      '--pull=never',
      ...['--name', container],
      ...['--network', project.network],
      ...['--label', `${PROJECT_LABEL}=${project.name}`],
      ...['--cpus', String(cpus)],
      ...['--memory', process.env.GENERATOR_MEMORY ?? '4g'],
      ...['--ulimit', 'nofile=16384'],
      ...user,
      ...mounts([ROOT, stackFolder], runFolder),
      ...Object.entries(k6.env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...ports.flatMap((port) => ['--publish', `127.0.0.1:${port}:${port}`]),
      image,
      ...k6.command,
    ]),
    { logPath },
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
