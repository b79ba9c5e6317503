import { poolOf } from '../../../record/figure.js';
import { ratioOf } from '../../../record/ratio.js';
import { templateBeside } from '../../template.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

const write = templateBeside(import.meta.url);

/**
 * What the live outputs cost the load generator, from pairs with and without them.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, beside }) {
  const of = (/** @type {string} */ step, /** @type {(row: Row) => Figure | null} */ read) => {
    const own = beside.filter((r) => r.role === 'observer' && r.step.id === step);
    // A pool keeps its parts apart by their place: the same operation has the same on both sides.
    return poolOf([...own].sort((a, b) => a.operation.localeCompare(b.operation)).map(read));
  };
  const onOff = (/** @type {(row: Row) => Figure | null} */ read) =>
    ratioOf(of('telemetry-on', read), of('telemetry-off', read));
  const rate = onOff((r) => r.ratePerSec);
  return rate && write(plan, { rate, cpu: onOff((r) => r.generatorCpuUsPerOp) });
}
