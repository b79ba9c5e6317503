import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachePath } from '../paths.js';
import { removeAtExit } from './child.js';
import { CPU_GROUPS } from './cpu-limit.js';

/** What a run makes outside its report carries the id of its runner, so that only what is orphaned is cleaned up. */
const PREFIX = 'ladderbench';

/**
 * @param {string} what for example a system's id
 * @returns {string} a name that says whose it is
 */
export function ownName(what) {
  return `${PREFIX}-${process.pid}-${what}`;
}

/**
 * @param {string} what
 * @param {string} [parent]
 * @returns {string} absolute path of a fresh folder that is gone when this process ends
 */
export function temporaryFolder(what, parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, `${ownName(what)}-`));
  removeAtExit(folder);
  return folder;
}

/**
 * @param {string} what
 * @returns {string} the same on the disk of the cache, to be moved into it when it is whole
 */
export function cacheWorkFolder(what) {
  mkdirSync(cacheWork(), { recursive: true });
  return temporaryFolder(what, cacheWork());
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

/** @returns {string[]} control groups whose runner is gone, absolute; they are removed on the way */
export function removeAbandonedGroups() {
  return CPU_GROUPS.flatMap((parent) => {
    try {
      return readdirSync(parent)
        .filter(isAbandoned)
        .map((name) => {
          rmdirSync(join(parent, name));
          return join(parent, name);
        });
    } catch {
      return [];
    }
  });
}

/**
 * @param {string} name
 * @returns {boolean}
 */
export function isAbandoned(name) {
  const pid = new RegExp(`^${PREFIX}-(\\d+)-`).exec(name)?.[1];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
  }
}
