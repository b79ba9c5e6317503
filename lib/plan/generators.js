import { BenchError } from '../errors.js';
import { demandWithin } from '../options.js';
import { isLoopback } from './watch.js';

/** @import { GeneratorOptions, Plan } from '../types.d.ts' */

/** What is asked for. @typedef {Pick<import('../options.js').Options, 'generators' | 'on' | 'generatorCpus' | 'out' | 'renderOnly' | 'namespace' | 'context'>} Wish */

/** CPUs of a pod, unless told otherwise: as much as one event loop of the generator can use. */
const POD_CPUS = 1;

/**
 * `--generators`, `--on` and what goes with them.
 * @param {Wish} wish
 * @returns {GeneratorOptions | null} null: one generator on this machine, as ever
 * @throws {BenchError} where flags contradict each other
 */
export function generatorOptions(wish) {
  const { generators: count, on, generatorCpus } = wish;
  if (on !== 'kubernetes') demandNoCluster(wish);
  if (count === null) {
    if (on === null) return null;
    throw new BenchError(`--on ${on} needs --generators N: how many share the load`);
  }
  if (on === 'kubernetes') return onKubernetes(count, wish);
  if (generatorCpus !== null)
    throw new BenchError('--generator-cpus holds one generator, and --generators asks for several', {
      hint: 'leave out one of them',
    });
  return count === 1 ? null : { count, on: 'local' };
}

/**
 * @param {number} count
 * @param {Wish} wish
 * @returns {GeneratorOptions}
 */
function onKubernetes(count, { namespace, context, out, generatorCpus }) {
  if (out.length > 0)
    throw new BenchError('--out is for generators of this machine, and --on kubernetes has none there', {
      hint: 'leave out one of them',
    });
  if (namespace !== null && !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
    throw new BenchError(`--namespace ${namespace}: use up to 63 small letters, digits and "-"`);
  const cpus = generatorCpus ?? POD_CPUS;
  demandWithin(cpus, 'generator-cpus', { min: 0.1, max: 256 });
  return {
    ...{ count, on: /** @type {const} */ ('kubernetes'), cpus },
    ...(namespace === null ? {} : { namespace }),
    ...(context === null ? {} : { context }),
  };
}

/** @param {Wish} wish */
function demandNoCluster({ renderOnly, namespace, context }) {
  const odd = Object.entries({ 'render-only': renderOnly, namespace, context }).find(([, value]) => value);
  if (odd) throw new BenchError(`--${odd[0]} needs --on kubernetes`);
}

/**
 * The loopback of a pod is its own.
 * @param {Pick<Plan, 'systems'>} plan
 * @throws {BenchError} naming a system that they would not reach
 */
export function demandReachableByPods({ systems }) {
  for (const { id, endpoint } of systems)
    if (endpoint && isLoopback(endpoint))
      throw new BenchError(`--endpoint ${id}=${endpoint}: in a pod, that is the pod itself`, {
        hint: 'give an address that the pods reach, such as scheme://service.namespace.svc:port',
      });
}

/**
 * Another number of generators is another client: a run goes on with as many as it began with.
 * @param {Pick<Plan, 'options'>} plan of the run that goes on
 * @param {Wish} wish
 * @throws {BenchError} where they ask for something else
 */
export function demandSameGenerators({ options }, wish) {
  const { generators, on, namespace, context } = wish;
  if ([generators, on, namespace, context].every((value) => value === null) && !wish.renderOnly) return;
  const asked = generatorOptions(wish);
  const own = options.generators ?? null;
  if (asked?.count === own?.count && asked?.on === own?.on) return;
  throw new BenchError(`the run began with ${shown(own)}, and it would go on with ${shown(asked)}`, {
    hint: 'leave out --generators and --on: --resume goes on as the run began',
  });
}

/** @param {GeneratorOptions | null} generators */
function shown(generators) {
  return generators ? `${generators.count} generators (--on ${generators.on})` : 'one generator';
}
