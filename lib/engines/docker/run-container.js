import { docker } from '../../docker/cli.js';
import { startChild } from '../../process/child.js';
import { WITHOUT_PROXIES } from '../../process/plain.js';
import { dieWithUs } from '../../setup/die-with-us.js';
import { PROJECT_LABEL } from './project.js';

/**
 * @import { Child } from '../../process/child.js'
 * @import { Project } from './project.js'
 */

/** Not enough for what goes beyond its task, enough for its threads. */
const MOST_PIDS = '4096';

/**
 * Starts a program beside a run's systems in a container of its own, as its user's own user and with no rights beside; it is
 * torn down with the run's project.
 * @param {string[]} command what follows the image
 * @param {object} options
 * @param {Project} options.project
 * @param {string} options.role its name in the project
 * @param {string} options.image
 * @param {string} options.network
 * @param {{readOnly: string[], writable?: string}} options.paths files and folders, absolute: each means the same inside
 * @param {number[]} options.ports published on loopback
 * @param {Record<string, string | undefined>} [options.env] what is undefined in it is not set inside
 * @param {string[]} [options.flags] more of `docker run`
 * @param {string} options.logPath
 * @returns {Promise<{child: Child, container: string, release: () => Promise<void>}>} `release`: the container is gone
 */
export async function runContainer(command, options) {
  const { project, role, image, network, paths, ports, flags = [], logPath } = options;
  const env = { ...WITHOUT_PROXIES, ...options.env };
  const container = `${project.name}-${role}-1`;
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
      ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--pids-limit', MOST_PIDS],
      ...['--read-only', '--tmpfs', '/tmp'],
      ...user,
      ...[...new Set(paths.readOnly)].flatMap((path) => bind(path, ',readonly')),
      ...(paths.writable ? bind(paths.writable, '') : []),
      // By name alone: what they hold is in no list of processes.
      ...Object.keys(env).flatMap((name) => ['--env', name]),
      ...ports.flatMap((port) => ['--publish', `127.0.0.1:${port}:${port}`]),
      ...flags,
      image,
      ...command,
    ]),
    { env, logPath },
  );
  return {
    child,
    container,
    release: async () => {
      await docker(['rm', '--force', '--volumes', container], { timeoutMs: 30_000 });
    },
  };
}

/** @param {string} path @param {string} mode */
function bind(path, mode) {
  return ['--mount', `type=bind,${csvField(`source=${path}`)},${csvField(`target=${path}`)}${mode}`];
}

/** Docker reads a mount as a line of CSV. @param {string} field */
function csvField(field) {
  return /[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
