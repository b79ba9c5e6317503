import { groupBy } from '../../../group-by.js';
import { compareFigures } from '../../../record/compare.js';
import { sumOf } from '../../../record/figure.js';

/**
 * @import { Plan, Step } from '../../../types.d.ts'
 * @import { Row } from '../../../record/figures.js'
 */

/**
 * What the generator itself costs: the same users, once as bursts and once as k6's own iterations, on the same system
 * in the same run. The sum of all operations that share a window, from the repeats in which both are valid.
 * @param {Plan} plan
 * @param {Row[]} own rows of one workload and transport
 * @returns {ReturnType<typeof twinOf>[]} none where no step has a twin with the other drive
 */
export function drivesOf(plan, own) {
  const closed = own.filter((r) => r.step.model === 'closed');
  const twins = groupBy(closed, (r) => `${r.system}\n${shapeOf(r.step)}`).flatMap((alike) => {
    const burst = alike.filter((r) => driveOf(plan, r.step) === 'burst');
    const iteration = alike.filter((r) => driveOf(plan, r.step) === 'iteration');
    return burst.length === 0 || iteration.length === 0 ? [] : [twinOf(burst, iteration)];
  });
  return twins;
}

/**
 * @param {Row[]} burst rows of one step, an operation each
 * @param {Row[]} iteration rows of its twin
 */
function twinOf(burst, iteration) {
  const shared = burst.filter((r) => iteration.some((other) => other.operation === r.operation));
  const rateOf = (/** @type {Row[]} */ rows) =>
    sumOf(
      rows.filter((r) => shared.some((other) => other.operation === r.operation)).map((r) => r.ratePerSec),
    );
  const [bursts, iterations] = [rateOf(burst), rateOf(iteration)];
  const ratio = compareFigures(bursts, iterations, { metric: 'throughput' });
  const doubts = ratio?.why.map(({ code }) => code) ?? [];
  return { row: burst[0], burst: bursts, iteration: iterations, ratio, doubts };
}

/**
 * @param {Plan} plan
 * @param {Step} step
 */
function driveOf(plan, step) {
  return step.drive ?? plan.profile.drive;
}

/**
 * @param {Step} step
 * @returns {string} all of it but how it is driven
 */
function shapeOf(step) {
  const { id, drive, ...shape } = step;
  return JSON.stringify(
    Object.entries({ ...shape, depth: step.depth ?? 1 }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
