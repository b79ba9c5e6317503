import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { removeNow } from '../process/child.js';
import { temporaryFolder } from '../process/temporary.js';
import { median } from '../stats/summary.js';

/**
 * Times write + fdatasync of one 4 KiB page: what an acknowledgement that waits for the disk costs here.
 * @param {string} folder on the disk in question
 * @param {number} [times]
 * @returns {{medianMs: number, maxMs: number, times: number} | null} null when the folder cannot be written
 */
export function probeFsync(folder, times = 50) {
  let work = null;
  try {
    work = temporaryFolder('fsync', folder);
    const taken = timesOf(join(work, 'probe'), times);
    const digits = (/** @type {number} */ ms) => Number(ms.toFixed(3));
    return { medianMs: digits(median(taken)), maxMs: digits(Math.max(...taken)), times };
  } catch {
    return null;
  } finally {
    if (work) removeNow(work);
  }
}

/**
 * @param {string} path of a file that is made
 * @param {number} times
 * @returns {number[]} milliseconds of each write with its sync
 * @throws {Error} when the disk takes no more
 */
function timesOf(path, times) {
  const file = openSync(path, 'w');
  try {
    const page = Buffer.alloc(4096, 1);
    return Array.from({ length: times }, () => {
      const start = process.hrtime.bigint();
      writeSync(file, page);
      fdatasyncSync(file);
      return Number(process.hrtime.bigint() - start) / 1e6;
    });
  } finally {
    closeSync(file);
  }
}
