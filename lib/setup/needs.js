import { existsSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { temporaryFolder } from '../process/temporary.js';
import { which } from '../process/tool.js';
import { canUnpack, unpacked, unpackedEnvironment, unpackPackage } from './debian.js';

/** @import { NativeNeed } from '../types.d.ts' */

/**
 * @typedef {object} Found
 * @property {string} path
 * @property {Record<string, string>} env what it needs to start
 * @property {string} source where it came from, for the report
 */

/** Folders in which programs have the names that manifests know, by what is linked there. @type {Map<string, string>} */
const links = new Map();

/**
 * One order for every program: the one that its variable names, PATH, its own folders, its package. A variable that names
 * no program is a mistake, and nothing else takes its place.
 * @param {NativeNeed} need
 * @returns {Found | null} the program, as far as it is here
 */
export function findNeed(need) {
  const named = namedProgram(need);
  if (named) {
    const path = which(resolve(named));
    return path ? { path: asKnown(path, need.binary), env: {}, source: namedBy(String(need.env)) } : null;
  }
  const onPath = which(need.binary);
  if (onPath) return { path: onPath, env: {}, source: need.source ?? 'on PATH' };
  const installed = installedIn(need.folders ?? [], need.binary);
  if (installed) return { ...installed, env: {} };
  const had = need.debian ? unpacked(need.debian) : null;
  return had ? fromUnpacked(need, had) : null;
}

/**
 * @param {NativeNeed} need
 * @returns {string | undefined} what the user's variable says
 */
function namedProgram({ env }) {
  return (env && process.env[env]) || undefined;
}

/**
 * @param {string} variable that names a program
 * @param {Record<string, string | undefined>} [env]
 * @returns {string} for the report; with what the user says of a program that is no build of the vendor's
 */
export function namedBy(variable, env = process.env) {
  const from = env[`${variable}_FROM`];
  return from ? `named by ${variable} (${from})` : `named by ${variable}`;
}

/**
 * @param {string} path of a program of any name
 * @param {string} name that manifests start it by
 * @returns {string} a path that ends in that name
 */
function asKnown(path, name) {
  if (basename(path) === name) return path;
  const folder = links.get(path) ?? temporaryFolder('named');
  links.set(path, folder);
  if (!existsSync(join(folder, name))) symlinkSync(path, join(folder, name));
  return join(folder, name);
}

/**
 * Gets a missing program where that can be done without touching the machine.
 * @param {NativeNeed} need
 * @returns {Promise<{found: Found} | {problem: string}>}
 */
export async function obtainNeed(need) {
  const found = findNeed(need);
  if (found) return { found };
  if (!canBeUnpacked(need)) return { problem: howToInstall(need) };
  const result = await unpackPackage(/** @type {string} */ (need.debian));
  if ('problem' in result) return { problem: `${result.problem}; ${howToInstall(need)}` };
  const now = fromUnpacked(need, result.unpacked);
  return now ? { found: now } : { problem: `the package ${need.debian} has no ${need.binary}` };
}

/**
 * @param {string[]} folders of a manifest: `/usr/lib/some`; `~/.cache/some/*` stands for each folder of one in the home
 *   folder, of which the one with the newest program is taken
 * @param {string} binary
 * @returns {{path: string, source: string} | null} `source` names the home folder as the manifest does
 */
function installedIn(folders, binary) {
  for (const folder of folders) {
    const at = folder.replace(/^~(?=\/)/, homedir());
    const path = at.endsWith('/*') ? newestBelow(dirname(at), binary) : join(at, binary);
    if (path === null || which(path) === null) continue;
    const shown = dirname(path).replace(at.replace(/\/\*$/, ''), folder.replace(/\/\*$/, ''));
    return { path, source: `in ${shown}` };
  }
  return null;
}

/**
 * @param {string} folder that may not be there
 * @param {string} binary
 * @returns {string | null} the newest one of that name in the folders of it
 */
function newestBelow(folder, binary) {
  if (!existsSync(folder)) return null;
  const programs = readdirSync(folder)
    .map((name) => join(folder, name, binary))
    .filter((path) => which(path) !== null);
  const age = (/** @type {string} */ path) => statSync(path).mtimeMs;
  return programs.sort((a, b) => age(b) - age(a))[0] ?? null;
}

/**
 * @param {NativeNeed} need
 * @param {import('./debian.js').Unpacked} had
 * @returns {Found | null}
 */
function fromUnpacked(need, had) {
  const { binFolders, env } = unpackedEnvironment(had.root);
  const folders = [...binFolders, ...(need.folders ?? []).map((f) => join(had.root, f))];
  const path = folders.map((folder) => join(folder, need.binary)).find((p) => existsSync(p));
  return path
    ? { path, env, source: `Debian package ${had.packages.find((p) => p.startsWith(`${need.debian} `))}` }
    : null;
}

/**
 * @param {NativeNeed} need
 * @returns {boolean} whether set-up could get it from its package
 */
export function canBeUnpacked(need) {
  return need.debian !== undefined && namedProgram(need) === undefined && canUnpack();
}

/**
 * @param {import('../types.d.ts').Stack} stack
 * @returns {boolean} whether it needs a program that is not here and cannot be unpacked: nothing is built for it
 */
export function lacksProgram({ manifest }) {
  return (manifest.native?.needs ?? []).some((n) => !findNeed(n) && !canBeUnpacked(n));
}

/**
 * @param {NativeNeed} need
 * @returns {string} the one line that would change it
 */
export function howToInstall(need) {
  if (namedProgram(need))
    return `${need.env} does not name a program that can be started: correct it, or unset it`;
  if (process.platform === 'darwin' && need.brew) return `type: brew install ${need.brew}`;
  if (need.hint) return need.hint;
  if (need.debian) return `type: apt-get install ${need.debian}, or put ${need.binary} on PATH`;
  return `put ${need.binary} on PATH`;
}
