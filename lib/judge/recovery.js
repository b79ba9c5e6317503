/** @import { CellMeta, CellRecord, HistogramExport, OracleResult, Recovery, Reason } from '../types.d.ts' */

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
  const isCountRight = acked <= recovered && recovered <= acked + indeterminate;
  return {
    acked,
    recovered,
    indeterminate,
    lost: Math.max(0, acked - recovered),
    unexplained: Math.max(0, recovered - acked - indeterminate),
    ...((isCountRight && oracle.ok === false) || (oracle.wrong ?? 0) > 0
      ? { inconsistent: oracle.detail }
      : {}),
    ackedPerSec: Math.round((acked * 1000) / (meta.recovery.killedAtMs - from)),
    restartMs: meta.recovery.restartMs,
  };
}

/**
 * A loss is a finding, not a fault of the measurement; what is one here: nothing measured, more there than sent, or what
 * the system computes from its writes differing from them.
 * @param {Pick<CellRecord, 'recovery'>} record
 * @returns {Reason[]}
 */
export function recoveryReasons({ recovery }) {
  if (!recovery || recovery.acked === 0) return [{ code: 'missing_metric', measured: 'recovery' }];
  if (recovery.unexplained > 0)
    return [{ code: 'oracle', measured: recovery.recovered, limit: recovery.acked + recovery.indeterminate }];
  if (recovery.inconsistent) return [{ code: 'oracle', measured: recovery.inconsistent }];
  return [];
}
