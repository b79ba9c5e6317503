import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { which } from '../process/tool.js';
import { canUnpack, unpacked, unpackedEnvironment, unpackPackage } from './debian.js';

/** @import { NativeNeed } from '../types.d.ts' */

/**
 * @typedef {object} Found
 * @property {string} path
 * @property {Record<string, string>} env what it needs to start
 * @property {string} source where it came from, for the report
 */

/**
 * @param {NativeNeed} need
 * @returns {Found | null} the program, from PATH or from an earlier set-up
 */
export function findNeed(need) {
  const onPath = which(need.binary);
  if (onPath) return { path: onPath, env: {}, source: need.source ?? 'on PATH' };
  const installed = firstThere(need.folders ?? [], need.binary);
  if (installed) return { path: installed, env: {}, source: `in ${dirname(installed)}` };
  const had = need.debian ? unpacked(need.debian) : null;
  return had ? fromUnpacked(need, had) : null;
}

/**
 * Gets a missing program where that can be done without touching the machine.
 * @param {NativeNeed} need
 * @returns {Promise<{found: Found} | {problem: string}>}
 */
export async function obtainNeed(need) {
  const found = findNeed(need);
  if (found) return { found };
  if (!need.debian || !canUnpack()) return { problem: howToInstall(need) };
  const result = await unpackPackage(need.debian);
  if ('problem' in result) return { problem: `${result.problem}; ${howToInstall(need)}` };
  const now = fromUnpacked(need, result.unpacked);
  return now ? { found: now } : { problem: `the package ${need.debian} has no ${need.binary}` };
}

/**
 * @param {NativeNeed} need
 * @param {import('./debian.js').Unpacked} had
 * @returns {Found | null}
 */
function fromUnpacked(need, had) {
  const { binFolders, env } = unpackedEnvironment(had.root);
  const folders = [...binFolders, ...(need.folders ?? []).map((f) => join(had.root, f))];
  const path = firstThere(folders, need.binary);
  return path
    ? { path, env, source: `Debian package ${had.packages.find((p) => p.startsWith(`${need.debian} `))}` }
    : null;
}

/**
 * @param {string[]} folders
 * @param {string} binary
 * @returns {string | undefined} its path
 */
function firstThere(folders, binary) {
  return folders.map((folder) => join(folder, binary)).find((path) => existsSync(path));
}

/**
 * @param {NativeNeed} need
 * @returns {string} the one line that would change it
 */
export function howToInstall(need) {
  if (process.platform === 'darwin' && need.brew) return `type: brew install ${need.brew}`;
  if (need.hint) return need.hint;
  if (need.debian) return `type: apt-get install ${need.debian}, or put ${need.binary} on PATH`;
  return `put ${need.binary} on PATH`;
}
