import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BenchError, EXIT } from '../errors.js';
import { plainLine } from '../format.js';
import { ROOT } from '../paths.js';
import { unsetForK6 } from '../process/plain.js';
import { runTool } from '../process/tool.js';
import { readJson } from '../store.js';

/** Values of the variables that stood after `--`. @type {Readonly<Record<string, string>>} */
let given = {};

/** @param {Record<string, string>} values of the script's variables: no plan has them */
export function giveVariables(values) {
  given = values;
}

/** @import { CellPlan, HistogramExport, Plan, ScriptOptions } from '../types.d.ts' */

/** Beyond its window a step lasts so long: the window begins with the first answer. */
const TAIL_SEC = 0.5;
/** One iteration may take so long. */
const REHEARSAL_MS = 120_000;
/** k6's own codes for a script that it cannot run: a wrong configuration, an exception outside iterations. */
const BAD_SCRIPT = new Set([104, 107]);

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
    },
    file: script.path,
  };
}

/** Our k6 (k6/extension/main.go) hands on what begins so to the script alone, without the prefix. */
const FOR_SCRIPT = 'LADDERBENCH_ENV_';
/** The script sees what is set for it, and nothing that k6 is told. */
const NO_OTHERS = '--include-system-env-vars=false';

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
 * One iteration by one user, before anything is measured: what is wrong with a script shows here.
 * @param {{k6: string, script: ScriptOptions, url?: string}} call
 * @throws {BenchError} with one line of k6's
 */
export async function rehearse({ k6, script, url = '' }) {
  const once = ['--summary-mode', 'disabled', '--vus', '1', '--iterations', '1', '--no-thresholds'];
  const { ok, stderr, code } = await runTool(
    [k6, ...K6_RUN, ...once, ...script.k6Options, NO_OTHERS, script.path],
    { env: { ...scriptEnvironment(url, script.k6Options), ...QUIET }, timeoutMs: REHEARSAL_MS },
  );
  const lines = linesOf(stderr);
  const said = lines.filter((l) => l.level === 'error' || (!ok && l.level === undefined)).at(-1);
  const lost = lines.find(
    (l) => /Request Failed/.test(l.msg) && /dial|connect|lookup|refused/.test(l.error ?? ''),
  );
  const name = basename(script.path);
  if (ok && !said && !lost) return;
  if (ok && !said)
    throw new BenchError(`${name}: ${plainLine(lost?.error ?? '')}`, {
      hint: url
        ? 'start what --endpoint names'
        : 'start what the script addresses, or give --endpoint name=URL',
      exitCode: EXIT.systemFailed,
    });
  const why = said ? firstLine(said) : 'k6 did not say why';
  throw new BenchError(
    `${name}: ${ok || BAD_SCRIPT.has(code ?? 0) ? why : `k6 ended with code ${code}: ${why}`}`,
    {
      hint: 'one iteration by one user was tried before the load: mend the script, or what follows "--"',
    },
  );
}

/** @param {{msg: string, error?: string}} line @returns {string} without the stack */
function firstLine({ msg, error }) {
  const own = msg
    .replace(/^could not initialize '.*?': could not load JS test '.*?': /s, '')
    .replace(/\n\s*at .*$/s, '');
  return plainLine(error ? `${own} (${error})` : own);
}

/**
 * @param {string} text
 * @returns {{level?: string, msg: string, error?: string}[]}
 */
function linesOf(text) {
  return text
    .split('\n')
    .filter((l) => l.trim())
    .map((line) => {
      try {
        return JSON.parse(line);
      } catch {
        return { msg: line };
      }
    });
}

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
