/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * @param {Run} run
 * @returns {Section}
 */
export function section({ verdicts: { total, duration, valid, degraded, invalid, failed } }) {
  return {
    title: 'Files',
    intro: [
      "`data.tar.gz` (of a run that was interrupted: this folder) holds `plan.json` (what was to be done, in order), `profile.json`, `environment.json`, `results/` (one record for each cell, with its verdict and the reasons) and `raw/` (k6's own summaries, histograms and resource samples, untouched). `SHA256SUMS` is of all of them; `./run-all.sh report <run> --verify` checks it and recomputes every record from `raw/`.",
      `${total} cells in ${duration}: ${valid} valid, ${degraded} degraded (bounds among them), ${invalid} invalid, ${failed} failed.`,
    ],
  };
}
