import { scalabilityOf } from '../../../figures/capacity.js';
import { NOBODY, sentenceBeside } from '../../template.js';

/**
 * @import { Row } from '../../../figures/rows.js'
 * @import { Interval, Plan } from '../../../types.d.ts'
 */

const sentence = sentenceBeside(import.meta.url, 'scalability.hbs');

/** From here on a law that misses a step by so much describes something else. */
const MISSED = 0.25;

/** @param {Interval} of @param {(value: number) => number} change @returns {Interval} */
function mapped({ estimate, low, high }, change) {
  return { estimate: change(estimate), low: change(low), high: change(high) };
}

/**
 * Where throughput peaks, and what keeps it from growing: the Universal Scalability Law in plain words.
 * @param {Row[]} steps of one system on one ladder
 * @returns {string | null} Markdown, one line; null under six numbers of users
 */
export function scalabilityText(steps) {
  const law = scalabilityOf(steps);
  if (!law) return null;
  const { sigma, kappa, peakUsers, missesBy, mostUsers } = law;
  return sentence(NOBODY, {
    ...{ ...law, title: steps[0].title, unfit: missesBy > MISSED },
    ...{ sigma: mapped(sigma, (v) => v * 100), kappa: mapped(kappa, (v) => v * 1e6) },
    peak: Number.isFinite(peakUsers.estimate) ? mapped(peakUsers, Math.round) : null,
    beyond: peakUsers.estimate > mostUsers,
    missed: Math.max(1, Math.round(missesBy * 100)),
  });
}
