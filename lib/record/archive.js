import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BenchError, causeOf, EXIT, orCannot, roomBy } from '../errors.js';
import { removeNow } from '../process/child.js';
import { temporaryFolder } from '../process/temporary.js';
import { packColumns, unpackColumns } from '../stats/columns.js';
import { makeFolder, writeFileAtomic } from '../store.js';
import { isSafeName } from './run-folder.js';
import { dataFiles, demandWhole, EVIDENCE, FACTS, isSealed, SUMS } from './seal.js';

/**
 * A finished run keeps its data in one file; while it goes on they lie in the run's folder, so that a crash loses
 * nothing. Where both are there, as after a crash between two steps of below, the folder is whole and counts, as its
 * checksums say.
 */
export const ARCHIVE = 'data.columns';

/**
 * @param {string} runFolder
 * @returns {boolean} whether its data are in an archive
 */
export function isPacked(runFolder) {
  const isOpen = existsSync(join(runFolder, 'plan.json')) && isSealed(runFolder);
  return !isOpen && existsSync(join(runFolder, ARCHIVE));
}

/**
 * @param {string} folder
 * @returns {boolean} whether a run is, or was, written there
 */
export function isRun(folder) {
  return existsSync(join(folder, 'plan.json')) || isPacked(folder);
}

/**
 * @param {string} reports
 * @returns {string[]} names of the runs in it, oldest first
 */
export function runsIn(reports) {
  if (!existsSync(reports)) return [];
  return readdirSync(reports)
    .filter((name) => isRun(join(reports, name)))
    .sort();
}

/**
 * Moves the data of a sealed run into its archive. The same data give the same bytes.
 * @param {string} runFolder
 * @throws {BenchError} when a file changed since it was sealed, or the file system refuses
 */
export function packRun(runFolder) {
  if (!isSealed(runFolder)) throw new Error(`${runFolder} is not sealed`);
  demandWhole(runFolder, runFolder);
  const path = join(runFolder, ARCHIVE);
  const files = new Map(
    [...dataFiles(runFolder), SUMS].map((file) => [file, readFileSync(join(runFolder, file))]),
  );
  writeFileAtomic(path, packColumns(files), { durable: true });
  const kept = readArchive(path);
  const isKept = (/** @type {[string, Buffer]} */ [file, content]) => kept.get(file)?.equals(content);
  if (kept.size !== files.size || ![...files].every(isKept))
    throw new Error(`${path} does not hold the whole run`);
  // Without the plan the archive counts, so it goes first.
  for (const part of [...FACTS, SUMS, ...EVIDENCE])
    rmSync(join(runFolder, part), { recursive: true, force: true });
  sweep(runFolder);
}

/**
 * Moves the data of a run out of its archive, for it to go on.
 * @param {string} runFolder
 * @throws {BenchError} when it cannot be read or written
 */
export function unpackRun(runFolder) {
  sweep(runFolder);
  const work = join(runFolder, `unpacked.${process.pid}.tmp`);
  try {
    writeFiles(readArchive(join(runFolder, ARCHIVE)), work);
    for (const part of [...EVIDENCE, ...FACTS, SUMS].filter((p) => p !== 'plan.json')) {
      rmSync(join(runFolder, part), { recursive: true, force: true });
      if (existsSync(join(work, part))) renameSync(join(work, part), join(runFolder, part));
    }
    // Last: from here on the folder counts.
    renameSync(join(work, 'plan.json'), join(runFolder, 'plan.json'));
    rmSync(join(runFolder, ARCHIVE));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Reads a run, packed or not, from a folder with its data. A sealed run whose files changed is not read.
 * @template T
 * @param {string} runFolder
 * @param {(data: string) => T} use
 * @param {{wanted?: (file: string) => boolean, check?: boolean}} [options] `wanted`: only these files, where that
 *   saves time; `check`: false for who tells of the damage itself
 * @returns {T}
 * @throws {BenchError} when it is damaged
 */
export function withRun(runFolder, use, { wanted, check = true } = {}) {
  if (!isPacked(runFolder)) {
    if (check) demandWhole(runFolder, runFolder, wanted);
    return used(runFolder, runFolder, use);
  }
  const data = temporaryFolder('run');
  try {
    writeFiles(readArchive(join(runFolder, ARCHIVE), wanted), data);
    if (check) demandWhole(data, runFolder, wanted);
    return used(data, runFolder, use);
  } finally {
    removeNow(data);
  }
}

/**
 * What no schema foresees of files that anybody may have changed is one line as well, with the place that met it.
 * @template T
 * @param {string} data
 * @param {string} runFolder
 * @param {(data: string) => T} use
 * @returns {T}
 */
function used(data, runFolder, use) {
  try {
    return use(data);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError))
      throw error;
    const [, place = ''] = /\n +at .*?([^/]+:\d+):\d+/.exec(error.stack ?? '') ?? [];
    throw new BenchError(`cannot read the run ${basename(runFolder)}: ${error.message} (${place})`, {
      hint: 'its files are not those of a run: bring them back from where it was kept',
      cause: error,
    });
  }
}

/**
 * @param {string} path
 * @param {(file: string) => boolean} [wanted] only these, and the checksums
 * @returns {Map<string, Buffer>} content by name
 * @throws {BenchError} when it is no archive of a run: a name that leads elsewhere, a bomb
 */
export function readArchive(path, wanted = () => true) {
  // A pipe would be waited for without end.
  if (!statSync(path).isFile()) throw unreadable(path, 'it is no regular file');
  /** @type {Map<string, Buffer>} */
  const files = new Map();
  try {
    for (const { name, content } of unpackColumns(
      readFileSync(path),
      (name) => name === SUMS || wanted(name),
    )) {
      const problem = nameProblem(name, files);
      if (problem) throw unreadable(path, problem);
      files.set(name, content);
    }
  } catch (error) {
    throw error instanceof BenchError ? error : unreadable(path, causeOf(error));
  }
  for (const needed of ['plan.json', SUMS])
    if (!files.has(needed) && (needed === SUMS || wanted(needed)))
      throw unreadable(path, `it holds no ${needed}`);
  return files;
}

/**
 * @param {string} name
 * @param {Map<string, Buffer>} files before it
 * @returns {string | null} why it has no place in an archive of a run
 */
function nameProblem(name, files) {
  const shown = JSON.stringify(name);
  if (files.has(name)) return `it holds ${shown} twice`;
  const at = name.lastIndexOf('/');
  const known = at < 0 ? [...FACTS, SUMS].includes(name) : EVIDENCE.includes(name.slice(0, at));
  return known && isSafeName(name.slice(at + 1)) ? null : `it holds ${shown}, which is no file of a run`;
}

/**
 * @param {string} path
 * @param {string} problem
 */
function unreadable(path, problem) {
  return new BenchError(`cannot read ${path}: ${problem}`, {
    hint: 'bring the file back from where the run was kept',
    exitCode: EXIT.thresholds,
  });
}

/**
 * @param {Map<string, Buffer>} files
 * @param {string} folder
 * @throws {BenchError} when the file system refuses
 */
function writeFiles(files, folder) {
  orCannot(`unpack into ${folder}`, roomBy('TMPDIR'), () => {
    for (const [name, content] of files) {
      makeFolder(dirname(join(folder, name)));
      writeFileSync(join(folder, name), content);
    }
  });
}

/**
 * Removes what a crash left half written.
 * @param {string} runFolder that is held
 */
function sweep(runFolder) {
  for (const name of readdirSync(runFolder).filter((n) => /\.\d+\.tmp$/.test(n)))
    rmSync(join(runFolder, name), { recursive: true, force: true });
}
