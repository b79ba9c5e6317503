import { ratioWithInterval, significant } from '../../../format.js';
import { verdictOf } from '../../../judge/verdict.js';
import { median, pairedRatio } from '../../../stats/summary.js';
import { groupBy } from '../../group-by.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';

/**
 * @import { CellRecord, Plan, Step } from '../../../types.d.ts'
 * @import { Row } from '../../rows.js'
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
  const middle = (/** @type {number[]} */ rates) => (rates.length === 0 ? 'n/a' : significant(median(rates)));
  return {
    title: "What the generator's own iterations cost",
    intro: [
      "The same users on the same system, once as bursts and once as k6's own iterations in JavaScript; all operations of a window together, from the repeats in which both are valid.",
    ],
    tables: [
      table(twins, [
        left('system', ({ row }) => row.title),
        left('rung', ({ row }) => stepText(plan, row.step.id)),
        right('bursts, op/s', ({ burst }) => middle(burst)),
        right('iterations, op/s', ({ iteration }) => middle(iteration)),
        right('ratio (95 % CI)', ({ pairs }) =>
          pairs.length === 0
            ? 'no repeat in which both are valid'
            : ratioWithInterval(pairedRatio(pairs, plan.profile.seed), pairs.length),
        ),
      ]),
    ],
  };
}

/**
 * @param {Row[]} burst rows of one step, an operation each
 * @param {Row[]} iteration rows of its twin
 */
function twinOf(burst, iteration) {
  const operations = burst.map((r) => r.operation).filter((op) => iteration.some((r) => r.operation === op));
  const [a, b] = [burst, iteration].map((rows) => ratesOf(rows[0].cells, operations));
  const pairs = [...a].flatMap(([repeat, rate]) => {
    const other = b.get(repeat);
    return other === undefined ? [] : [{ a: rate, b: other }];
  });
  return { row: burst[0], burst: [...a.values()], iteration: [...b.values()], pairs };
}

/**
 * @param {CellRecord[]} cells one for each repeat
 * @param {string[]} operations
 * @returns {Map<number, number>} by repeat, operations per second in all; only where every one is valid
 */
function ratesOf(cells, operations) {
  return new Map(
    cells
      .filter((c) => operations.every((op) => verdictOf(c, op) === 'VALID'))
      .map((c) => [c.repeat, operations.reduce((sum, op) => sum + c.operations[op].ratePerSec, 0)]),
  );
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
