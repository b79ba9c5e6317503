import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
 * @returns {string} absolute path of a fresh folder that is gone when this process ends
 */
export function temporaryFolder(what) {
  const folder = mkdtempSync(join(tmpdir(), `${ownName(what)}-`));
  removeAtExit(folder);
  return folder;
}

/** @returns {string[]} temporary folders whose runner is gone, absolute */
export function abandonedFolders() {
  return readdirSync(tmpdir())
    .filter(isAbandoned)
    .map((name) => join(tmpdir(), name));
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
