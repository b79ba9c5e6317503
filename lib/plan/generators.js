import { numberOf } from '../args.js';
import { BenchError } from '../errors.js';

/** @import { GeneratorOptions, Plan } from '../types.d.ts' */

/** As the plan of docs/scale-out.md has been measured for. */
const MOST = 1000;
const PLACES = /** @type {const} */ (['local']);

/**
 * `--generators`, `--on` and what goes with them.
 * @param {Record<string, any>} flags
 * @returns {GeneratorOptions | null} null: one generator, as ever
 * @throws {BenchError} where flags contradict each other
 */
export function generatorOptions(flags) {
  const count = numberOf(flags.generators, 'generators', { min: 1, max: MOST, integer: true });
  const on = PLACES.find((place) => place === (flags.on ?? 'local'));
  if (!on) throw new BenchError(`--on ${flags.on}: use ${PLACES.join(' or ')}`);
  if (count === null) {
    if (flags.on === undefined) return null;
    throw new BenchError(`--on ${on} needs --generators N: how many share the load`);
  }
  if (flags['generator-cpus'] !== undefined)
    throw new BenchError('--generator-cpus holds one generator, and --generators asks for several', {
      hint: 'leave out one of them',
    });
  return count === 1 ? null : { count, on };
}

/**
 * Another number of generators is another client: a run goes on with as many as it began with.
 * @param {Pick<Plan, 'options'>} plan of the run that goes on
 * @param {Record<string, any>} flags
 * @throws {BenchError} where they ask for something else
 */
export function demandSameGenerators({ options }, flags) {
  if (flags.generators === undefined && flags.on === undefined) return;
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
