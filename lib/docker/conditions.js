import { availableParallelism } from 'node:os';
import { BenchError } from '../errors.js';
import { askDocker } from './answers.js';
import { inspectImage } from './cli.js';

/**
 * @import { DockerConditions, UsedImage } from '../types.d.ts'
 * @import { DockerEngine } from './answers.js'
 */

/** Of each system, unless SYSTEM_MEMORY says otherwise: the default of the compose files. */
const SYSTEM_MEMORY = '2g';

/**
 * What every cell of a run in containers has in common. Systems and generator get half of the CPUs each, unless
 * SYSTEM_CPUS or GENERATOR_CPUS say otherwise: neither can take the other's.
 * @param {DockerEngine} engine
 * @param {Record<string, UsedImage>} images
 * @returns {DockerConditions}
 */
export function dockerConditions(engine, images) {
  const half = Math.max(1, Math.floor(Math.min(engine.cpus, availableParallelism()) / 2));
  return {
    engine: engine.version,
    compose: engine.composeVersion,
    cgroup: `v${engine.cgroup}`,
    storage: engine.storage,
    systemCpus: Number(process.env.SYSTEM_CPUS ?? half),
    systemMemory: process.env.SYSTEM_MEMORY ?? SYSTEM_MEMORY,
    generatorCpus: Number(process.env.GENERATOR_CPUS ?? half),
    images,
  };
}

/**
 * @param {DockerConditions} conditions
 * @param {DockerEngine} engine
 * @returns {Record<string, string>} the variables of the compose files that make them so
 */
export function composeVariables(conditions, engine) {
  const refs = Object.entries(conditions.images).map(([variable, image]) => [variable, image.ref]);
  return {
    ...Object.fromEntries(refs),
    SYSTEM_CPUS: String(conditions.systemCpus),
    SYSTEM_MEMORY: conditions.systemMemory,
    GENERATOR_CPUS: String(conditions.generatorCpus),
    DOCKER_SOCKET: engine.socket,
    DOCKER_DATA: engine.dataFolder,
    ...(engine.containerd ? { CONTAINERD_SOCKET: engine.containerd } : {}),
  };
}

/**
 * A run is resumed on the images that it was begun on, or not at all.
 * @param {DockerConditions} conditions
 * @param {string} run for the message
 * @returns {Promise<DockerEngine>}
 * @throws {BenchError}
 */
export async function demandSameImages({ images }, run) {
  const answer = await askDocker();
  if ('problem' in answer)
    throw new BenchError(`${run} needs Docker: ${answer.problem}`, { hint: answer.hint });
  for (const { ref, id } of Object.values(images)) {
    if ((await inspectImage(ref)) === id) continue;
    throw new BenchError(`${run} was measured on another image of ${ref}, or it is gone`, {
      hint: 'start a new run: a run never mixes two images of one system',
    });
  }
  return answer.engine;
}
