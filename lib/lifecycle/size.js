import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { programsOf } from '../engines/native.js';
import { BenchError } from '../errors.js';
import { findNeed } from '../setup/needs.js';

/** @import { LifecycleRaw, Stack } from '../types.d.ts' */

/**
 * @param {Stack} stack with a lifecycle recipe
 * @returns {LifecycleRaw['runtime']} sums of file sizes, not of disk blocks
 * @throws {BenchError} when something that the manifest names is not there
 */
export function runtimeOf(stack) {
  const { fill } = programsOf(stack);
  return (stack.manifest.lifecycle?.runtime ?? []).map(({ what, path, binary }) => {
    const found = path === undefined ? findNeed({ binary: String(binary) })?.path : fill(path);
    try {
      return { what, bytes: bytesOf(realpathSync(String(found))), shared: path === undefined };
    } catch {
      throw new BenchError(`${stack.id}: lifecycle.runtime names ${path ?? binary}, which is missing`);
    }
  });
}

/**
 * @param {string} path of a file or folder
 * @returns {number} bytes of all files; links are not followed below it
 */
export function bytesOf(path) {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    const inside = join(path, entry.name);
    return sum + (entry.isDirectory() ? bytesOf(inside) : lstatSync(inside).size);
  }, 0);
}
