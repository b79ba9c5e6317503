import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orCannot, orNull, roomBy } from '../errors.js';
import { CACHE_TAG, CACHE_TAG_TEXT, cachePath } from '../paths.js';
import { isLink, makeFolder, textOrNull } from '../store.js';
import { removeAtExit, removeNow } from './child.js';
import { CPU_GROUPS } from './cpu-limit.js';
import { MEMORY_GROUPS } from './memory-limit.js';
import { isAbandoned, ownName, runnerOf } from './own-name.js';

export { isAbandoned, ownName };

/**
 * @param {string} what
 * @param {string} [parent]
 * @returns {string} absolute path of a fresh folder that is gone when this process ends
 * @throws {BenchError} when none can be made there
 */
export function temporaryFolder(what, parent = tmpdir()) {
  const folder = orCannot(`make a folder in ${parent}`, roomBy('TMPDIR'), () =>
    mkdtempSync(join(parent, `${ownName(what)}-`)),
  );
  removeAtExit(folder);
  return folder;
}

/**
 * Everything that is started works in a folder of its own there.
 * @throws {BenchError} when there is no such place
 */
export function demandTemporary() {
  removeNow(temporaryFolder('probe'));
}

/**
 * @param {string} what
 * @returns {string} the same on the disk of the cache, to be moved into it when it is whole
 */
export function cacheWorkFolder(what) {
  makeCache();
  return temporaryFolder(what, cacheFolder('work'));
}

/**
 * @param {string[]} parts of a path
 * @returns {string} a folder of the cache that is there
 * @throws {BenchError} when it cannot be made
 */
export function cacheFolder(...parts) {
  const folder = cachePath(...parts);
  orCannot(`make ${folder}`, roomBy('LADDERBENCH_CACHE'), () => makeFolder(folder));
  return folder;
}

/** Until this process ends the cache is not removed: a remover may have another TMPDIR. */
export function useCache() {
  // Who could not write into it can use what is there; who can remove it has to know.
  orNull(() => cacheWorkFolder('use'));
}

/** Makes the cache, and says in it whose it is: a folder that held something before is not ours to remove. */
export function makeCache() {
  const folder = cachePath();
  // What needs the cache says so, and everything may be there already.
  orNull(() => {
    makeFolder(folder);
    if (readdirSync(folder).length === 0) writeFileSync(join(folder, CACHE_TAG), CACHE_TAG_TEXT);
  });
}

/** @returns {boolean} whether the cache is a folder that the suite made, and that holds nothing else */
export function isOwnCache() {
  return textOrNull(cachePath(CACHE_TAG)) === CACHE_TAG_TEXT;
}

/** @returns {string[]} where temporary folders of ours are; what a link leads to is somebody else's */
function ownParents() {
  const work = cachePath('work');
  return [tmpdir(), ...(isLink(work) ? [] : [work])].filter(existsSync);
}

/** @returns {string[]} temporary folders whose runner is gone, absolute */
export function abandonedFolders() {
  return ownParents().flatMap(abandonedIn);
}

/** @param {string} parent @returns {string[]} what lies there under the name of a runner that is gone, absolute */
function abandonedIn(parent) {
  const names = orNull(() => readdirSync(parent)) ?? [];
  return names.filter(isAbandoned).map((name) => join(parent, name));
}

/** @returns {number[]} processes other than this one that have temporary folders of ours, and live */
export function liveRunners() {
  const names = ownParents().flatMap((parent) => readdirSync(parent));
  const pids = names.filter((name) => !isAbandoned(name)).flatMap((name) => runnerOf(name) ?? []);
  return [...new Set(pids)].filter((pid) => pid !== process.pid);
}

/** @returns {string[]} control groups whose runner is gone, absolute */
export function abandonedGroups() {
  return [...new Set([...CPU_GROUPS, ...MEMORY_GROUPS])].flatMap(abandonedIn);
}
