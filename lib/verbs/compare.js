import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { suggest } from '../config/nearest.js';
import { jsonText } from '../controls.js';
import { BenchError, demandNone, EXIT } from '../errors.js';
import { changesBetween, measuredIn, ratioChangesBetween } from '../figures/changes.js';
import { crossings, demandJudgeable, limitsOf } from '../figures/gate.js';
import { shellWord } from '../process/shell.js';
import { withRun } from '../record/archive.js';
import { readEnvironment } from '../record/run-folder.js';
import { isSealed, UNSEALED } from '../record/seal.js';
import { changesCsv, changesJson, changesJunit, changesMarkdown } from '../report/changes.js';
import { findRun, formatOf, reportsFolder } from './runs.js';

/** @typedef {ReturnType<typeof loadRun>} LoadedRun */

/** Beside Markdown. @type {Record<string, (changes: Parameters<typeof changesMarkdown>[0], exitCode: number) => string>} */
const EXPORTS = {
  csv: changesCsv,
  json: (changes, exitCode) => jsonText(changesJson(changes, exitCode)),
  junit: changesJunit,
};

/**
 * `compare BASE NEW`: the same loads of two runs, or (`RUN:SYSTEM`) of two systems, the second against the first. With
 * `--fail-on` it is a gate: exit 4 where a limit is crossed for certain.
 * @param {string[]} words
 * @param {import('../options.js').Options} options
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 * @throws {BenchError} when nothing can be compared, or held against a limit
 */
export async function compareVerb([first, second], options, output) {
  if (second === undefined)
    throw new BenchError('compare needs two runs', {
      hint: './run-all.sh compare BASE NEW, or two systems of one run: compare latest:one latest:other',
    });
  const reports = reportsFolder(options);
  const limits = limitsOf(options.failOn);
  const format = formatOf(options, ['md', ...Object.keys(EXPORTS)]);
  const [one, other] = [first, second].map((word) => sideOf(word, reports));
  const a = loadRun(one.folder);
  const b = other.folder === one.folder ? a : loadRun(other.folder);
  demandSystem(one, a);
  demandSystem(other, b);
  const rows = changesBetween(
    { run: a.measured, system: one.system },
    { run: b.measured, system: other.system ?? one.system },
  );
  if (rows.length === 0) throw new BenchError('the two have no load in common');
  const open = [...new Set([a, b])].filter((run) => !run.sealed).map(({ name }) => `${name} is ${UNSEALED}`);
  if (limits.length > 0)
    demandNone(open, {
      prefix: '--fail-on: ',
      hint: `\`./run-all.sh --resume ${shellWord((a.sealed ? other : one).folder)}\` measures the rest and seals it; else bring its files back from where it was kept`,
      exitCode: EXIT.thresholds,
    });
  for (const line of open) output.say(line);
  demandJudgeable(rows, limits);
  const changes = {
    plan: b.measured.plan,
    before: nameOf(one, a),
    after: nameOf({ ...other, system: other.system ?? one.system }, b),
    notes: [...open.map((line) => `**${line}**`), ...notesOf(a, b, one.system !== null)],
    rows,
    ratios: a === b ? [] : ratioChangesBetween(a.measured, b.measured),
    limits,
    crossings: crossings(rows, limits),
  };
  const exitCode = changes.crossings.length > 0 ? EXIT.thresholds : EXIT.ok;
  const markdown = changesMarkdown(changes);
  output.result(format === 'md' ? markdown : EXPORTS[format](changes, exitCode));
  summarize(markdown, output);
  return exitCode;
}

/**
 * @param {string | undefined} word `RUN` or `RUN:SYSTEM`
 * @param {string} reports
 * @returns {{folder: string, system: string | null}}
 */
function sideOf(word, reports) {
  // A path of Windows has its colon behind one letter.
  const [, run, system] = /^(.{2,}):([^:/\\]+)$/.exec(word ?? '') ?? [null, word, null];
  return { folder: findRun(run ?? undefined, reports), system };
}

/** @param {{system: string | null}} side @param {LoadedRun} run */
function demandSystem({ system }, { name, measured }) {
  const known = [...new Set(measured.measured.map((m) => m.system))];
  if (system === null || known.includes(system)) return;
  throw new BenchError(`the run ${name} has no system "${system}": ${suggest(system, known)}`);
}

/** @param {{system: string | null}} side @param {LoadedRun} run */
function nameOf({ system }, { name }) {
  return system === null ? name : `${system} of ${name}`;
}

/** @param {string} folder */
function loadRun(folder) {
  return withRun(folder, (data) => ({
    name: basename(folder),
    measured: measuredIn(data),
    environment: readEnvironment(data),
    sealed: isSealed(data),
  }));
}

/**
 * @param {LoadedRun} a
 * @param {LoadedRun} b
 * @param {boolean} systems whether two systems are meant
 * @returns {string[]}
 */
function notesOf(a, b, systems) {
  if (a === b && systems)
    return [
      'Two systems of one run: repeats are compared in pairs; CPU per operation of systems side by side, too.',
    ];
  const host = (/** @type {LoadedRun} */ { environment: e }) =>
    `${e.host.os}, ${e.host.cpuModel}, ${e.host.usableCpus} CPUs`;
  const methods = [a, b].map(({ measured }) => measured.plan.methodVersion);
  return [
    host(a) === host(b)
      ? `Same kind of host: ${host(a)}.`
      : `**The hosts differ**: ${host(a)} before, ${host(b)} after. A ratio then says nothing about the systems.`,
    methods[0] === methods[1]
      ? ''
      : `**Measured by methods ${methods.join(' and ')}**: both are judged by the rules of today, and a figure that keeps them is the same in both.`,
    ...packetNotes(a.environment.host.network, b.environment.host.network),
    'The two runs were made one after the other. A change of the machine between them would look like a change of the system.',
  ].filter(Boolean);
}

/**
 * What makes each exchange over loopback dearer or cheaper, whatever the systems do; runs of before say nothing of it.
 * @param {import('../environment/environment.js').Network} [before]
 * @param {import('../environment/environment.js').Network} [after]
 * @returns {string[]} Markdown
 */
export function packetNotes(before, after) {
  if (!before || !after) return [];
  const [a, b] = [before.congestionControl, after.congestionControl];
  const known = before.tracksPackets !== null && after.tracksPackets !== null;
  const notes = [];
  if (known && before.tracksPackets !== after.tracksPackets)
    notes.push(
      `**The kernel tracked packets ${before.tracksPackets ? 'before' : 'after'} only**, for a firewall or for Docker, whose rules stay when its engine has ended: a small exchange over loopback then takes about a tenth more CPU.`,
    );
  if (a !== null && b !== null && a !== b)
    notes.push(`**TCP's congestion control differs**: ${a} before, ${b} after.`);
  return notes;
}

/**
 * What a job of GitHub Actions shows on its page.
 * @param {string} markdown
 * @param {import('../output.js').Output} output
 */
function summarize(markdown, output) {
  const path = process.env.GITHUB_STEP_SUMMARY;
  if (!path) return;
  try {
    appendFileSync(path, `${markdown}\n`);
  } catch (error) {
    output.say(`cannot append to GITHUB_STEP_SUMMARY (${path}): ${/** @type {Error} */ (error).message}`);
  }
}
