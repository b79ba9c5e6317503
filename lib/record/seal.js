import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BenchError, EXIT } from '../errors.js';
import { readText, sha256, writeFileAtomic } from '../store.js';

/** What was measured, and what follows from it: the files that checksums are kept of. */
export const FACTS = Object.freeze(['plan.json', 'profile.json', 'environment.json']);
export const EVIDENCE = Object.freeze(['results', 'raw']);
export const SUMS = 'SHA256SUMS';

/**
 * @param {string} data folder with the files of a run
 * @returns {string[]} those that belong to it, relative and sorted
 */
export function dataFiles(data) {
  const below = EVIDENCE.filter((folder) => existsSync(join(data, folder))).flatMap((folder) =>
    readdirSync(join(data, folder)).map((name) => `${folder}/${name}`),
  );
  const isData = (/** @type {string} */ file) =>
    !file.endsWith('.tmp') && existsSync(join(data, file)) && statSync(join(data, file)).isFile();
  return [...FACTS, ...below].filter(isData).sort();
}

/**
 * Writes the checksums of a run that has ended. From then on nothing of it changes.
 * @param {string} data
 */
export function seal(data) {
  const lines = dataFiles(data).map((file) => `${sha256(readFileSync(join(data, file)))}  ${file}\n`);
  writeFileAtomic(join(data, SUMS), lines.join(''));
}

/**
 * Takes the checksums away from a run that goes on.
 * @param {string} data
 */
export function unseal(data) {
  rmSync(join(data, SUMS), { force: true });
}

/**
 * @param {string} data
 * @returns {boolean} false while a run goes on, and when it was killed
 */
export function isSealed(data) {
  return existsSync(join(data, SUMS));
}

/** Of a run without checksums, wherever something is made of it. */
export const UNSEALED = `not sealed: it has no ${SUMS}, as after a run that was killed, and nobody can tell whether its files are as they were measured`;

/**
 * @param {string} data of a sealed run
 * @param {(file: string) => boolean} [wanted] only these
 * @returns {string[]} each file that is not what it was, and how; empty when all are whole
 */
export function damageOf(data, wanted = () => true) {
  /** @type {Map<string, string>} */
  const sums = new Map();
  for (const line of readText(join(data, SUMS)).split('\n').filter(Boolean)) {
    const match = /^([0-9a-f]{64}) [ *](.+)$/.exec(line);
    if (!match) return [`${SUMS}: not of the form that sha256sum writes`];
    sums.set(match[2], match[1]);
  }
  const present = dataFiles(data).filter(wanted);
  return [
    ...[...sums.keys()].filter((f) => wanted(f) && !present.includes(f)).map((f) => `${f}: missing`),
    ...present.filter((f) => !sums.has(f)).map((f) => `${f}: not among the checksums`),
    ...present
      .filter((f) => sums.has(f) && sums.get(f) !== sha256(readFileSync(join(data, f))))
      .map((f) => `${f}: changed`),
  ].sort();
}

/**
 * @param {string} data
 * @param {string} run its folder, for the message
 * @param {(file: string) => boolean} [wanted]
 * @throws {BenchError} naming each file of a sealed run that is not what it was
 */
export function demandWhole(data, run, wanted) {
  const damage = isSealed(data) ? damageOf(data, wanted) : [];
  if (damage.length === 0) return;
  const files = damage.length === 1 ? 'a file' : `${damage.length} files`;
  throw new BenchError(`${files} of ${basename(run)} changed after the run: ${damage[0]}`, {
    detail: damage.slice(1),
    hint: 'bring the files back from where the run was kept: nothing follows from these',
    exitCode: EXIT.thresholds,
  });
}
