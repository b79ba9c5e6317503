import { absenceOf } from './absence.js';
import { LIMITS } from './method.js';

/** @import { GeneratorsResult, Reason } from '../types.d.ts' */

/**
 * Several runners are one generator only where all of them did their part, at the same time. A full one is judged as one
 * generator by itself would be: it makes a bound of the figure, and one that was held to less than a CPU no figure.
 * @param {GeneratorsResult | undefined} generators undefined: one generator did it all
 * @param {number} cpus that each of them may use
 * @returns {Reason[]}
 */
export function generatorsReasons(generators, cpus) {
  if (!generators) return [];
  const { count, startSkewMs, missing, restarted, busiest } = generators;
  const named = (/** @type {number} */ runner) => `runner ${runner} of ${count}`;
  /** @type {Reason[]} */
  const reasons = [];
  for (const { runner, problem } of missing)
    reasons.push({ code: 'runner_missing', measured: `${named(runner)}: ${problem}` });
  for (const runner of restarted) reasons.push({ code: 'runner_restarted', measured: named(runner) });
  if (missing.length === count) return reasons;
  if (startSkewMs === null) reasons.push(absenceOf('start_skew', 'start of the runners'));
  else if (startSkewMs > LIMITS.startSkewMs)
    reasons.push({ code: 'start_skew', measured: startSkewMs, limit: LIMITS.startSkewMs });
  if (busiest === null) reasons.push(absenceOf('runner_saturated', 'CPU of the runners'));
  else if (busiest.cpuRatio > LIMITS.generatorCpuRatio)
    reasons.push({
      code: cpus < 1 ? 'generator_starved' : 'runner_saturated',
      measured: `${busiest.cpuRatio}, ${named(busiest.runner)}`,
      limit: LIMITS.generatorCpuRatio,
    });
  return reasons;
}
