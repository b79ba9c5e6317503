import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../errors.js';
import { cachePath } from '../paths.js';
import { leftoverGroups } from '../run/leftovers.js';

/**
 * `clean`: removes what a run that was killed outright left behind; `--cache` also the builds and unpacked servers.
 * @param {string[]} _words
 * @param {Record<string, any>} flags
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 */
export async function cleanVerb(_words, flags, output) {
  let removed = 0;
  for (const pgid of leftoverGroups()) {
    process.kill(-pgid, 'SIGKILL');
    output.say(`ended process group ${pgid}`);
    removed++;
  }
  for (const name of readdirSync(tmpdir()).filter((n) => n.startsWith('ladderbench-'))) {
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
    output.say(`removed ${join(tmpdir(), name)}`);
    removed++;
  }
  if (flags.cache) {
    rmSync(cachePath(), { recursive: true, force: true });
    output.say(`removed ${cachePath()}`);
  }
  if (removed === 0 && !flags.cache) output.say('nothing was left behind');
  return EXIT.ok;
}
