import { ratioWithInterval } from '../../../format.js';
import { poolOf } from '../../../record/figure.js';
import { ratioOf } from '../../../record/ratio.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What the live outputs cost the generator, from pairs with and without them.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ beside }) {
  const of = (/** @type {string} */ step, /** @type {(row: Row) => Figure | null} */ read) => {
    const own = beside.filter((r) => r.role === 'observer' && r.step.id === step);
    // A pool keeps its parts apart by their place: the same operation has the same on both sides.
    return poolOf([...own].sort((a, b) => a.operation.localeCompare(b.operation)).map(read));
  };
  const onOff = (/** @type {(row: Row) => Figure | null} */ read) =>
    ratioOf(of('telemetry-on', read), of('telemetry-off', read));
  const rate = onOff((r) => r.ratePerSec);
  if (!rate) return null;
  return {
    title: 'What the live view costs',
    intro: [
      `The same load against the responder that does nothing, with and without the live outputs, in turns: throughput with / without ${ratioWithInterval(rate)}, CPU of the generator per operation with / without ${ratioWithInterval(onOff((r) => r.generatorCpuUsPerOp))} (95 % CI, ${rate.pairs} pairs).`,
    ],
  };
}
