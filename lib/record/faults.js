import { RESTORED } from '../judge/chaos.js';
import { shortReason } from '../judge/verdict.js';
import { figureOf } from './figure.js';
import { repeatsOf } from './figures.js';

export { RESTORED };

/**
 * @import { CellRecord, ChaosResult, FaultKind, Step } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 */

/**
 * The repeats of one fault under load: each is a start of its own.
 * @typedef {object} FaultFigures
 * @property {string} system
 * @property {string} title
 * @property {string} workload
 * @property {string} transport
 * @property {Step} step
 * @property {FaultKind | undefined} kind
 * @property {number} usable repeats
 * @property {Figure | null} perSec rate before it
 * @property {Figure | null} beforeP50Ms
 * @property {Figure | null} beforeP99Ms
 * @property {Figure | null} duringP99Ms
 * @property {Figure | null} firstSuccessMs
 * @property {Figure | null} restoredMs of the repeats in which p99 was back in time
 * @property {number} notRestored repeats in which it was not
 * @property {number} watchedMs the shortest time in which it could have been
 * @property {number} acked
 * @property {number} lost
 * @property {number} twice
 * @property {number} ended repeats in which the system itself ended in a fault that is no kill, and was started again
 * @property {Record<string, number>} errors by kind, all repeats
 * @property {Figure | null} rssBeforeBytes
 * @property {Figure | null} rssAfterBytes
 * @property {string | null} failure why no repeat is usable
 */

/**
 * @param {CellRecord[]} records of all roles
 * @returns {FaultFigures[]} by fault, then system
 */
export function faultsOf(records) {
  return repeatsOf(records.filter(({ role }) => role === 'chaos')).map((cells) => faultOf(cells));
}

/**
 * @param {CellRecord[]} cells repeats
 * @returns {FaultFigures}
 */
function faultOf(cells) {
  const [{ system, title, workload, transport, step }] = cells;
  const usable = cells.flatMap(({ status, verdict, chaos, repeat }) =>
    status === 'ok' && verdict.status !== 'INVALID' && chaos ? [{ repeat, ...chaos }] : [],
  );
  const sum = (/** @type {'acked' | 'lost' | 'twice'} */ key) => usable.reduce((n, c) => n + c[key], 0);
  const of = (/** @type {(c: ChaosResult) => number | null} */ value) =>
    figureOf(
      usable.map((c) => [c.repeat, value(c)]),
      { why: [] },
    );
  return {
    ...{ system, title, workload, transport, step },
    kind: step.fault?.kind,
    usable: usable.length,
    perSec: of((c) => c.beforePerSec),
    beforeP50Ms: of((c) => c.beforeP50Ms),
    beforeP99Ms: of((c) => c.beforeP99Ms),
    duringP99Ms: of((c) => c.duringP99Ms),
    firstSuccessMs: of((c) => c.firstSuccessMs),
    restoredMs: of((c) => c.restoredMs),
    notRestored: usable.filter((c) => c.restoredMs === null).length,
    watchedMs: Math.min(...usable.map((c) => c.watchedMs)),
    acked: sum('acked'),
    lost: sum('lost'),
    twice: sum('twice'),
    ended: step.fault?.kind === 'kill' ? 0 : usable.filter((c) => c.restartMs !== null).length,
    errors: errorsOf(usable),
    rssBeforeBytes: of((c) => c.rssBeforeBytes),
    rssAfterBytes: of((c) => c.rssAfterBytes),
    failure: usable.length > 0 ? null : failureOf(cells),
  };
}

/** @param {ChaosResult[]} all */
function errorsOf(all) {
  /** @type {Record<string, number>} */
  const errors = {};
  for (const [kind, n] of all.flatMap((c) => Object.entries(c.errors)))
    errors[kind] = (errors[kind] ?? 0) + n;
  return errors;
}

/** @param {CellRecord[]} cells */
function failureOf(cells) {
  const bad = cells.find((c) => c.status !== 'ok');
  if (bad) return `${bad.status}: ${bad.reason}`;
  const [worst] = cells[0].verdict.reasons;
  return `no repeat is usable${worst ? ` (${shortReason(worst.code)})` : ''}`;
}
