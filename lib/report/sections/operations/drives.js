import { figureText, ratioWithInterval } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { sumOf } from '../../../record/figure.js';
import { ratioOf } from '../../../record/ratio.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { codesText } from '../../words.js';

/**
 * @import { Plan, Step } from '../../../types.d.ts'
 * @import { Row } from '../../../record/figures.js'
 * @import { Ratio } from '../../../record/ratio.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What the generator itself costs: the same users, once as bursts and once as k6's own iterations, on the same system
 * in the same run. The sum of all operations that share a window, from the repeats in which both are valid.
 * @param {Plan} plan
 * @param {Row[]} own rows of one workload and transport
 * @returns {Section | null} null where no step has a twin with the other drive
 */
export function drivesPart(plan, own) {
  const closed = own.filter((r) => r.step.model === 'closed');
  const twins = groupBy(closed, (r) => `${r.system}\n${shapeOf(r.step)}`).flatMap((alike) => {
    const burst = alike.filter((r) => driveOf(plan, r.step) === 'burst');
    const iteration = alike.filter((r) => driveOf(plan, r.step) === 'iteration');
    return burst.length === 0 || iteration.length === 0 ? [] : [twinOf(burst, iteration)];
  });
  if (twins.length === 0) return null;
  return {
    title: "What the generator's own iterations cost",
    intro: [
      "The same users on the same system, once as bursts and once as k6's own iterations in JavaScript; all operations of a window together, from the repeats in which both are valid.",
    ],
    tables: [
      table(twins, [
        left('system', ({ row }) => row.title),
        left('step', ({ row }) => stepText(plan, row.step.id)),
        right('bursts, op/s', ({ burst }) => figureText(burst)),
        right('iterations, op/s', ({ iteration }) => figureText(iteration)),
        right('ratio (95 % CI)', ({ burst, iteration }) => ratioText(ratioOf(burst, iteration))),
      ]),
    ],
  };
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
  return { row: burst[0], burst: rateOf(burst), iteration: rateOf(iteration) };
}

/** @param {Ratio | null} ratio */
function ratioText(ratio) {
  if (!ratio) return 'no repeat in which both are valid';
  return ratio.rankable ? ratioWithInterval(ratio) : `not compared: ${codesText(ratio.why)}`;
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
