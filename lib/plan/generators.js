import { numberOf } from '../args.js';
import { BenchError } from '../errors.js';

/** @import { GeneratorOptions } from '../types.d.ts' */

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
