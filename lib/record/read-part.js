import { existsSync, statSync } from 'node:fs';
import { partProblems } from '../config/validate.js';
import { BenchError } from '../errors.js';
import { isDeeper } from '../stats/depth.js';
import { readJson } from '../store.js';

/** Far more than the longest soak writes into one file, and a file that can still be read. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Ours have a dozen. */
const MOST_LEVELS = 64;

/**
 * @param {string} path of a file of a run, which anybody may have changed
 * @param {string} [part] what it has to be: a definition of lib/schema/run.schema.json
 * @returns {any}
 * @throws {BenchError} one line: it is too large, too deep, no JSON, or something else
 */
export function readPart(path, part) {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > MOST_BYTES) throw strange(path, `it has ${bytes} bytes, and at most ${MOST_BYTES} are read`);
  const value = readJson(path);
  if (isDeeper(value, MOST_LEVELS)) throw strange(path, `it is nested more than ${MOST_LEVELS} levels deep`);
  const [problem] = part ? partProblems('run', part, value) : [];
  if (problem) throw strange(path, problem);
  return value;
}

/**
 * @param {string} path
 * @param {string} [part]
 * @returns {any} null where there is no such file
 */
export function partOrNull(path, part) {
  return existsSync(path) ? readPart(path, part) : null;
}

/**
 * @param {string} path
 * @param {string} problem
 */
export function strange(path, problem) {
  return new BenchError(`${path} is no file of a run: ${problem}`, {
    hint: 'the file was changed after the run',
  });
}
