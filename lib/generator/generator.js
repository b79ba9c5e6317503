import { dirname } from 'node:path';
import { startChild } from '../process/child.js';
import { cpuLimit } from '../process/cpu-limit.js';
import { pinned } from '../process/placement.js';
import { ownName } from '../process/temporary.js';
import { within } from '../process/within.js';
import { viewContainer } from '../sample/container-view.js';
import { dieWithUs } from '../setup/die-with-us.js';
import { conditionsOf, HOST_NETWORK, startGeneratorContainer } from './in-container.js';
import { k6Command } from './k6.js';

/**
 * @import { Child } from '../process/child.js'
 * @import { Watched } from '../sample/watched.js'
 * @import { K6Call, K6TrialCall } from './k6.js'
 * @import { Project } from '../engines/docker/project.js'
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

/**
 * A container begins without the variables of this process: there is nothing to unset.
 * @param {Record<string, string | undefined>} env
 * @returns {Record<string, string>}
 */
function setOnly(env) {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
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
  let over = false;
  const look = async () => {
    while (!over) {
      const view = await viewContainer(engine.socket, container);
      if (view !== undefined) return view && { containers: [view] };
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return null;
  };
  const found = await within(
    CONTAINER_MS,
    look(),
    child.exited.then(() => null),
  );
  over = true;
  return found ?? null;
}

/**
 * @param {GeneratorCall} call
 * @param {Project} project
 * @returns {Promise<GeneratorProcess>}
 */
async function startInside(call, project) {
  const { plan, runFolder, logPath } = call;
  const { images } = conditionsOf(plan);
  const { k6, stackFolders, ...place } = 'trial' in call ? onHost(call) : inNetwork(call, project);
  const { child, container, release } = await startGeneratorContainer(
    { command: k6.command.slice(1), env: setOnly(k6.env) },
    {
      ...place,
      project,
      image: images.GENERATOR_IMAGE.ref,
      readOnly: [...stackFolders, ...workloadFolders(plan)],
      writable: runFolder,
      logPath,
    },
  );
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
    network: HOST_NETWORK,
    cpus: { held: call.heldTo },
    ports: [],
    stackFolders: call.trial.systems.map((s) => s.stackFolder),
  };
}

/**
 * @param {StepLoad & Place} call
 * @param {Project} project
 */
function inNetwork(call, { network }) {
  const { plan, telemetry, apiPort, stackFolder } = call;
  const influxUrl = telemetry.influxUrl ? (telemetry.networkInfluxUrl ?? null) : null;
  const { generatorCpus } = conditionsOf(plan);
  return {
    k6: k6Command({ ...call, listenHost: '0.0.0.0', telemetry: { ...telemetry, influxUrl } }),
    network,
    cpus: { limit: plan.options.generatorCpus ?? generatorCpus },
    ports: [apiPort, telemetry.dashboardPort].filter((port) => port !== null),
    stackFolders: [stackFolder],
  };
}

/**
 * @param {K6Call['plan']} plan
 * @returns {string[]} of workloads outside the tree
 */
function workloadFolders({ workloads }) {
  return workloads.flatMap(({ file }) => (file ? [dirname(file)] : []));
}
