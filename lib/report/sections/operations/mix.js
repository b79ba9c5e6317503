import { figureText, MISSING, percent, wholeNumber } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { sumOf } from '../../../record/figure.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';

/**
 * @import { Plan } from '../../../types.d.ts'
 * @import { Row } from '../../../record/figures.js'
 * @import { Section } from '../../view.js'
 */

/**
 * @param {Plan} plan
 * @param {string} workload
 * @returns {Record<string, number>} share of each operation that its users draw by share
 */
function sharesOf({ workloads }, workload) {
  const operations = Object.entries(workloads.find((w) => w.id === workload)?.operations ?? {});
  return Object.fromEntries(
    operations.flatMap(([op, { share }]) => (share === undefined ? [] : [[op, share]])),
  );
}

/**
 * What a mix was made of: counts and shares of its operations, and all of them together.
 * @param {Plan} plan
 * @param {Row[]} own rows of one workload
 * @param {(row: Row) => string} [placeOf] where they were counted
 * @returns {Section | null} one table; null where the workload is no mix
 */
export function mixPart(plan, own, placeOf = ({ step }) => stepText(plan, step.id)) {
  const shares = sharesOf(plan, own[0].workload);
  const names = Object.keys(shares);
  if (names.length === 0) return null;
  const countOf = (/** @type {Row[]} */ rows, /** @type {string} */ name) =>
    rows.find((r) => r.operation === name)?.counts.done ?? 0;
  const totalOf = (/** @type {Row[]} */ rows) => names.reduce((n, name) => n + countOf(rows, name), 0);
  const parts = own.filter((r) => names.includes(r.operation));
  return {
    title: 'Workload breakdown',
    intro: ['Counts of all usable repeats, and their shares.'],
    tables: [
      table(
        groupBy(parts, (r) => `${r.system}\n${r.transport}\n${r.step.id}`),
        [
          left('system', ([r]) => r.title),
          left('load', ([r]) => placeOf(r)),
          right('operations', totalOf),
          right('all together, op/s', wholeRate),
          ...names.map((name) =>
            right(`${name} (${percent(shares[name])} asked for)`, (/** @type {Row[]} */ rows) => {
              const [count, total] = [countOf(rows, name), totalOf(rows)];
              return total === 0 ? MISSING : `${wholeNumber(count)} (${percent(count / total)})`;
            }),
          ),
        ],
      ),
    ],
  };
}

/**
 * @param {Row[]} rows the parts of the mix on one step
 * @returns {string} all of them together
 */
function wholeRate(rows) {
  const failed = rows.find((r) => r.failure !== null);
  return failed ? `n/a: ${failed.failure}` : figureText(sumOf(rows.map((r) => r.ratePerSec)));
}
