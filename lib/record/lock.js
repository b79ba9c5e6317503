import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BenchError, causeOf, orNull } from '../errors.js';
import { removeAtExit, removeNow } from '../process/child.js';
import { isAbandoned, isElsewhere, ownName, runnerOf } from '../process/own-name.js';
import { isLink } from '../store.js';
import { EVIDENCE } from './seal.js';

/** Beside the files of a run while something writes them. */
export const LOCK = 'run.lock';

/** Who writes a run. @typedef {{name: string, since: string}} Holder `name`: of its runner; `since`: ISO time */

/**
 * Holds a run's folder until this process ends, or until it is let go.
 * @param {string} runFolder
 * @throws {BenchError} when another process holds it, naming that process, or a part of it is a link: what is written and
 *   removed in there is this run's own
 */
export function holdRun(runFolder) {
  const link = EVIDENCE.find((part) => isLink(join(runFolder, part)));
  if (link)
    throw new BenchError(`${join(runFolder, link)} is a link: a run has its files itself`, {
      hint: 'put what it leads to in its place',
    });
  const path = join(runFolder, LOCK);
  const own = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(own, `${JSON.stringify({ name: ownName('run'), since: new Date().toISOString() })}\n`);
    if (!placed(own, path)) {
      const holder = holderOf(runFolder);
      if (holder) throw heldBy(holder, runFolder);
      setAside(path);
      if (!placed(own, path)) throw heldBy(holderOf(runFolder), runFolder);
    }
  } catch (error) {
    if (error instanceof BenchError) throw error;
    throw new BenchError(`cannot write ${path}: ${causeOf(error)}`, { cause: error });
  } finally {
    rmSync(own, { force: true });
  }
  removeAtExit(path);
}

/** @param {string} runFolder that is held by this process */
export function letGo(runFolder) {
  removeNow(join(runFolder, LOCK));
}

/**
 * @param {string} runFolder
 * @returns {Holder | null} null when nobody writes the run
 */
export function holderOf(runFolder) {
  const holder = read(join(runFolder, LOCK));
  return holder && !isAbandoned(holder.name) ? holder : null;
}

/**
 * A link appears at once and whole, and only where nothing is.
 * @param {string} own
 * @param {string} path
 * @returns {boolean} false when something is there
 */
function placed(own, path) {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Takes the lock of a process that is gone out of the way, and puts it back when it was another's by then.
 * @param {string} path
 */
function setAside(path) {
  const aside = `${path}.${process.pid}.old`;
  renameSync(path, aside);
  const holder = read(aside);
  if (holder && !isAbandoned(holder.name)) placed(aside, path);
  rmSync(aside, { force: true });
}

/**
 * @param {string} path
 * @returns {Holder | null} null when there is none that can be read
 */
function read(path) {
  return orNull(() => {
    const holder = JSON.parse(readFileSync(path, 'utf8'));
    return runnerOf(String(holder?.name)) === null ? null : holder;
  });
}

/**
 * @param {Holder | null} holder
 * @param {string} runFolder
 */
function heldBy(holder, runFolder) {
  const who = holder ? `process ${runnerOf(holder.name)} since ${holder.since}` : 'another process';
  const elsewhere = holder !== null && isElsewhere(holder.name);
  return new BenchError(
    `the run ${basename(runFolder)} is being written by ${who}${elsewhere ? ', in another container' : ''}`,
    {
      hint: elsewhere
        ? `wait for it; if that container is gone, remove ${join(runFolder, LOCK)}`
        : 'wait for it, or end it with Ctrl-C',
    },
  );
}
