import { percent, wholeNumber } from '../../../format.js';
import { left, right, table } from '../../table.js';
import { policyOf } from '../../words.js';
import { faultColumn, killLoadText } from '../durability/section.js';

/**
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What each system lost when it was killed: of a run that only kills the table of its first screen.
 * @param {Run} run
 * @param {Matrix[]} matrices
 * @returns {Section | null}
 */
export function killsTable({ plan, kills }, matrices) {
  if (kills.length === 0) return null;
  const several = new Set(kills.map((k) => k.workload)).size > 1;
  const workloadOf = (/** @type {string} */ id) => plan.workloads.find((w) => w.id === id)?.title ?? id;
  return {
    ...(matrices.length > 0 ? { title: 'Killed under load (SIGKILL), started again on its data' } : {}),
    tables: [
      table(kills, [
        left('system', (k) => k.title),
        ...faultColumn(kills),
        left(
          'load when it was killed',
          (k) => `${several ? `${workloadOf(k.workload)}, ` : ''}${k.transport}, ${killLoadText(plan, k)}`,
        ),
        left('promise', (k) => policyOf(plan, k)),
        right('acknowledged', (k) => wholeNumber(k.acked)),
        right('lost', (k) =>
          k.failure === null
            ? k.lost === 0
              ? 'nothing'
              : { strong: lostText(percent(k.lostRatio), percent(k.worstRatio)) }
            : `not counted: ${k.failure}`,
        ),
      ]),
    ],
  };
}

/**
 * @param {string} usual share that was lost
 * @param {string} worst of the repeats
 * @returns {string} `70.3 %, at worst 76.3 %`; where all lost as much, that alone
 */
export function lostText(usual, worst) {
  return usual === worst ? usual : `${usual}, at worst ${worst}`;
}

/**
 * @param {Run} run
 * @returns {Section | null} after the first screen, where that has its matrix
 */
export function section(run) {
  return run.matrices.length > 0 ? killsTable(run, run.matrices) : null;
}
