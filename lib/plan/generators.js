import { numberOf } from '../args.js';
import { BenchError } from '../errors.js';
import { isLoopback } from './watch.js';

/** @import { GeneratorOptions, Plan } from '../types.d.ts' */

/** As the plan of docs/scale-out.md has been measured for. */
const MOST = 1000;
const PLACES = /** @type {const} */ (['local', 'kubernetes']);
const OF_CLUSTER = /** @type {const} */ (['render-only', 'namespace', 'context']);
const OWN = /** @type {const} */ (['generators', 'on', ...OF_CLUSTER]);
/** CPUs of a pod, unless told otherwise: as much as one event loop of the generator can use. */
const POD_CPUS = 1;

/**
 * `--generators`, `--on` and what goes with them.
 * @param {Record<string, any>} flags
 * @returns {GeneratorOptions | null} null: one generator on this machine, as ever
 * @throws {BenchError} where flags contradict each other
 */
export function generatorOptions(flags) {
  const count = numberOf(flags.generators, 'generators', { min: 1, max: MOST, integer: true });
  const on = PLACES.find((place) => place === (flags.on ?? 'local'));
  if (!on) throw new BenchError(`--on ${flags.on}: use ${PLACES.join(' or ')}`);
  if (on !== 'kubernetes') demandNoCluster(flags);
  if (count === null) {
    if (flags.on === undefined) return null;
    throw new BenchError(`--on ${on} needs --generators N: how many share the load`);
  }
  if (on === 'kubernetes') return onKubernetes(count, flags);
  if (flags['generator-cpus'] !== undefined)
    throw new BenchError('--generator-cpus holds one generator, and --generators asks for several', {
      hint: 'leave out one of them',
    });
  return count === 1 ? null : { count, on };
}

/**
 * @param {number} count
 * @param {Record<string, any>} flags
 * @returns {GeneratorOptions}
 */
function onKubernetes(count, flags) {
  const { namespace, context } = flags;
  if (flags.out !== undefined)
    throw new BenchError('--out is for generators of this machine, and --on kubernetes has none there', {
      hint: 'leave out one of them',
    });
  if (namespace !== undefined && !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
    throw new BenchError(`--namespace ${namespace}: use up to 63 small letters, digits and "-"`);
  const cpus = numberOf(flags['generator-cpus'], 'generator-cpus', { min: 0.1, max: 256 }) ?? POD_CPUS;
  return {
    ...{ count, on: /** @type {const} */ ('kubernetes'), cpus },
    ...(namespace === undefined ? {} : { namespace }),
    ...(context === undefined ? {} : { context }),
  };
}

/** @param {Record<string, any>} flags */
function demandNoCluster(flags) {
  const flag = OF_CLUSTER.find((name) => flags[name] !== undefined);
  if (flag) throw new BenchError(`--${flag} needs --on kubernetes`);
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
 * @param {Record<string, any>} flags
 * @throws {BenchError} where they ask for something else
 */
export function demandSameGenerators({ options }, flags) {
  if (OWN.every((name) => flags[name] === undefined)) return;
  const asked = generatorOptions(flags);
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
