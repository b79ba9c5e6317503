import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { BenchError, EXIT } from '../errors.js';
import { plainLine } from '../format.js';
import { runTool } from '../process/tool.js';
import { readJson } from '../store.js';

/** @import { CellPlan, HistogramExport, Plan, ScriptOptions } from '../types.d.ts' */

/** Beyond its window a step lasts so long: the window begins with the first answer. */
const TAIL_SEC = 0.5;
/** One iteration may take so long. */
const REHEARSAL_MS = 120_000;
/** k6's own codes for a script that it cannot run: a wrong configuration, an exception outside iterations. */
const BAD_SCRIPT = new Set([104, 107]);

/**
 * @param {{plan: Plan, cell: CellPlan, url: string, histograms: string}} call `histograms`: where the export goes
 * @returns {{options: string[], output: string, env: Record<string, string>, file: string} | null} what k6 is told; null
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
    ],
    output: `script-measure=${histograms}`,
    env: {
      LADDERBENCH_WARMUP_SEC: `${warmupSec}`,
      LADDERBENCH_WINDOW_SEC: `${windowSec}`,
      ...addressOf(url),
    },
    file: script.path,
  };
}

/** @param {string} url @returns {Record<string, string>} nothing where the script knows it itself */
function addressOf(url) {
  return url ? { BASE_URL: url } : {};
}

/** Of every k6 of ours: it asks nobody on the internet for anything. */
const QUIET = Object.freeze({ K6_NO_USAGE_REPORT: 'true', K6_AUTO_EXTENSION_RESOLUTION: 'false' });

/**
 * One iteration by one user, before anything is measured: what is wrong with a script shows here.
 * @param {{k6: string, script: ScriptOptions, url?: string, env: Record<string, string | undefined>}} call
 * @throws {BenchError} with one line of k6's
 */
export async function rehearse({ k6, script, url = '', env }) {
  const once = ['--summary-mode', 'disabled', '--vus', '1', '--iterations', '1', '--no-thresholds'];
  const { ok, stderr, code } = await runTool(
    [k6, 'run', '--quiet', '--no-color', '--log-format', 'json', ...once, ...script.k6Options, script.path],
    { env: { ...env, ...QUIET, ...addressOf(url) }, timeoutMs: REHEARSAL_MS },
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
