import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchError, causeOf } from '../errors.js';
import { CACHE_TAG, CACHE_TAG_TEXT, cachePath } from '../paths.js';
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
  try {
    const folder = mkdtempSync(join(parent, `${ownName(what)}-`));
    removeAtExit(folder);
    return folder;
  } catch (error) {
    throw new BenchError(`cannot make a folder in ${parent}: ${causeOf(error)}`, {
      hint: 'free some space, or name another folder with TMPDIR',
      cause: error,
    });
  }
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
  mkdirSync(cacheWork(), { recursive: true });
  return temporaryFolder(what, cacheWork());
}

/** Makes the cache, and says in it whose it is: a folder that held something before is not ours to remove. */
export function makeCache() {
  const folder = cachePath();
  try {
    mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length === 0) writeFileSync(join(folder, CACHE_TAG), CACHE_TAG_TEXT);
  } catch {
    // What needs the cache says so, and everything may be there already.
  }
}

/** @returns {boolean} whether the cache is a folder that the suite made, and that holds nothing else */
export function isOwnCache() {
  try {
    return readFileSync(cachePath(CACHE_TAG), 'utf8') === CACHE_TAG_TEXT;
  } catch {
    return false;
  }
}

function cacheWork() {
  return cachePath('work');
}

/** @returns {string[]} temporary folders whose runner is gone, absolute */
export function abandonedFolders() {
  return [tmpdir(), cacheWork()].filter(existsSync).flatMap((parent) =>
    readdirSync(parent)
      .filter(isAbandoned)
      .map((name) => join(parent, name)),
  );
}

/** @returns {number[]} processes other than this one that have temporary folders of ours, and live */
export function liveRunners() {
  const names = [tmpdir(), cacheWork()].filter(existsSync).flatMap((parent) => readdirSync(parent));
  const pids = names.filter((name) => !isAbandoned(name)).flatMap((name) => runnerOf(name) ?? []);
  return [...new Set(pids)].filter((pid) => pid !== process.pid);
}

/** @returns {string[]} control groups whose runner is gone, absolute */
export function abandonedGroups() {
  return [...new Set([...CPU_GROUPS, ...MEMORY_GROUPS])].flatMap((parent) => {
    try {
      return readdirSync(parent)
        .filter(isAbandoned)
        .map((name) => join(parent, name));
    } catch {
      return [];
    }
  });
}

/** @returns {string[]} those of them that could be removed */
export function removeAbandonedGroups() {
  return abandonedGroups().filter((group) => {
    try {
      rmdirSync(group);
      return true;
    } catch {
      return false;
    }
  });
}
