import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { BenchError, causeOf, orCannot, orNull, WRITABLE } from './errors.js';

/** @param {string | Uint8Array} content @returns {string} its SHA-256, hexadecimal */
export function sha256(content) {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Writes a whole file or nothing: a crash, Ctrl-C or a full disk never leaves half a record.
 * @param {string} path
 * @param {string | Uint8Array} content
 * @param {{durable?: boolean}} [options] `durable`: on the disk before this returns, also when the power fails
 * @throws {BenchError} when the file system refuses
 */
export function writeFileAtomic(path, content, { durable = false } = {}) {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    orCannot(`write ${path}`, WRITABLE, () => {
      makeFolder(dirname(path));
      writeFileSync(temporary, content);
      if (durable) syncFile(temporary);
      renameSync(temporary, path);
    });
  } catch (error) {
    // What refused the writing refuses this, too: the first error is the one to tell.
    orNull(() => rmSync(temporary, { force: true }));
    throw error;
  }
}

/**
 * Level by level: where a file system has no folders to make (`/proc`), Node.js tries without end.
 * @param {string} path of a folder, with all that it lies in
 * @param {{mode?: number}} [options]
 * @throws {NodeJS.ErrnoException}
 */
export function makeFolder(path, options) {
  try {
    mkdirSync(path, options);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'ENOENT' || existsSync(dirname(path))) {
      if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
      return;
    }
    makeFolder(dirname(path), options);
    makeFolder(path, options);
  }
}

/** @param {string} path @returns {boolean} whether what lies there leads to another place */
export function isLink(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** @param {string} path */
function syncFile(path) {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
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
 * @returns {string}
 * @throws {BenchError} when it is missing, or no file: a pipe would be waited for without end
 */
export function readText(path) {
  try {
    if (statSync(path).isFile()) return readFileSync(path, 'utf8');
  } catch (error) {
    throw new BenchError(`cannot read ${path}: ${causeOf(error)}`, { cause: error });
  }
  throw new BenchError(`cannot read ${path}: it is no regular file`);
}

/**
 * @param {string} path
 * @returns {any}
 * @throws {BenchError} when it is missing, no file or no JSON
 */
export function readJson(path) {
  const text = readText(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BenchError(`${path} is not valid JSON: ${causeOf(error)}`, {
      hint: 'mend the file',
      cause: error,
    });
  }
}

/**
 * @param {string} path of what the kernel, or an earlier run, may have there
 * @returns {string | null} null where it cannot be read
 */
export function textOrNull(path) {
  return orNull(() => readFileSync(path, 'utf8'));
}

/**
 * @template T
 * @param {string} path of what can be found out again
 * @param {T} otherwise
 * @returns {T} what it holds, where that is JSON
 */
export function readJsonOr(path, otherwise) {
  return orNull(() => readJson(path)) ?? otherwise;
}
