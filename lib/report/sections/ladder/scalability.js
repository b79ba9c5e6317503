import { significant } from '../../../format.js';
import { MIN_REPEATS } from '../../../judge/method.js';
import { scalabilityOf } from '../../../record/capacity.js';
import { counted } from '../../words.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Interval } from '../../../types.d.ts'
 * @import { ScalabilityLaw } from '../../../record/capacity.js'
 */

/** From here on a law that misses a step by so much describes something else. */
const MISSED = 0.25;

/**
 * Where throughput peaks, and what keeps it from growing: the Universal Scalability Law in plain words.
 * @param {Row[]} steps of one system on one ladder
 * @returns {string[]} Markdown, one line; none under six numbers of users
 */
export function scalabilityText(steps) {
  const law = scalabilityOf(steps);
  if (!law) return [];
  const { lambda, sigma, kappa, missesBy, trend, clientSteps, repeats } = law;
  const f = (/** @type {Interval} */ v, /** @type {number} */ factor, /** @type {number} */ digits) =>
    intervalText(v, repeats, (x) => significant(x * factor, digits));
  const doubts = [
    ...(trend ? [`a trend: ${repeats} of ${MIN_REPEATS} repeats`] : []),
    ...(clientSteps > 0
      ? [
          `of system and client together: on ${counted(clientSteps, 'step')} the client may have set the figure`,
        ]
      : []),
    ...(missesBy > MISSED
      ? [`the law misses a step by ${Math.round(missesBy * 100)} %, so it does not describe this system well`]
      : [`no step lies more than ${Math.max(1, Math.round(missesBy * 100))} % from the law`]),
  ];
  return [
    `**${steps[0].title}** by the universal scalability law: one user alone ${f(lambda, 1, 3)} op/s; σ = ${f(sigma, 100, 2)} % of the work waits its turn, κ = ${f(kappa, 1e6, 2)} millionths are lost to each pair of users; ${peakText(law)} (${doubts.join('; ')}).`,
  ];
}

/** @param {ScalabilityLaw} law */
function peakText({ peakUsers, peakRate, mostUsers, repeats }) {
  const most = `${significant(peakRate)} op/s`;
  if (!Number.isFinite(peakUsers.estimate))
    return `**no peak in sight**, more users always do a little more, up to ${most}`;
  const users = intervalText(peakUsers, repeats, (x) =>
    Number.isFinite(x) ? significant(Math.round(x)) : 'none',
  );
  return peakUsers.estimate > mostUsers
    ? `throughput would peak at about ${users} users, beyond the ${mostUsers} measured`
    : `**throughput peaks at about ${users} users** with ${most}, and falls beyond`;
}

/**
 * @param {Interval} interval
 * @param {number} repeats one has no interval
 * @param {(value: number) => string} text
 */
function intervalText({ estimate, low, high }, repeats, text) {
  return repeats < 2 ? text(estimate) : `${text(estimate)} (${text(low)} – ${text(high)})`;
}
