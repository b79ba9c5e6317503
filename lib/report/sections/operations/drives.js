import { compareFigures } from '../../../figures/compare.js';
import { sumOf } from '../../../figures/figure.js';
import { groupBy } from '../../../group-by.js';

/**
 * @import { Plan, Step } from '../../../types.d.ts'
 * @import { Figure } from '../../../figures/figure.js'
 * @import { Row } from '../../../figures/rows.js'
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
