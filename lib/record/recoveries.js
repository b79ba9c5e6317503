import { figureOf } from './figure.js';
import { parityOf, repeatsOf } from './figures.js';

/** How a repeat failed whose system ended on what a fault had left of its data. */
export const NO_START = 'it did not start again on what was left';

/**
 * @import { CellRecord, Step } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 */

/**
 * The repeats of one kill under load: the counts of all that were measured to the end, added up.
 * @typedef {object} Kill
 * @property {string} system
 * @property {string} title
 * @property {string} workload
 * @property {string} transport
 * @property {Step} step
 * @property {CellRecord['parity']} parity
 * @property {number} usable repeats
 * @property {number} acked
 * @property {number} recovered
 * @property {number} lost
 * @property {number} indeterminate
 * @property {number} lostRatio of what was acknowledged
 * @property {number} worstRatio the same of the repeat that lost most
 * @property {Figure | null} ackedPerSec
 * @property {Figure | null} restartMs
 * @property {string | null} failure why no repeat is usable
 * @property {string | null} inconsistent what was wrong although nothing was lost
 */

/**
 * @param {CellRecord[]} records of all roles
 * @returns {Kill[]} by system and load
 */
export function killsOf(records) {
  return repeatsOf(records.filter(({ role }) => role === 'durability')).map((cells) => killOf(cells));
}

/**
 * @param {CellRecord[]} cells repeats
 * @returns {Kill}
 */
function killOf(cells) {
  const [{ system, title, workload, transport, step }] = cells;
  const usable = cells.flatMap(({ status, verdict, recovery, repeat }) =>
    status === 'ok' && verdict.status !== 'INVALID' && recovery ? [{ repeat, ...recovery }] : [],
  );
  const sum = (/** @type {'acked' | 'recovered' | 'lost' | 'indeterminate'} */ key) =>
    usable.reduce((n, kill) => n + kill[key], 0);
  const of = (/** @type {'ackedPerSec' | 'restartMs'} */ key) =>
    figureOf(
      usable.map((kill) => [kill.repeat, kill[key]]),
      { why: [] },
    );
  const inconsistent = cells.find((c) => c.recovery?.inconsistent)?.recovery?.inconsistent ?? null;
  return {
    ...{ system, title, workload, transport, step },
    parity: parityOf(cells),
    usable: usable.length,
    acked: sum('acked'),
    recovered: sum('recovered'),
    lost: sum('lost'),
    indeterminate: sum('indeterminate'),
    lostRatio: sum('lost') / Math.max(1, sum('acked')),
    worstRatio: Math.max(0, ...usable.map(({ lost, acked }) => lost / Math.max(1, acked))),
    ackedPerSec: of('ackedPerSec'),
    restartMs: of('restartMs'),
    failure: usable.length > 0 ? null : failureOf(cells, inconsistent),
    inconsistent,
  };
}

/**
 * @param {CellRecord[]} cells
 * @param {string | null} inconsistent
 */
function failureOf(cells, inconsistent) {
  const failed = cells.find((c) => c.status !== 'ok');
  if (failed) return `${failed.status}: ${failed.reason}`;
  return `no repeat is usable (${inconsistent ?? cells[0].verdict.reasons[0]?.code})`;
}
