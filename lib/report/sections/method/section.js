import { datasetOf, takesTurns } from '../../../../k6/schedule/facts.js';
import { percent, significant } from '../../../format.js';
import { EQUIVALENCE, FULL, LIMITS, MIN_REPEATS } from '../../../judge/method.js';

/**
 * @import { Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * @param {Run} run
 * @returns {Section}
 */
export function section({ plan }) {
  return { title: 'Method', notes: methodOf(plan) };
}

/**
 * @param {Plan} plan
 * @returns {string[]} Markdown list items
 */
function methodOf(plan) {
  const { profile } = plan;
  const repeats = `${plan.repeats} ${plan.repeats === 1 ? 'repeat' : 'repeats'}`;
  const counted = plan.blocks.some((b) => b.cells.some((c) => c.step.operations !== undefined));
  return [
    plan.options.script
      ? 'Closed model: each virtual user begins its next iteration when the last is over. Times are those of k6: an iteration as a whole, an HTTP request from sending to the last byte of its answer.'
      : `Closed model unless a table says otherwise: each virtual user holds one connection and sends its next operation, or pipeline of operations, when the last is answered. Times are service times, from send to answer.`,
    `${plan.options.script ? 'All operations of a step share one window, which begins with the first thing that a user did' : 'Every operation of a step has a window of its own, one after another'}; warm-up (${significant(profile.warmupSec)} s a step) comes before and is not counted. An answer that comes after its window's end is not counted either.`,
    ...(plan.workloads.some(takesTurns)
      ? [
          `Operations that take turns share one window instead: every user performs them in the same order, again and again${pauseText(plan)}. A row called "together" is of all of them.`,
        ]
      : []),
    ...(counted
      ? [
          'Steps by count: all virtual users wait for each other before each operation, share its work, and the window runs from the first send to the last answer. The warm-up performs a tenth as many operations on keys of its own, unless the step says otherwise.',
        ]
      : []),
    plan.options.script
      ? `${repeats}, order interleaved (ABBA from a seeded shuffle, seed ${plan.orderSeed}); what was measured ran before and went on after: no repeat began on fresh state.`
      : `${repeats} on fresh state, one system up at a time, order interleaved (ABBA from a seeded shuffle, seed ${plan.orderSeed}); the same seeded keys for each system.`,
    `Figures are medians of the repeats; intervals are 95 % bootstrap intervals. Percentiles come from one histogram for each window (three significant digits) and are never averaged.`,
    `A winner is named of systems that ran under the same conditions, by valid figures of at least ${MIN_REPEATS} repeats; "ahead" means that the whole interval lies outside ±${EQUIVALENCE * 100} %.`,
    `Who set a throughput is told by what was seen of both sides. The system: its busiest thread wanted ${FULL.system} of a CPU (running, waiting, stolen) and the client's event loop at most ${FULL.loop}. Something that it waited for: nobody was full, and the loop wanted at most ${FULL.waits}. Else the client took part, or it is not known who did: then the figure is printed as "≥" and takes no part in a ranking.`,
    `Gates: Little's law within ${LIMITS.littlesLaw * 100} %, errors ≤ ${percent(profile.thresholds.errorRatio ?? LIMITS.errorRatio)}${plan.options.script ? '' : ', state after load equal to what was acknowledged'}; open model: schedule lag p99 ≤ ${LIMITS.scheduleLagMs} ms, dropped ≤ ${percent(LIMITS.droppedRatio)}.`,
  ];
}

/** @param {Plan} plan */
function pauseText({ profile, workloads }) {
  const pauses = workloads.flatMap((w) => (takesTurns(w) ? [datasetOf(w, profile).thinkMs ?? 0] : []));
  const longest = Math.max(0, ...pauses);
  return longest > 0
    ? `, with a pause of ${significant(longest)} ms after each round and one operation more, so that each kind is as often the first after a pause; each user begins at a moment of its own within the first. The pauses set their throughput`
    : ', without a pause';
}
