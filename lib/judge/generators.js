import { LIMITS } from './limits.js';

/**
 * Several runners are one generator only where all of them did their part, at the same time. A full one is judged as one
 * generator by itself would be.
 * @import { GeneratorsResult, UnjudgedRecord } from '../types.d.ts'
 * @import { Found } from './rules.js'
 */

/** @param {GeneratorsResult} generators @param {number} runner */
function nameOf({ count }, runner) {
  return `runner ${runner} of ${count}`;
}

/** @param {Pick<UnjudgedRecord, 'generators'>} record @returns {Found[]} */
export function missingRunners({ generators }) {
  if (!generators) return [];
  return generators.missing.map(({ runner, problem }) => ({
    measured: `${nameOf(generators, runner)}: ${problem}`,
  }));
}

/** @param {Pick<UnjudgedRecord, 'generators'>} record @returns {Found[]} */
export function restartedRunners({ generators }) {
  return generators?.restarted.map((runner) => ({ measured: nameOf(generators, runner) })) ?? [];
}

/** @param {Pick<UnjudgedRecord, 'generators'>} record @returns {GeneratorsResult | null} null: none of several handed anything over */
function severalOf({ generators }) {
  return generators && generators.missing.length < generators.count ? generators : null;
}

/** @param {Pick<UnjudgedRecord, 'generators'>} record @returns {Found[]} */
export function startedApart(record) {
  const several = severalOf(record);
  if (!several) return [];
  const [measured, limit] = [several.startSkewMs, LIMITS.startSkewMs];
  if (measured === null) return [{ absent: 'start of the runners' }];
  return measured > limit ? [{ measured, limit }] : [];
}

/** @param {Pick<UnjudgedRecord, 'generators'>} record @returns {Found[]} */
export function fullRunner(record) {
  const several = severalOf(record);
  if (!several) return [];
  const { busiest } = several;
  const limit = LIMITS.generatorCpuRatio;
  if (busiest === null) return [{ absent: 'CPU of the runners' }];
  const measured = `${busiest.cpuRatio}, ${nameOf(several, busiest.runner)}`;
  return busiest.cpuRatio > limit ? [{ measured, limit }] : [];
}
