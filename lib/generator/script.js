import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';
import { unsetForK6 } from '../process/plain.js';
import { readJson } from '../store.js';

/** Values of the variables that stood after `--`. @type {Readonly<Record<string, string>>} */
let given = {};

/** @param {Record<string, string>} values of the script's variables: no plan has them */
export function giveVariables(values) {
  given = values;
}

/** @import { CellPlan, HistogramExport, Plan } from '../types.d.ts' */

/** Beyond its window a step lasts so long: the window begins with the first answer. */
const TAIL_SEC = 0.5;

/**
 * @param {{plan: Plan, cell: CellPlan, url: string, histograms: string}} call `histograms`: where the export goes
 * @returns {{options: string[], output: string, env: Record<string, string | undefined>, file: string} | null} what k6 is told; null
 *   for a workload of this suite
 */
export function scriptCall({ plan: { options, profile }, cell: { step }, url, histograms }) {
  const script = options?.script;
  if (!script) return null;
  const warmupSec = step.warmupSec ?? profile.warmupSec;
  const windowSec = Number(step.durationSec);
  const totalMs = Math.round((warmupSec + windowSec + TAIL_SEC) * 1000);
  return {
    options: [
      '--summary-mode',
      'disabled',
      '--vus',
      `${step.vus}`,
      '--duration',
      `${totalMs}ms`,
      ...script.k6Options,
      NO_OTHERS,
    ],
    output: `script-measure=${histograms}`,
    env: {
      ...scriptEnvironment(url, script.k6Options),
      LADDERBENCH_WARMUP_SEC: `${warmupSec}`,
      LADDERBENCH_WINDOW_SEC: `${windowSec}`,
      ...(script.mustReceive ? { LADDERBENCH_MUST_RECEIVE: '1' } : {}),
    },
    file: script.path,
  };
}

/** Our k6 (k6/extension/main.go) hands on what begins so to the script alone, without the prefix. */
const FOR_SCRIPT = 'LADDERBENCH_ENV_';
/** The script sees what is set for it, and nothing that k6 is told. */
export const NO_OTHERS = '--include-system-env-vars=false';

/**
 * As plain k6 has it: a script sees the whole environment and what `-e` says. What the environment says to k6 itself
 * (`K6_VUS`, `K6_RPS` …) reaches the script, and no load.
 * @param {string} url of the system; empty: the script knows what it addresses
 * @param {string[]} k6Options
 * @returns {Record<string, string | undefined>}
 */
export function scriptEnvironment(url, k6Options) {
  const seen = {
    ...(k6Options.includes(NO_OTHERS) ? {} : process.env),
    ...given,
    ...(url ? { BASE_URL: url } : {}),
  };
  return {
    ...unsetForK6(process.env),
    ...Object.fromEntries(Object.entries(seen).map(([name, value]) => [`${FOR_SCRIPT}${name}`, value])),
  };
}

/** Of every k6 of ours: it asks nobody on the internet for anything. */
export const QUIET = Object.freeze({ K6_NO_USAGE_REPORT: 'true', K6_AUTO_EXTENSION_RESOLUTION: 'false' });

/** The same: an empty configuration in the place of the user's, which k6 looks for in HOME. */
export const K6_RUN = Object.freeze([
  ...['run', '--config', join(ROOT, 'k6', 'config.json')],
  ...['--quiet', '--no-color', '--log-format', 'json'],
]);

/**
 * @param {string} histograms path of the export
 * @returns {string | null} why the cell has no figures
 */
export function scriptProblem(histograms) {
  if (!existsSync(histograms)) return 'k6 wrote nothing of what it measured';
  const { notes, windows } = /** @type {HistogramExport} */ (readJson(histograms));
  const done = windows.find((w) => w.op === 'iterations');
  if (!done) return 'no user came to the end of an iteration, and none sent anything: --step-duration longer';
  if (notes.whole !== true) return 'the script ended before the step was over';
  const ended = done.count + Object.values(done.errors).reduce((n, e) => n + e, 0);
  return ended > 0 ? null : 'no user came to the end of an iteration: --step-duration longer';
}
