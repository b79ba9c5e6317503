import { rmSync } from 'node:fs';
import { abandonedProjects, removeProjects } from '../engines/docker/project.js';
import { EXIT } from '../errors.js';
import { cachePath } from '../paths.js';
import { leftoverGroups } from '../process/leftovers.js';
import { abandonedFolders, removeAbandonedGroups } from '../process/temporary.js';

/**
 * `clean`: removes what a run that was killed outright left behind, and nothing of one that is under way; `--cache` also the builds and unpacked servers.
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
  for (const folder of abandonedFolders()) {
    rmSync(folder, { recursive: true, force: true });
    output.say(`removed ${folder}`);
    removed++;
  }
  for (const project of await abandonedProjects()) {
    await removeProjects([project]);
    output.say(`removed the containers, networks and volumes of ${project}`);
    removed++;
  }
  for (const group of removeAbandonedGroups()) {
    output.say(`removed ${group}`);
    removed++;
  }
  if (flags.cache) {
    rmSync(cachePath(), { recursive: true, force: true });
    output.say(`removed ${cachePath()}`);
  }
  if (removed === 0 && !flags.cache) output.say('nothing was left behind');
  return EXIT.ok;
}
