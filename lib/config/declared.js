import { readdirSync, statSync } from 'node:fs';
import { hasControls, plainLine } from '../controls.js';
import { BenchError } from '../errors.js';
import { readJson } from '../store.js';

/** The largest manifest of the checkout has 12 KB, 405 values and 10 levels. */
const MOST_BYTES = 262_144;
const MOST_VALUES = 5000;
const MOST_LEVELS = 32;

/** Names that every object has from its prototype: as a key they would not be found where they are looked for. */
const INHERITED = new Set(['__proto__', 'constructor', 'prototype']);

/** Below these stand bytes that a server is sent and answers, and arguments of programs. */
const RAW = new Set(['tcp', 'mark', 'start', 'command', 'prepare', 'setup', 'version']);
/** Of those, where bytes are sent. */
const SENT = new Set(['tcp', 'mark', 'send', 'expect', 'after']);
/** No program can be given them: a script has line breaks and tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NO_ARGUMENT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * Reads a manifest or a profile, which anybody may have written: what no honest one holds is refused before anything
 * looks into it.
 * @param {string} path
 * @returns {any}
 * @throws {BenchError} one line: it is missing, no file, no JSON, too large, or holds names or text that would not stay
 *   in their place
 */
export function readDeclared(path) {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > MOST_BYTES) throw refused(path, `it has ${bytes} bytes; the limit is ${MOST_BYTES}`);
  const value = readJson(path);
  const problem = strangeness(value);
  if (problem) throw refused(path, problem);
  return value;
}

/**
 * @param {string} path
 * @param {string} problem
 */
function refused(path, problem) {
  return new BenchError(`${path}: ${problem}`, {
    hint: 'a manifest or a profile is a short file of settings',
  });
}

/**
 * Without recursion: the depth is what is in question.
 * @param {unknown} root
 * @returns {string | null} what no manifest and no profile holds; null when there is nothing
 */
function strangeness(root) {
  /** @type {{value: unknown, level: number, raw: boolean, sent: boolean}[]} */
  const rest = [{ value: root, level: 1, raw: false, sent: false }];
  for (let seen = 1; rest.length > 0; seen++) {
    const { value, level, raw, sent } = /** @type {(typeof rest)[number]} */ (rest.pop());
    if (seen + rest.length > MOST_VALUES) return `it has more than ${MOST_VALUES} values`;
    if (level > MOST_LEVELS) return `it is nested more than ${MOST_LEVELS} levels deep`;
    if (typeof value === 'string' && !sent && (raw ? NO_ARGUMENT.test(value) : hasControls(value)))
      return `the text "${plainLine(value, 40)}" has control characters or line breaks`;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, inner] of Object.entries(value)) {
      if (INHERITED.has(name)) return `"${name}" cannot be the name of a field`;
      if (hasControls(name)) return `the name "${plainLine(name, 40)}" has control characters or line breaks`;
      rest.push({
        ...{ value: inner, level: level + 1 },
        ...{ raw: raw || RAW.has(name), sent: sent || SENT.has(name) },
      });
    }
  }
  return null;
}

/**
 * @param {string} word in place of the name of a profile or a workload
 * @returns {boolean} whether it names a file of one's own
 */
export function isJsonFile(word) {
  return word.endsWith('.json');
}

/**
 * @param {string} folder
 * @param {string} ending
 * @returns {string[]} names of its files with that ending, without it, sorted
 */
export function namesIn(folder, ending) {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .sort();
}

/**
 * @param {string} path
 * @returns {boolean} whether it is a file: reading a pipe would never end
 */
export function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
