import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * What a compose file mounts from the checkout must be readable to users of containers, whatever umask it was fetched with.
 * @param {string} file
 */
export function letContainersRead(file) {
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/^\s+- (\.\/[^:]+):/gm))
    makeReadable(join(dirname(file), path));
}

/**
 * To everybody, and what its owner may execute is executable.
 * @param {string} path of a file, or of a folder with all that is in it
 */
export function makeReadable(path) {
  const entry = statSync(path);
  const wanted = entry.mode | (entry.mode & 0o100 ? 0o055 : 0o044);
  // A checkout of somebody else is as they want it.
  if (wanted !== entry.mode && entry.uid === process.getuid?.()) chmodSync(path, wanted);
  if (entry.isDirectory()) for (const name of readdirSync(path)) makeReadable(join(path, name));
}
