import { FAULTS } from '../config/faults.js';
import { RESTORED } from '../judge/chaos.js';
import { sumsOf } from '../judge/schedule.js';
import { shortReason } from '../judge/verdict.js';
import { byKey, figureOver } from './figure.js';
import { parityOf, repeatsOf } from './rows.js';

export { RESTORED };

/** How a repeat failed whose system ended on what a fault had left of its data. */
export const NO_START = 'it did not start again on what was left';

/**
 * @import { CellRecord, FaultKind, Step } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 */

/**
 * The repeats of one load that a kill or a fault met: the counts of all that were measured to the end, added up.
 * @typedef {object} Recovered
 * @property {string} system
 * @property {string} title
 * @property {string} workload
 * @property {string} transport
 * @property {Step} step
 * @property {number} usable repeats
 * @property {number} acked
 * @property {number} lost
 * @property {string | null} failure why no repeat is usable
 *
 * @typedef {object} KillFigures
 * @property {CellRecord['parity']} parity
 * @property {number} recovered
 * @property {number} indeterminate
 * @property {number} lostRatio of what was acknowledged
 * @property {number} worstRatio the same of the repeat that lost most
 * @property {Figure | null} ackedPerSec
 * @property {Figure | null} restartMs
 * @property {string | null} inconsistent what was wrong although nothing was lost
 *
 * @typedef {Recovered & KillFigures} Kill
 *
 * @typedef {object} FaultOnly
 * @property {FaultKind | undefined} kind
 * @property {Figure | null} perSec rate before it
 * @property {Figure | null} beforeP50Ms
 * @property {Figure | null} beforeP99Ms
 * @property {Figure | null} duringP99Ms
 * @property {Figure | null} firstSuccessMs
 * @property {Figure | null} restoredMs of the repeats in which p99 was back in time
 * @property {number} notRestored repeats in which it was not
 * @property {number} watchedMs the shortest time in which it could have been
 * @property {number} twice
 * @property {number} ended repeats in which the system itself ended in a fault that is no kill, and was started again
 * @property {Record<string, number>} errors by kind, all repeats
 * @property {Figure | null} rssBeforeBytes
 * @property {Figure | null} rssAfterBytes
 *
 * @typedef {Recovered & FaultOnly} FaultFigures each repeat is a start of its own
 */

/**
 * @param {CellRecord[]} records of all roles
 * @returns {Kill[]} by system and load
 */
export function killsOf(records) {
  return repeatsOf(records.filter(({ role }) => role === 'durability')).map((cells) => {
    const { own, usable, sumOf } = recoveredIn(cells, 'recovery');
    return {
      ...own,
      parity: parityOf(cells),
      recovered: sumOf('recovered'),
      indeterminate: sumOf('indeterminate'),
      lostRatio: own.lost / Math.max(1, own.acked),
      worstRatio: Math.max(0, ...usable.map(({ lost, acked }) => lost / Math.max(1, acked))),
      ...byKey(/** @type {const} */ (['ackedPerSec', 'restartMs']), (key) =>
        figureOver(usable, (c) => c[key]),
      ),
      inconsistent: inconsistentIn(cells),
    };
  });
}

/** What the repeats of a fault have that becomes a figure as it is. */
const OF_FAULT = /** @type {const} */ ([
  ...['beforeP50Ms', 'beforeP99Ms', 'duringP99Ms', 'firstSuccessMs', 'restoredMs'],
  ...['rssBeforeBytes', 'rssAfterBytes'],
]);

/**
 * @param {CellRecord[]} records of all roles
 * @returns {FaultFigures[]} by fault, then system
 */
export function faultsOf(records) {
  return repeatsOf(records.filter(({ role }) => role === 'chaos')).map((cells) => {
    const { own, usable, sumOf } = recoveredIn(cells, 'chaos');
    const kind = own.step.fault?.kind;
    return {
      ...{ ...own, kind, twice: sumOf('twice') },
      perSec: figureOver(usable, (c) => c.beforePerSec),
      ...byKey(OF_FAULT, (key) => figureOver(usable, (c) => c[key])),
      notRestored: usable.filter((c) => c.restoredMs === null).length,
      watchedMs: Math.min(...usable.map((c) => c.watchedMs)),
      ended: kind && FAULTS[kind].restarts ? 0 : usable.filter((c) => c.restartMs !== null).length,
      errors: sumsOf(usable.map((c) => c.errors)),
    };
  });
}

/**
 * @template {'recovery' | 'chaos'} P
 * @param {CellRecord[]} cells repeats
 * @param {P} part what they came to
 */
function recoveredIn(cells, part) {
  const [{ system, title, workload, transport, step }] = cells;
  const usable = cells.flatMap(({ status, verdict, repeat, [part]: came }) =>
    status === 'ok' && verdict.status !== 'INVALID' && came
      ? [{ repeat, .../** @type {NonNullable<CellRecord[P]>} */ (came) }]
      : [],
  );
  const sumOf = (/** @type {string} */ key) =>
    usable.reduce((n, one) => n + /** @type {any} */ (one)[key], 0);
  const failure = usable.length > 0 ? null : failureOf(cells);
  const counts = { usable: usable.length, acked: sumOf('acked'), lost: sumOf('lost') };
  /** @type {Recovered} */
  const own = { ...{ system, title, workload, transport, step, failure }, ...counts };
  return { own, usable, sumOf };
}

/** @param {CellRecord[]} cells @returns {string | null} */
function inconsistentIn(cells) {
  return cells.flatMap(({ recovery }) => recovery?.inconsistent ?? [])[0] ?? null;
}

/** @param {CellRecord[]} cells none of which is usable @returns {string} */
function failureOf(cells) {
  const failed = cells.find((c) => c.status !== 'ok');
  if (failed) return `${failed.status}: ${failed.reason}`;
  const [worst] = cells[0].verdict.reasons;
  const why = inconsistentIn(cells) ?? (worst && shortReason(worst.code));
  return `no repeat is usable${why ? ` (${why})` : ''}`;
}
