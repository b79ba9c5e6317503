import { k6PageOf } from '../../../record/run-folder.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * @param {Run} run
 * @returns {Section}
 */
export function section({ verdicts: { total, duration, valid, degraded, invalid, failed }, records }) {
  const pages = records.filter((r) => r.k6Html).map(({ cell }) => `[${cell}](${k6PageOf(cell)})`);
  return {
    title: 'Files',
    intro: [
      "`data.tar.gz` (of a run that was interrupted: this folder) holds `plan.json` (what was to be done, in order), `profile.json`, `environment.json`, `results/` (one record for each cell, with its verdict and the reasons) and `raw/` (k6's own summaries, histograms and resource samples, untouched). `SHA256SUMS` is of all of them; `./run-all.sh report <run> --verify` checks it and recomputes every record from `raw/`.",
      `${total} cells in ${duration}: ${valid} valid, ${degraded} degraded (bounds among them), ${invalid} invalid, ${failed} failed.`,
      ...(pages.length > 0
        ? [
            `k6's own page of each cell, with what k6 sampled itself; no figure here comes from them, and they lie beside this page, in no archive: ${pages.join(' · ')}`,
          ]
        : []),
    ],
  };
}
