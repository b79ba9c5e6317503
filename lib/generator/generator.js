import { dirname } from 'node:path';
import { runContainer } from '../engines/docker/run-container.js';
import { ROOT } from '../paths.js';
import { startChild } from '../process/child.js';
import { cpuLimit } from '../process/cpu-limit.js';
import { pinned } from '../process/placement.js';
import { ownName } from '../process/temporary.js';
import { firstAnswer } from '../process/within.js';
import { viewContainer } from '../sample/container-view.js';
import { dieWithUs } from '../setup/die-with-us.js';
import { k6Command } from './k6.js';

/**
 * @import { Child } from '../process/child.js'
 * @import { Watched } from '../sample/watched.js'
 * @import { K6Call, K6TrialCall } from './k6.js'
 * @import { Project } from '../engines/docker/project.js'
 * @import { Plan } from '../types.d.ts'
 */

/**
 * A running k6, however it was started.
 * @typedef {object} GeneratorProcess
 * @property {Child} child passes signals on to k6, and ends with its exit code
 * @property {Watched | null} watched its processes; null where this machine's files do not show them
 * @property {string} [container] to be sampled in their place
 * @property {() => Promise<void>} release once it has ended
 */

/** @typedef {{project: Project | null, runFolder: string, logPath: string}} Place `project` null: as a process of this machine */
/** @typedef {Omit<K6Call, 'telemetry'> & {telemetry: K6Call['telemetry'] & {networkInfluxUrl?: string | null}}} StepLoad */
/** @typedef {(StepLoad | K6TrialCall) & Place} GeneratorCall */

/**
 * The only place that starts k6.
 * @param {GeneratorCall} call
 * @returns {Promise<GeneratorProcess>}
 */
export function startGenerator(call) {
  return call.project ? startInside(call, call.project) : startHere(call);
}

/**
 * @param {GeneratorCall} call
 * @returns {Promise<GeneratorProcess>}
 */
async function startHere(call) {
  const { command, env } = k6Command(call);
  const heldTo = 'trial' in call ? call.heldTo : null;
  const { generatorCpus } = call.plan.options;
  const limit = generatorCpus && !heldTo ? cpuLimit(ownName(`generator-${Date.now()}`), generatorCpus) : null;
  const child = await startChild(dieWithUs(heldTo ? pinned(command, heldTo) : command), {
    cwd: dirname(call.logPath),
    env,
    logPath: call.logPath,
  });
  limit?.add(child.pid);
  return { child, watched: { pgids: [child.pid] }, release: async () => limit?.remove() };
}

/** How long an engine may take to start a container whose image is there. */
const CONTAINER_MS = 15_000;
const LOOK_EVERY_MS = 25;

/**
 * @param {Project} project
 * @param {string} container that is being started
 * @param {Child} child
 * @returns {Promise<Watched | null>} once it runs; null where it cannot be seen from here, or ended at once
 */
async function watchedContainer({ engine }, container, child) {
  const seen = await firstAnswer(CONTAINER_MS, LOOK_EVERY_MS, async () => {
    const view = child.running() ? await viewContainer(engine.socket, container) : null;
    return view === undefined ? null : { view };
  });
  return seen?.view ? { containers: [seen.view] } : null;
}

/**
 * In a container. The checkout, the stacks and the run's folder are mounted where they are.
 * @param {GeneratorCall} call
 * @param {Project} project
 * @returns {Promise<GeneratorProcess>}
 */
async function startInside(call, project) {
  const { plan, runFolder, logPath } = call;
  const { images } = /** @type {NonNullable<Plan['docker']>} */ (plan.docker);
  // Of workloads outside the tree.
  const workloadFolders = plan.workloads.flatMap(({ file }) => (file ? [dirname(file)] : []));
  const { k6, network, cpus, ports, stackFolders } =
    'trial' in call ? onHost(call) : inNetwork(call, project);
  const { child, container, release } = await runContainer(k6.command.slice(1), {
    ...{ project, network, ports, logPath },
    role: 'generator',
    image: images.GENERATOR_IMAGE.ref,
    env: k6.env,
    paths: { readOnly: [ROOT, ...stackFolders, ...workloadFolders], writable: runFolder },
    flags: [...cpus, ...['--memory', process.env.GENERATOR_MEMORY ?? '4g'], ...['--ulimit', 'nofile=16384']],
  });
  return { child, container, watched: await watchedContainer(project, container, child), release };
}

/**
 * Of a trial, on the machine's own network: from there the runner, whose orders it takes, is on loopback, and each system
 * has its own address without a published port between.
 * @param {K6TrialCall} call
 */
function onHost(call) {
  return {
    k6: k6Command(call),
    network: 'host',
    cpus: ['--cpuset-cpus', call.heldTo.join(',')],
    ports: [],
    stackFolders: call.trial.systems.map((s) => s.stackFolder),
  };
}

/**
 * In the systems' own network, so that the load passes through no published port.
 * @param {StepLoad & Place} call
 * @param {Project} project
 */
function inNetwork(call, { network }) {
  const { plan, telemetry, apiPort, stackFolder } = call;
  const influxUrl = telemetry.influxUrl ? (telemetry.networkInfluxUrl ?? null) : null;
  return {
    k6: k6Command({ ...call, listenHost: '0.0.0.0', telemetry: { ...telemetry, influxUrl } }),
    network,
    cpus: ['--cpus', String(plan.options.generatorCpus ?? plan.docker?.generatorCpus)],
    ports: [apiPort, telemetry.dashboardPort].filter((port) => port !== null),
    stackFolders: [stackFolder],
  };
}
