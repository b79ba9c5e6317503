import { percent, wholeNumber } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { NO_START } from '../../../record/recoveries.js';
import { left, right, table } from '../../table.js';
import { counted, policyOf, workloadTitleOf } from '../../words.js';
import { faultColumn, killLoadText } from '../durability/section.js';

/**
 * @import { Kill } from '../../../record/recoveries.js'
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
  return {
    ...(matrices.length > 0 ? { title: 'Killed under load (SIGKILL), started again on its data' } : {}),
    tables: [
      table(kills, [
        left('system', (k) => k.title),
        ...faultColumn(kills),
        left(
          'load when it was killed',
          (k) =>
            `${several ? `${workloadTitleOf(plan, k.workload)}, ` : ''}${k.transport}, ${killLoadText(plan, k)}`,
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
 * The same, a line for all systems with one promise that lost the same, where the loads are too many to be read.
 * @param {Run} run
 * @returns {Section}
 */
export function killsBySystem({ plan, kills }) {
  const cut = kills.some((k) => k.step.powerLoss);
  const ofKind = (/** @type {Kill[]} */ own, /** @type {boolean} */ power) =>
    lostByAll(own.filter((k) => (k.step.powerLoss === true) === power));
  const systems = groupBy(kills, (k) => k.system).map((own) => ({
    title: own[0].title,
    promise: [...new Set(own.map((k) => policyOf(plan, k)))].join(', '),
    acked: own.reduce((n, k) => n + k.acked, 0),
    killed: ofKind(own, false),
    unpowered: ofKind(own, true),
  }));
  const alike = groupBy(systems, ({ promise, killed, unpowered }) =>
    JSON.stringify([promise, killed, unpowered]),
  );
  return {
    tables: [
      table(alike, [
        left('systems', (own) => own.map(({ title }) => title).join(' · ')),
        left('promise', ([{ promise }]) => promise),
        right('acknowledged', (own) => wholeNumber(own.reduce((n, { acked }) => n + acked, 0))),
        right('lost after a kill, at worst', ([{ killed }]) => killed),
        ...(cut ? [right('lost at a loss of power, at worst', ([{ unpowered }]) => unpowered)] : []),
      ]),
    ],
    notes: [
      ...(cut ? ['A loss of power drops all that was not synced: the most that a power cut may take.'] : []),
    ],
  };
}

/**
 * @param {Kill[]} kills of one system by one kind of fault
 * @returns {string | {strong: string}} the most that it lost on any load
 */
function lostByAll(kills) {
  if (kills.length === 0) return 'not tested';
  const usable = kills.filter((k) => k.failure === null);
  if (usable.length === 0)
    return {
      strong: kills.every((k) => k.failure?.includes(NO_START)) ? 'does not start again' : 'no figure',
    };
  const worst = Math.max(...usable.map((k) => k.worstRatio));
  const isAll = worst === 1 && usable.every((k) => k.lostRatio === 1);
  const most = worst === 0 ? 'nothing' : isAll ? 'all' : percent(worst);
  const failed = kills.length - usable.length;
  if (failed > 0) return { strong: `${most}; no figure on ${failed} of ${counted(kills.length, 'load')}` };
  return worst === 0 ? most : { strong: most };
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
