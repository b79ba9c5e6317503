import { jsonOf, runTool, which } from '../process/tool.js';
import { composeCandidates, docker } from './cli.js';

/** Compose before it includes no two files that say the same of their network. */
const OLDEST_COMPOSE = [2, 23];

/** How long a question to an engine may take before it counts as not answered. */
const PATIENCE_MS = 5000;

/**
 * @typedef {object} DockerEngine
 * @property {string} version of the engine
 * @property {string[]} compose how Compose is called
 * @property {string} composeVersion
 * @property {string} socket path of the engine's API
 * @property {string} dataFolder where the engine keeps its images
 * @property {string} cgroup version of the control groups: `1` or `2`
 * @property {string} storage driver of its images
 * @property {string | null} containerd socket of what keeps its containers; null where the engine does not say
 * @property {number} cpus
 * @property {string} kernel release of the one that its containers run on
 * @property {boolean} rootless
 * @property {boolean} cpuset whether it can hold containers to CPUs
 */

/**
 * Whether a Docker engine of this machine and a Compose that can include files answer. Changes nothing.
 * @returns {Promise<{engine: DockerEngine} | {problem: string, hint: string}>}
 */
export async function askDocker() {
  if (which('docker') === null) return { problem: 'docker is not on PATH', hint: 'install Docker' };
  const info = await askEngine();
  if (!info) {
    return {
      problem: 'no Docker engine answers',
      hint: 'start Docker, or, on Debian: scripts/docker-engine.sh start',
    };
  }
  const problem = unfit(info);
  if (problem)
    return { problem, hint: 'take another engine (DOCKER_HOST=…), or measure with --engine native' };
  const socket = await socketPath();
  if (!socket) {
    return {
      problem: 'the Docker engine is on another machine',
      hint: 'run ladderbench on that machine: it mounts files and reads samples locally',
    };
  }
  const found = await findCompose();
  if (!found.compose) return { problem: found.problem, hint: composeHint() };
  return {
    engine: {
      version: info.ServerVersion,
      compose: found.compose,
      composeVersion: found.version,
      socket,
      dataFolder: info.DockerRootDir,
      cgroup: info.CgroupVersion ?? '1',
      storage: info.Driver,
      containerd: info.Containerd?.Address ?? null,
      cpus: info.NCPU,
      kernel: info.KernelVersion,
      rootless: (info.SecurityOptions ?? []).some((/** @type {string} */ o) => o.includes('name=rootless')),
      cpuset: info.CPUSet === true,
    },
  };
}

/** @returns {Promise<any>} what the engine says of itself, or null */
async function askEngine() {
  const parts = '{{range .Server.Components}}{{.Name}}, {{end}}';
  const version = await docker(['version', '--format', parts], { timeoutMs: PATIENCE_MS });
  if (!version.ok) return null;
  const info = jsonOf(await docker(['info', '--format', '{{json .}}'], { timeoutMs: PATIENCE_MS }));
  return info && { ...info, parts: version.stdout };
}

/**
 * @param {any} info of {@link askEngine}
 * @returns {string | null} why nothing can be measured on this engine
 */
function unfit({ parts, CgroupDriver }) {
  if (parts.includes('Podman'))
    return 'the engine is Podman: its health checks wait for systemd, and no system has run on it';
  // A rootless engine on control groups of version 1 has none.
  if (CgroupDriver === 'none')
    return 'the engine has no control groups, so containers can be neither limited nor measured (rootless Docker needs version 2 of them, handed on by systemd)';
  return null;
}

/** @returns {Promise<string | null>} null where the engine is not reached through a local socket */
async function socketPath() {
  const said =
    process.env.DOCKER_HOST ||
    (await docker(['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'])).stdout.trim();
  return said.startsWith('unix://') ? said.slice('unix://'.length) : null;
}

/** @returns {Promise<{compose: string[], version: string} | {compose: null, problem: string}>} */
async function findCompose() {
  let problem = 'Docker Compose 2 is missing';
  for (const command of composeCandidates()) {
    const said = await runTool([...command, 'version', '--short'], { timeoutMs: PATIENCE_MS });
    if (!said.ok) continue;
    const version = said.stdout.trim().replace(/^v/, '');
    if (recentEnough(version)) return { compose: command, version };
    problem = `Docker Compose ${version} is too old: ${OLDEST_COMPOSE.join('.')} or later is needed`;
  }
  return { compose: null, problem };
}

/**
 * @param {string} version for example `2.26.1-4`
 * @returns {boolean}
 */
export function recentEnough(version) {
  const [major, minor] = version.split('.').map((part) => Number.parseInt(part, 10));
  const [needMajor, needMinor] = OLDEST_COMPOSE;
  return major > needMajor || (major === needMajor && minor >= needMinor);
}

/** @returns {string} */
function composeHint() {
  const least = OLDEST_COMPOSE.join('.');
  const plugin = `install the Docker Compose plugin ${least} or later (https://docs.docker.com/compose/install)`;
  return which('apt-get') ? `${plugin}, or: scripts/docker-engine.sh compose` : plugin;
}
