import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { orNull } from '../errors.js';

/**
 * @param {string} parent where groups of this kind lie
 * @param {string} name
 * @param {(at: (file: string) => string) => void} limit what it limits, by its files
 * @returns {{at: (file: string) => string, add: (pid: number) => void, remove: () => void}} a new control group
 * @throws {Error} where control groups are not ours to make
 */
export function controlGroup(parent, name, limit) {
  const at = (/** @type {string} */ file) => join(parent, name, file);
  // Still busy for a moment, or gone: an empty group costs nothing and `clean` removes it.
  const remove = () => void orNull(() => rmdirSync(at('')));
  mkdirSync(at(''));
  try {
    limit(at);
  } catch (error) {
    remove();
    throw error;
  }
  return { at, add: (pid) => writeFileSync(at('cgroup.procs'), String(pid)), remove };
}
