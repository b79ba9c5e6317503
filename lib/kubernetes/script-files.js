import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { BenchError } from '../errors.js';
import { ROOT } from '../paths.js';

/** The script of a load with all that it imports, as files below one folder: a pod has no checkout. */

/** What stands in an import or an export before `from`, and the text after it. */
const IMPORT = /(?:^|[;}\s])(?:import|export)\s+(?:[\w$*{},\s]+?\s*from\s+)?(['"])([^'"\n]+)\1/gm;

/** A line that is a comment, or within one: types are imported there. */
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;

/** Where what lies outside the checkout goes. */
const OUTSIDE = 'outside';

/**
 * @typedef {object} ScriptFiles
 * @property {{path: string, text: string}[]} files by path, relative to the folder, with `/`
 * @property {string} main relative, as are the others
 * @property {string} stackFolder
 * @property {string | null} workloadFile null: one of the checkout, by its name
 */

/**
 * @param {{stackFolder: string, workload: string, workloadFile?: string}} load `stackFolder` and `workloadFile`:
 *   absolute; without a file the workload is one of the checkout
 * @returns {ScriptFiles}
 * @throws {BenchError} where a file imports one that would lie elsewhere in a pod, or that is not there
 */
export function scriptFiles({ stackFolder, workload, workloadFile }) {
  const client = join(stackFolder, 'client.js');
  const roots = [
    { from: ROOT, to: '' },
    { from: stackFolder, to: `${OUTSIDE}/stack` },
    ...(workloadFile ? [{ from: dirname(workloadFile), to: `${OUTSIDE}/workload` }] : []),
  ];
  const main = join(ROOT, 'k6', 'main.js');
  const own = workloadFile ?? join(ROOT, 'k6', 'workloads', `${workload}.js`);
  /** @type {Map<string, {path: string, text: string}>} */
  const found = new Map();
  const open = [main, client, own];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    const path = placeOf(file, roots);
    const text = readFileSync(file, 'utf8');
    found.set(file, { path, text });
    for (const [, , specifier] of text.replace(COMMENT, '').matchAll(IMPORT)) {
      if (!specifier.startsWith('.') && !isAbsolute(specifier)) continue;
      open.push(imported(file, path, specifier, roots));
    }
  }
  const files = [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    files,
    main: placeOf(main, roots),
    stackFolder: posix.dirname(placeOf(client, roots)),
    workloadFile: workloadFile ? placeOf(workloadFile, roots) : null,
  };
}

/**
 * @param {string} file absolute
 * @param {string} path where it will lie
 * @param {string} specifier
 * @param {{from: string, to: string}[]} roots
 * @returns {string} absolute
 */
function imported(file, path, specifier, roots) {
  const target = resolve(dirname(file), specifier);
  if (!existsSync(target)) throw new BenchError(`${file} imports ${specifier}, which is not there`);
  const there = isAbsolute(specifier) ? null : posix.join(posix.dirname(path), specifier);
  if (there === placeOf(target, roots)) return target;
  throw new BenchError(`${file} imports ${specifier}, which a pod would not find`, {
    hint: 'copy it into the folder of the stack or of the workload, and import it by a relative path',
  });
}

/**
 * @param {string} file absolute
 * @param {{from: string, to: string}[]} roots
 * @returns {string} relative to the folder of the pods; empty for one that lies in none of the folders
 */
function placeOf(file, roots) {
  for (const { from, to } of roots) {
    const inside = relative(from, file);
    if (!inside.startsWith('..') && !isAbsolute(inside)) return posix.join(to, inside.split(sep).join('/'));
  }
  return '';
}
