import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What `st_blocks` counts, whatever the block size of the file system (POSIX leaves it open; Linux and macOS use it). */
const BLOCK_BYTES = 512;

/**
 * What the files of a folder hold on disk: of each the smaller of its length and its blocks, because logs reserve blocks
 * beyond their end, and sparse files have a length without blocks. A file that goes away meanwhile counts nothing.
 * @param {string} folder
 * @param {string[]} [without] absolute paths
 * @returns {Promise<number>} bytes
 */
export async function sizeOfFolder(folder, without = []) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (without.includes(path)) return 0;
      if (entry.isDirectory()) return sizeOfFolder(path, without);
      return lstat(path).then(
        (s) => (s.isFile() ? Math.min(s.size, s.blocks * BLOCK_BYTES) : 0),
        () => 0,
      );
    }),
  );
  return sizes.reduce((sum, n) => sum + n, 0);
}
