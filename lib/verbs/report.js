import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { jsonText } from '../controls.js';
import { BenchError, demandNone, EXIT } from '../errors.js';
import { measuredIn } from '../figures/changes.js';
import { shellWord } from '../process/shell.js';
import { ARCHIVE, isPacked, packRun, runsIn, unpackRun, withRun } from '../record/archive.js';
import { holderOf, holdRun, LOCK, letGo } from '../record/lock.js';
import { K6_PAGES, readPlan } from '../record/run-folder.js';
import { EVIDENCE, FACTS, isSealed, SUMS, UNSEALED } from '../record/seal.js';
import { verifyRun } from '../record/verify.js';
import { besideOf, NOTE } from '../report/beside.js';
import * as exported from '../report/figures.js';
import { writeIndex } from '../report/index.js';
import { HTML, renderedOf, renderRun } from '../report/render.js';
import { isLink } from '../store.js';
import { findRun, formatOf, reportsFolder } from './runs.js';

/** @import { Output } from '../output.js' */

/**
 * `report <run>`: renders a report again from its files; `--verify` first checks them and recomputes every record from
 * `raw/`, `--pack` puts the data of a run into one file, `--unpack` lays them open again, and `--format csv|json|junit|bmf|github-action-benchmark` prints its figures instead, `--format html` its page as one file. `report --prune N`: the newest N of each profile stay.
 * @param {string[]} words
 * @param {import('../options.js').Options} options
 * @param {Output} output
 * @returns {Promise<number>}
 * @throws {BenchError} when the run's files are not what they were, or it is packed before its end
 */
export async function reportVerb([name], options, output) {
  const reports = reportsFolder(options);
  const { prune: keep } = options;
  if (keep !== null) {
    if (name !== undefined || options.verify || options.pack || options.unpack)
      throw new BenchError('--prune is for all runs of the folder', { hint: 'give it alone' });
    prune(reports, keep, output, options.dryRun);
    return EXIT.ok;
  }
  const folder = findRun(name, reports);
  if (options.verify) {
    const problems = withRun(folder, verifyRun, { check: false });
    const n = problems.length === 1 ? '1 thing does' : `${problems.length} things do`;
    demandNone(problems, {
      prefix: `${n} not hold in ${basename(folder)}: `,
      hint: 'the files were changed after the run, or another version of ladderbench measured it',
      exitCode: EXIT.thresholds,
    });
    output.say(`${basename(folder)}: every file is as it was measured, every record follows from raw/`);
  }
  const isOpen = !isPacked(folder) && !isSealed(folder);
  if (options.pack && isOpen)
    throw new BenchError(`the run ${basename(folder)} has not ended: it has no ${SUMS}`, {
      hint: `\`./run-all.sh --resume ${shellWord(folder)}\` measures the rest and packs it`,
    });
  if (options.dryRun) {
    output.say(
      `would render ${join(folder, 'README.md')}${options.pack && !isPacked(folder) ? ` and pack its data into ${ARCHIVE}` : ''}`,
    );
    return EXIT.ok;
  }
  if (isOpen) output.say(`${basename(folder)} is ${UNSEALED}`);
  const format = formatOf(options, Object.keys(EXPORTS));
  if (format !== 'md') {
    output.result(EXPORTS[format](folder));
    return EXIT.ok;
  }
  const { path } = withRun(folder, (data) => renderRun(folder, data));
  if (options.pack && isPacked(folder)) output.say(`${basename(folder)} is packed already`);
  else if (options.pack) {
    holdRun(folder);
    packRun(folder);
    letGo(folder);
    output.say(`packed ${basename(folder)} into ${ARCHIVE}`);
  }
  if (options.unpack && isPacked(folder)) {
    unpackRun(folder);
    output.say(`the data of ${basename(folder)} lie open in ${folder}`);
  }
  // Who renders a run again wants it said as it is said today.
  const isAnew = (/** @type {string} */ run) => run === basename(folder);
  if (dirname(folder) === reports) for (const line of writeIndex(reports, isAnew)) output.say(line);
  output.result(`${path}\n`);
  return EXIT.ok;
}

/** @type {Record<string, (folder: string) => string>} */
const EXPORTS = {
  md: () => '',
  html: (folder) => withRun(folder, (data) => renderedOf(data, besideOf(folder)).html),
  csv: (folder) => exported.figuresCsv(figuresOf(folder)),
  json: (folder) => jsonText(exported.figuresJson(figuresOf(folder))),
  junit: (folder) => exported.figuresJunit(figuresOf(folder)),
  bmf: (folder) => jsonText(exported.figuresBmf(figuresOf(folder))),
  'github-action-benchmark': (folder) => jsonText(exported.figuresActionBenchmark(figuresOf(folder))),
};

/** @param {string} folder */
function figuresOf(folder) {
  return withRun(folder, (data) => {
    const { plan, measured, scriptRows, comparisons } = measuredIn(data);
    return {
      run: basename(folder),
      profile: plan.profileId,
      loads: [...measured, ...scriptRows.map(loadOf)],
      comparisons,
    };
  });
}

/**
 * @param {import('../figures/script-rows.js').ScriptRow} row
 * @returns {import('../figures/changes.js').Measured} in the form of a load
 */
function loadOf({ system, workload, transport, step, name, kind, isRequest, isTime, beyond, figures }) {
  return {
    ...{ system, workload, transport, step: step.id, connections: step.vus, depth: 1 },
    operation: isRequest ? `requests{${kind}:${beyond > 0 ? '(others)' : name}}` : name,
    ...{ failure: null, figures, isTime, keys: /** @type {any} */ ({}), sideBySide: false },
  };
}

/** What a run consists of; anything else in its folder is someone's own. */
const PARTS = [...FACTS, SUMS, ARCHIVE, ...EVIDENCE, 'charts', K6_PAGES, 'README.md', HTML, NOTE, LOCK];

/**
 * Removes all but the newest runs of each profile.
 * @param {string} reports
 * @param {number} keep runs of each profile
 * @param {Output} output
 * @param {boolean} dry say it only
 */
function prune(reports, keep, output, dry) {
  /** @type {Map<string, number>} */
  const kept = new Map();
  for (const name of runsIn(reports).reverse()) {
    if (isLink(join(reports, name))) {
      output.say(`left ${name}: it is a link, and what it leads to is not in ${reports}`);
      continue;
    }
    const profile = profileOf(join(reports, name), output);
    if (profile === null) continue;
    const before = kept.get(profile) ?? 0;
    if (before < keep) kept.set(profile, before + 1);
    else if (dry) output.say(`would remove ${name}`);
    else removeRun(join(reports, name), output);
  }
  if (!dry && existsSync(reports)) for (const line of writeIndex(reports)) output.say(line);
}

/**
 * @param {string} folder
 * @param {Output} output
 * @returns {string | null} null when the run cannot be read: such a run is left to its owner
 */
function profileOf(folder, output) {
  try {
    return withRun(folder, (data) => readPlan(data).profileId, { wanted: (file) => file === 'plan.json' });
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    output.say(`left ${basename(folder)}: ${error.message}`);
    return null;
  }
}

/**
 * @param {string} folder
 * @param {Output} output
 */
function removeRun(folder, output) {
  if (holderOf(folder)) {
    output.say(`left ${basename(folder)}: it is being written`);
    return;
  }
  for (const part of PARTS) rmSync(join(folder, part), { recursive: true, force: true });
  try {
    rmdirSync(folder);
    output.say(`removed ${basename(folder)}`);
  } catch {
    output.say(`removed the run ${basename(folder)}, and left what else is in its folder`);
  }
}
