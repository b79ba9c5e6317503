import { fileURLToPath } from 'node:url';
import { docker } from '../../docker/cli.js';
import { tearDownAtEnd } from '../../process/tear-down.js';
import { isAbandoned, ownName } from '../../process/temporary.js';
import { runTool } from '../../process/tool.js';

/** @import { DockerEngine } from '../../docker/answers.js' */

/** Compose's own label; what is started without Compose carries it as well. */
export const PROJECT_LABEL = 'com.docker.compose.project';

const TEAR_DOWN = fileURLToPath(new URL('tear-down.sh', import.meta.url));

/**
 * Everything that a run has in Docker: its name says whose it is, and it is gone when the run ends, however it ends.
 * @typedef {object} Project
 * @property {string} name `ladderbench-<pid of the runner>-<run>`
 * @property {string} network of the systems and the generator
 * @property {DockerEngine} engine
 * @property {Record<string, string>} env variables of the compose files: images and limits
 * @property {() => Promise<void>} close
 */

/**
 * Opens a run's project. At our end its containers, networks and volumes are removed, and those of its sides.
 * @param {DockerEngine} engine
 * @param {string} runId
 * @param {Record<string, string>} env
 * @returns {Project}
 */
export function openProject(engine, runId, env) {
  const name = ownName(runId).toLowerCase();
  const close = tearDownAtEnd([TEAR_DOWN, '--when-told', name]);
  return { name, network: `${name}_bench`, engine, env, close };
}

/** @returns {Promise<string[]>} projects whose runner is gone */
export async function abandonedProjects() {
  const format = `{{.Label "${PROJECT_LABEL}"}}`;
  const labelled = ['--filter', `label=${PROJECT_LABEL}`, '--format', format];
  const listings = await Promise.all(
    ['container ls --all', 'network ls', 'volume ls'].map((list) =>
      docker([...list.split(' '), ...labelled], { timeoutMs: 10_000 }),
    ),
  );
  const names = listings.flatMap((l) => (l.ok ? l.stdout.split('\n') : []));
  return [...new Set(names)].filter(isAbandoned);
}

/** @param {string[]} projects that are gone when this returns */
export async function removeProjects(projects) {
  await runTool([TEAR_DOWN, ...projects], { timeoutMs: 0 });
}
