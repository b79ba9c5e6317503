import { MISSING, ratioWithInterval } from '../../../format.js';
import { pairedRatio } from '../../../stats/summary.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What the live outputs cost the generator, from pairs with and without them.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, records }) {
  const own = records.filter((r) => r.role === 'observer' && r.status === 'ok');
  const pairs = own
    .filter((r) => r.step.id === 'telemetry-on')
    .flatMap((on) => {
      const off = own.find((r) => r.step.id === 'telemetry-off' && r.repeat === on.repeat);
      return off
        ? Object.keys(on.operations).map((op) => ({ on: on.operations[op], off: off.operations[op] }))
        : [];
    });
  const ratioOf = (/** @type {'ratePerSec' | 'generatorCpuUsPerOp'} */ key) => {
    const usable = pairs.flatMap(({ on, off }) =>
      on[key] && off?.[key] ? [{ a: on[key], b: off[key] }] : [],
    );
    return usable.length > 0 ? ratioWithInterval(pairedRatio(usable, plan.profile.seed)) : MISSING;
  };
  if (pairs.length === 0) return null;
  return {
    title: 'What the live view costs',
    intro: [
      `The same load against the responder that does nothing, with and without the live outputs, in turns: throughput with / without ${ratioOf('ratePerSec')}, CPU of the generator per operation with / without ${ratioOf('generatorCpuUsPerOp')} (95 % CI, ${pairs.length} pairs).`,
    ],
  };
}
