import { existsSync } from 'node:fs';
import { isJudgedByScript, K6_EXIT } from '../config/k6-exit.js';
import { scriptOf } from '../config/script-of.js';
import { failedOf } from '../judge/schedule.js';
import { readJson } from '../store.js';
import { archiveWith, optionsBesideArchive, scenariosFor } from './script-archive.js';
import { scenariosUnder } from './script-scenarios.js';
import { scriptEnvironment } from './script-variables.js';

/** @import { CellPlan, HistogramExport, Plan } from '../types.d.ts' */

/** Beyond its window a step lasts so long: the window begins with the first answer. */
const TAIL_SEC = 0.5;

/**
 * @param {{plan: Plan, cell: CellPlan, url: string, histograms: string, tags: Record<string, string>}} call `histograms`:
 *   where the export goes
 * @returns {{options: string[], output: string, env: Record<string, string | undefined>, file: string} | null} what k6 is told; null
 *   for a workload of this suite
 */
export function scriptCall({ plan: { options, profile }, cell: { step, system }, url, histograms, tags }) {
  if (!options?.script) return null;
  const script = scriptOf(options, system);
  const warmupSec = step.warmupSec ?? profile.warmupSec;
  const windowSec = Number(step.durationSec);
  const totalMs = Math.round((warmupSec + windowSec + TAIL_SEC) * 1000);
  const load = { users: step.vus, totalMs, ratePerSec: step.ratePerSec };
  return {
    options: ['--summary-mode', 'disabled', ...optionsBesideArchive(script)],
    output: `script-measure=${histograms}`,
    env: {
      ...scriptEnvironment(url, script.k6Options),
      LADDERBENCH_WARMUP_SEC: `${warmupSec}`,
      LADDERBENCH_WINDOW_SEC: `${windowSec}`,
      ...(script.by ? { LADDERBENCH_BY: script.by } : {}),
      ...(script.mustReceive ? { LADDERBENCH_MUST_RECEIVE: '1' } : {}),
    },
    file: archiveWith(script, url, scenariosUnder(scenariosFor(script, url), load), tags),
  };
}

/**
 * @param {string} histograms path of the export
 * @param {number | null} code of k6
 * @returns {string | null} why the cell has no figures
 */
export function scriptProblem(histograms, code) {
  if (!existsSync(histograms)) return 'k6 wrote nothing of what it measured';
  const { notes, windows } = /** @type {HistogramExport} */ (readJson(histograms));
  if (isJudgedByScript(code) && notes.whole !== true) {
    const crossed = /** @type {string[]} */ (notes.crossed ?? []);
    return [`${K6_EXIT[Number(code)].what} before the step was over`, ...crossed].join('; ');
  }
  const done = windows.find((w) => w.op === 'iterations');
  if (!done) return 'no user came to the end of an iteration, and none sent anything: --step-duration longer';
  if (notes.whole !== true) return 'the script ended before the step was over';
  const hasEnded = windows.some((w) => w.count + failedOf(w) > 0);
  return hasEnded ? null : 'no user came to the end of an iteration, or of a request: --step-duration longer';
}
