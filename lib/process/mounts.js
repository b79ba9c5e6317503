import { spawnSync } from 'node:child_process';
import { textOrNull } from '../store.js';

/** The kernel writes these signs of a path as octal numbers. */
const ESCAPED = /\\([0-7]{3})/g;

/**
 * @param {string} folder absolute
 * @returns {string[]} what is mounted on it and below it, innermost first; none where that cannot be seen
 */
export function mountsBelow(folder) {
  const lines = (textOrNull('/proc/self/mounts') ?? '').split('\n');
  return lines
    .flatMap((line) => line.split(' ')[1] ?? [])
    .map((path) => path.replace(ESCAPED, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))))
    .filter((path) => path === folder || path.startsWith(`${folder}/`))
    .reverse();
}

/**
 * Removes the mounts there, also busy ones and those whose server is gone. Synchronous, for
 * the way out.
 * @param {string} folder absolute
 * @returns {string[]} what was mounted
 */
export function unmountBelow(folder) {
  return mountsBelow(folder).filter((path) =>
    [
      ['umount', '-l', path],
      ['fusermount3', '-uz', path],
      ['fusermount', '-uz', path],
    ].some(([tool, ...args]) => spawnSync(tool, args, { stdio: 'ignore' }).status === 0),
  );
}
