import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { BenchError, causeOf, EXIT } from './errors.js';

/**
 * Writes a whole file or nothing: a crash, Ctrl-C or a full disk never leaves half a record.
 * @param {string} path
 * @param {string} text
 * @throws {BenchError} when the file system refuses
 */
export function writeFileAtomic(path, text) {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    throw new BenchError(`cannot write ${path}: ${causeOf(error)}`, {
      hint: 'free some space or make the folder writable, then run again with --resume',
      exitCode: EXIT.usage,
      cause: error,
    });
  }
}

/**
 * @param {string} path
 * @param {unknown} value JSON-able; keys keep their order so that diffs stay small
 */
export function writeJson(path, value) {
  writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * @param {string} path
 * @returns {any}
 * @throws {BenchError} when it is missing or no JSON
 */
export function readJson(path) {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new BenchError(`cannot read ${path}: ${causeOf(error)}`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BenchError(`${path} is not valid JSON: ${causeOf(error)}`, {
      hint: 'mend the file; `./run-all.sh check` lists all problems',
      cause: error,
    });
  }
}
