import { join } from 'node:path';
import { portVariable, settingVariables } from '../../config/settings.js';
import { callEngine, inspectContainer } from '../../docker/api.js';
import { compose, docker } from '../../docker/cli.js';
import { letContainersRead } from '../../docker/readable.js';
import { BenchError, EXIT } from '../../errors.js';
import { lastLine, versionTold } from '../../process/tool.js';
import { viewContainer } from '../../sample/container-view.js';
import { askServer } from '../ask.js';
import { runHook } from '../hooks.js';

/**
 * @import { ContainerFacts, DockerRecipe, Stack } from '../../types.d.ts'
 * @import { ContainerView } from '../../sample/container-view.js'
 * @import { Place } from '../index.js'
 * @import { Instance } from '../native.js'
 * @import { Project } from './project.js'
 */

/** How long Compose may take to create and remove containers, beside the system's own time to get ready. */
const COMPOSE_MS = 60_000;

/**
 * Starts a system's containers on fresh volumes, in the run's project and network; as one of several systems, in a
 * project and a network of its own, held to its CPUs.
 * @param {Stack} stack
 * @param {{project: Project, transport: string, port?: number, signal: AbortSignal, place?: Place}} options
 *   `port`: on loopback, fixed by the user; the load does not pass through it
 * @returns {Promise<Instance>}
 * @throws {BenchError} ended at once, not ready in time: with its last log lines
 */
export async function startContainers(stack, { project, transport, port, signal, place }) {
  const { docker: recipe, ready } = stack.manifest;
  if (!recipe) throw new BenchError(`${stack.id} has no docker recipe`, { exitCode: EXIT.systemFailed });
  letContainersRead(join(stack.folder, 'compose.yml'));
  const where = composeCall(stack, recipe, { project, transport, port, place });
  const call = (/** @type {string[]} */ args) => compose(project.engine.compose, where, args);
  // Its data goes with it: there is nothing to end gracefully for.
  const down = () => call(['down', '--volumes', '--timeout', '0']);
  const logTail = async () => {
    const { stdout } = await call(['logs', '--no-color', '--tail', '10']);
    const lines = stdout.split('\n').filter((l) => l.trim() !== '');
    return lines.slice(-10);
  };
  const fail = async (/** @type {string} */ what) => {
    const detail = await logTail();
    await down();
    return new BenchError(`${stack.id} ${what}`, { exitCode: EXIT.systemFailed, detail });
  };

  const up = await call(['up', '--detach', '--pull', 'never']);
  if (!up.ok) throw await fail(`did not start: ${lastLine(up.stderr)}`);
  const { services, volumes = {} } = JSON.parse((await call(['config', '--format', 'json'])).stdout);
  const idsOf = async (/** @type {string[]} */ names) =>
    (await call(['ps', '--all', '--quiet', ...names])).stdout.split('\n').filter(Boolean);
  // Services of the live view share the project: only those of the stack's own file are the system.
  const ids = await idsOf(Object.keys(services));
  const [main] = await idsOf([recipe.service]);
  const check = healthCheck(services[recipe.service]);
  const last = await untilHealthy(check, main, ready.timeoutSec, signal);
  if (signal.aborted) throw await fail('was interrupted while starting');
  if (last !== null) throw await fail(`did not become ready in ${ready.timeoutSec} s (${last})`);

  const address = await call(['port', recipe.service, String(recipe.port)]);
  const published = address.stdout.trim().split(':').pop() ?? '';
  const hostUrl = fillUrl(stack, { host: '127.0.0.1', port: published, transport });
  const values = {
    ...project.env,
    ...recipe.env,
    BASE_URL: hostUrl,
    COMPOSE_PROJECT_NAME: where.project,
  };
  await runHook(stack, 'docker', values).catch(async (error) => {
    await down();
    throw error;
  });

  const stated = await askServer(stack, { host: '127.0.0.1', port: Number(published) });
  const { socket } = project.engine;
  const before = await containersNow(socket, ids);
  const watch = watchDeaths(socket, ids);
  const { NetworkSettings, HostConfig } = await inspectContainer(socket, main);
  const [link] = /** @type {any[]} */ (Object.values(NetworkSettings.Networks));
  // Without a published port its own address reaches it from this machine: a name would be that of its copy, too.
  const host = place ? link.IPAddress : recipe.service;
  const version = recipe.version
    ? versionTold(await docker(['exec', main, ...recipe.version], { timeoutMs: 10_000 }))
    : null;
  return {
    url: fillUrl(stack, { host, port: String(recipe.port), transport }),
    hostUrl,
    pgid: null,
    containers: { socket, ids, views: await viewsOf(socket, ids) },
    limits: { cpus: HostConfig.NanoCpus / 1e9 || null, memoryBytes: HostConfig.Memory || null },
    version: version ?? stated.version,
    stated,
    running: () => !watch.dead(),
    died: watch.died,
    logTail,
    identity: () => containersNow(socket, ids).catch(() => before.map((c) => ({ ...c, startedAt: 'gone' }))),
    freeze: () => onAll(socket, ids, 'pause'),
    thaw: () => onAll(socket, ids, 'unpause'),
    diskBytes: () => volumeBytes(socket, where.project, Object.keys(volumes)),
    stop: async () => {
      watch.stop();
      await down();
    },
  };
}

/**
 * @param {Stack} stack
 * @param {DockerRecipe} recipe
 * @param {Pick<Parameters<typeof startContainers>[1], 'project' | 'transport' | 'port' | 'place'>} options
 */
function composeCall(stack, recipe, { project, transport, port, place }) {
  return {
    // One of several systems that are up at once has a project of its own, with a network of its own: two copies of one
    // system have one name. It is torn down with the run's.
    project: place ? `${project.name}-side-${place.name}` : project.name,
    file: join(stack.folder, 'compose.yml'),
    profile: '*',
    timeoutMs: COMPOSE_MS + stack.manifest.ready.timeoutSec * 1000,
    env: {
      ...project.env,
      ...(recipe.settings === false ? {} : settingVariables(stack.manifest)),
      ...recipe.env,
      ...(place ? { SYSTEM_CPUSET: place.cpus.join(',') } : {}),
      SYSTEM_TRANSPORT: transport,
      // A check costs the system's container about 18 ms of CPU: it is asked until it is answered, not each second.
      SYSTEM_HEALTH_OFF: 'true',
      // Any free port of loopback.
      [portVariable(recipe)]: String(port ?? 0),
    },
  };
}

/**
 * @param {string} socket
 * @param {string[]} ids
 * @param {'pause' | 'unpause'} action the engine's words for all processes of a container, at once
 * @returns {Promise<void>}
 */
async function onAll(socket, ids, action) {
  for (const id of ids)
    await callEngine(socket, `/containers/${id}/${action}`, { method: 'POST', timeoutMs: 5000 });
}

/**
 * @param {string} socket
 * @param {string[]} ids
 * @returns {Promise<ContainerView[] | null>} null unless all of them can be seen
 */
async function viewsOf(socket, ids) {
  const views = await Promise.all(ids.map((id) => viewContainer(socket, id)));
  const seen = views.filter((view) => view !== null && view !== undefined);
  return seen.length === views.length ? seen : null;
}

/**
 * @param {Stack} stack
 * @param {{host: string, port: string, transport: string}} values
 */
function fillUrl({ manifest }, values) {
  return manifest.endpoint.url.replace(
    /\{(host|port|transport)\}/g,
    (_, name) => values[/** @type {keyof typeof values} */ (name)],
  );
}

/**
 * @param {{healthcheck?: {test?: string[]}}} service as Compose reads it
 * @returns {string[]} the command of its health check
 */
function healthCheck({ healthcheck }) {
  // Compose prints a dollar that it would not interpolate as two.
  const words = (healthcheck?.test ?? []).map((word) => word.replaceAll('$$', '$'));
  return words[0] === 'CMD-SHELL' ? ['/bin/sh', '-c', words[1]] : words.slice(1);
}

/**
 * @param {string[]} check
 * @param {string} container
 * @param {number} withinSec
 * @param {AbortSignal} signal
 * @returns {Promise<string | null>} null when it answered as it must; else what it said last
 */
async function untilHealthy(check, container, withinSec, signal) {
  if (check.length === 0) return 'the compose file has no health check for it';
  const until = Date.now() + withinSec * 1000;
  let last = 'no answer yet';
  while (Date.now() < until && !signal.aborted) {
    const { ok, stdout, stderr } = await docker(['exec', container, ...check], { timeoutMs: 10_000 });
    if (ok) return null;
    last = lastLine(stderr || stdout) || last;
    if (last.includes('is not running')) return 'it ended';
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return last;
}

/**
 * @param {string} socket
 * @param {string[]} ids
 * @returns {Promise<ContainerFacts[]>}
 */
async function containersNow(socket, ids) {
  return Promise.all(
    ids.map(async (id) => {
      const c = await inspectContainer(socket, id);
      return {
        name: c?.Name.replace(/^\//, '') ?? '',
        id: id.slice(0, 12),
        image: c?.Image ?? '',
        startedAt: c?.State.StartedAt ?? 'gone',
      };
    }),
  );
}

/**
 * Resolves when one of the containers ends, whatever ended it.
 * @param {string} socket
 * @param {string[]} ids
 */
function watchDeaths(socket, ids) {
  const controller = new AbortController();
  let dead = false;
  const call = { method: 'POST', signal: controller.signal };
  const waits = ids.map((id) => callEngine(socket, `/containers/${id}/wait`, call));
  const died = Promise.any(waits).then(
    () => {
      dead = true;
    },
    // An engine that cannot be asked, or is asked no longer, has told of no end.
    () => /** @type {Promise<void>} */ (new Promise(() => {})),
  );
  return { died, dead: () => dead, stop: () => controller.abort() };
}

/**
 * What a system's named volumes hold. The engine walks them for each question.
 * @param {string} socket
 * @param {string} project
 * @param {string[]} volumes their names in the compose file
 * @returns {Promise<number | null>} bytes; null where the engine does not say
 */
async function volumeBytes(socket, project, volumes) {
  const answer = await callEngine(socket, '/system/df?type=volume', { timeoutMs: 10_000 });
  const own = (answer?.Volumes ?? []).filter(
    (/** @type {any} */ v) =>
      v.Labels?.['com.docker.compose.project'] === project &&
      volumes.includes(v.Labels['com.docker.compose.volume']),
  );
  const sizes = own.map((/** @type {any} */ v) => v.UsageData?.Size ?? -1);
  if (sizes.length === 0 || sizes.some((/** @type {number} */ size) => size < 0)) return null;
  return sizes.reduce((/** @type {number} */ sum, /** @type {number} */ size) => sum + size, 0);
}
