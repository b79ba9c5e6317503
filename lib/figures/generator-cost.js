import { groupBy } from '../group-by.js';
import { compareFigures } from './compare.js';
import { poolOf, sumOf } from './figure.js';

/**
 * @import { Comparison, Plan, Step } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 * @import { Row } from './rows.js'
 */

/**
 * What the generator itself costs: the same users, once as bursts and once as k6's own iterations, on the same system
 * in the same run. The sum of all operations that share a window, from the repeats in which both are valid.
 * @param {Plan} plan
 * @param {Row[]} own rows of one workload and transport
 * @returns none where no step has a twin with the other drive
 */
export function drivesOf({ profile }, own) {
  const closed = own.filter((r) => r.step.model === 'closed');
  return groupBy(closed, (r) => `${r.system}\n${shapeOf(r.step)}`).flatMap((alike) => {
    const [burst, iteration] = ['burst', 'iteration'].map((drive) =>
      alike.filter(({ step }) => (step.drive ?? profile.drive) === drive),
    );
    if (burst.length === 0 || iteration.length === 0) return [];
    const [bursts, iterations] = [rateOf(burst, iteration), rateOf(iteration, burst)];
    const ratio = compareFigures(bursts, iterations, { metric: 'throughput' });
    return [{ row: burst[0], burst: bursts, iteration: iterations, ratio }];
  });
}

/** @param {Row[]} rows @param {Row[]} twins @returns {Figure | null} of all operations that both have */
function rateOf(rows, twins) {
  const shared = rows.filter((r) => twins.some(({ operation }) => operation === r.operation));
  return sumOf(shared.map((r) => r.ratePerSec));
}

/** @param {Step} step @returns {string} all of it but how it is driven */
function shapeOf({ id, drive, ...shape }) {
  return JSON.stringify(Object.entries({ depth: 1, ...shape }).sort());
}

/**
 * @param {Row[]} beside of what was measured beside the systems
 * @returns {{rate: Comparison, cpu: Comparison | null} | null} what the live outputs cost the generator, from pairs with and
 *   without them
 */
export function liveCostOf(beside) {
  // A pool keeps its parts apart by their place: the same operation has the same on both sides.
  const own = beside
    .filter((r) => r.role === 'observer')
    .sort((a, b) => a.operation.localeCompare(b.operation));
  const of = (/** @type {string} */ step, /** @type {'ratePerSec' | 'generatorCpuUsPerOp'} */ key) =>
    poolOf(own.filter((r) => r.step.id === `telemetry-${step}`).map((r) => r[key]));
  const rate = compareFigures(of('on', 'ratePerSec'), of('off', 'ratePerSec'), { metric: 'throughput' });
  const [on, off] = ['on', 'off'].map((step) => of(step, 'generatorCpuUsPerOp'));
  return rate && { rate, cpu: compareFigures(on, off, { metric: 'cpu' }) };
}
