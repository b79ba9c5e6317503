import { existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { suggest } from '../config/nearest.js';
import { BenchError, causeOf } from '../errors.js';
import { REPORTS } from '../paths.js';
import { secondsSeen } from '../plan/seen.js';
import { isRun, runsIn } from '../record/archive.js';
import { makeFolder } from '../store.js';

/**
 * @param {Pick<import('../options.js').Options, 'reports'>} options
 * @returns {string} absolute folder of runs
 * @throws {BenchError} when it is something else than a folder
 */
export function reportsFolder({ reports }) {
  if (reports === null) return REPORTS;
  if (reports === '') throw new BenchError('--reports is empty', { hint: 'name a folder' });
  const folder = resolve(reports);
  let standing = folder;
  while (!existsSync(standing)) standing = dirname(standing);
  if (!statSync(standing).isDirectory())
    throw new BenchError(`--reports ${folder}: not a folder`, { hint: `${standing} is none: name another` });
  return folder;
}

/**
 * @param {Pick<import('../options.js').Options, 'format' | 'json'>} options
 * @param {readonly string[]} formats that the command has
 * @returns {string} the one that was asked for; Markdown where none was
 * @throws {BenchError} naming the nearest one
 */
export function formatOf({ format, json }, formats) {
  if (format === null) return json ? 'json' : 'md';
  if (formats.includes(format)) return format;
  throw new BenchError(`unknown --format "${format}": ${suggest(format, [...formats])}`);
}

const RUNS = 'a run is a folder of reports/, by its name or its path; `latest` is the newest';

/**
 * @param {string} reports
 * @param {string} profileId
 * @param {string[]} [more] folders of runs that say more
 * @returns {ReturnType<typeof secondsSeen>} how long loads took in the runs there and in those of this checkout
 */
export function seenIn(reports, profileId, more = []) {
  const folders = [...new Set([REPORTS, reports])];
  const runs = folders.flatMap((folder) => runsIn(folder).map((name) => join(folder, name)));
  return secondsSeen([...runs, ...more], profileId);
}

/**
 * @param {string | undefined} name a run's id, or the path of its folder; `latest` is the newest
 * @param {string} reports
 * @returns {string} absolute folder
 * @throws {BenchError} unknown, with the nearest name
 */
export function findRun(name, reports) {
  const runs = runsIn(reports);
  if (!name) throw new BenchError('which run?', { hint: RUNS });
  if (name === 'latest' && runs.length > 0) return join(reports, runs[runs.length - 1]);
  // A path names that folder and no other of the same name.
  const isPath = name.includes('/') || name.includes(sep);
  const candidates = isPath ? [resolve(name)] : [join(reports, name), resolve(name)];
  const found = candidates.find(isRun);
  if (!found) throw new BenchError(`no run "${name}": ${suggest(basename(name), runs)}`, { hint: RUNS });
  return found;
}

/**
 * Makes the folder of a new run: runs that begin in the same second get a folder each.
 * @param {string} reports
 * @param {string} wanted id of the run
 * @returns {string} absolute folder; its name is the wanted one, or that with `-2`, `-3` and so on
 * @throws {BenchError} when none can be made
 */
export function claimRunFolder(reports, wanted) {
  for (let n = 1; ; n++) {
    const folder = join(reports, n === 1 ? wanted : `${wanted}-${n}`);
    try {
      makeFolder(reports);
      mkdirSync(folder);
      return folder;
    } catch (error) {
      // Only where the name is taken is another one tried.
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST' || !existsSync(folder))
        throw new BenchError(`cannot write ${folder}: ${causeOf(error)}`, {
          hint: 'free some space or make the folder writable, or name another with --reports',
          cause: error,
        });
    }
  }
}
