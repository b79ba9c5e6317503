import { readdirSync } from 'node:fs';

/**
 * @param {{pid: number}[]} processes
 * @returns {number | null} open file descriptors of all of them; null where they cannot be read, or without processes
 */
export function openFilesOf(processes) {
  let sum = 0;
  for (const { pid } of processes) {
    try {
      sum += readdirSync(`/proc/${pid}/fd`).length;
    } catch (error) {
      // One that has just ended holds nothing.
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EACCES') return null;
    }
  }
  return sum > 0 ? sum : null;
}
