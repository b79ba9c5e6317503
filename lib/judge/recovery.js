/**
 * @import { CellMeta, HistogramExport, OracleResult, Recovery, UnjudgedRecord } from '../types.d.ts'
 * @import { Found } from './rules.js'
 */

/**
 * What a kill cost: acknowledged against recovered.
 * @param {CellMeta} meta
 * @param {HistogramExport | null} histograms of the load
 * @param {HistogramExport | null} recovery of the check after the restart
 * @returns {Recovery | null} null when it was not measured to the end
 */
export function recoveryOf(meta, histograms, recovery) {
  const oracle = /** @type {OracleResult | undefined} */ (recovery?.notes.oracle);
  if (!meta.recovery || !histograms || !oracle || oracle.acked === null || oracle.stored === null)
    return null;
  const from = Math.min(...histograms.windows.map((w) => w.startMs));
  const { acked } = oracle;
  // A system that lost everything has lost what the check before the load left in it, too.
  const recovered = Math.max(0, oracle.stored);
  const indeterminate = oracle.indeterminate ?? 0;
  const { lost, twice } = strayedOf({ ...oracle, acked, stored: recovered });
  return {
    acked,
    recovered,
    indeterminate,
    lost,
    unexplained: twice,
    ...((lost + twice === 0 && oracle.ok === false) || (oracle.wrong ?? 0) > 0
      ? { inconsistent: oracle.detail }
      : {}),
    ackedPerSec: Math.round((acked * 1000) / (meta.recovery.killedAtMs - from)),
    restartMs: meta.recovery.restartMs,
  };
}

/**
 * What is not where it should be: each place by itself where they are told apart, else by the sum of all, in which what
 * was stored without an acknowledgement hides as many lost ones.
 * @param {OracleResult & {acked: number, stored: number}} oracle
 * @returns {{lost: number, twice: number}} writes that were acknowledged and are not there; that are there more often
 *   than they were sent
 */
export function strayedOf({ acked, stored, indeterminate, missing, surplus }) {
  return {
    lost: missing ?? Math.max(0, acked - stored),
    twice: surplus ?? Math.max(0, stored - acked - (indeterminate ?? 0)),
  };
}

/**
 * A loss is a finding, not a fault of the measurement; what is one here: nothing measured, more there than sent, or what
 * the system computes from its writes differing from them.
 * @param {Pick<UnjudgedRecord, 'role' | 'recovery' | 'chaos'>} record of a kill or a fault
 * @returns {Found[]}
 */
export function wrongAfterEnd({ role, recovery, chaos }) {
  if (chaos?.inconsistent) return [{ measured: chaos.inconsistent }];
  if (role !== 'durability') return [];
  if (!recovery || recovery.acked === 0) return [{ absent: 'recovery' }];
  const { unexplained, recovered, acked, indeterminate, inconsistent } = recovery;
  if (unexplained > 0) return [{ measured: recovered, limit: acked + indeterminate }];
  return inconsistent ? [{ measured: inconsistent }] : [];
}
