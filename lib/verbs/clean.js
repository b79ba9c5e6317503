import { existsSync, realpathSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { abandonedProjects, removeProjects } from '../engines/docker/project.js';
import { BenchError, causeOf, EXIT } from '../errors.js';
import { CACHE_TAG, cachePath } from '../paths.js';
import { leftoverProcesses } from '../process/leftovers.js';
import { mountsBelow, unmountBelow } from '../process/mounts.js';
import {
  abandonedFolders,
  abandonedGroups,
  isOwnCache,
  liveRunners,
  removeAbandonedGroups,
} from '../process/temporary.js';
import { isLink } from '../store.js';

/**
 * `clean`: removes what a run that was killed outright left behind, and nothing of one that is under way; `--cache` also the builds and unpacked servers.
 * @param {string[]} _words
 * @param {import('../options.js').Options} options
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 */
export async function cleanVerb(_words, options, output) {
  if (options.dryRun) return sayWhat(options, output);
  let removed = 0;
  for (const pid of leftoverProcesses()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended by itself, or with another one.
      continue;
    }
    output.say(`ended process ${pid}`);
    removed++;
  }
  for (const folder of abandonedFolders()) {
    for (const mount of unmountBelow(folder)) output.say(`unmounted ${mount}`);
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
  if (options.cache) removeCache(output);
  if (removed === 0 && !options.cache) output.say('nothing was left behind');
  return EXIT.ok;
}

/**
 * `--dry-run`: what would go.
 * @param {import('../options.js').Options} options
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 */
async function sayWhat(options, output) {
  const lines = [
    ...leftoverProcesses().map((pid) => `would end process ${pid}`),
    ...abandonedFolders().flatMap((folder) => [
      ...mountsBelow(folder).map((mount) => `would unmount ${mount}`),
      `would remove ${folder}`,
    ]),
    ...(await abandonedProjects()).map((p) => `would remove the containers, networks and volumes of ${p}`),
    ...abandonedGroups().map((group) => `would remove ${group}`),
    ...(options.cache && existsSync(cachePath()) ? [`would remove ${cachePath()}`] : []),
  ];
  for (const line of lines) output.say(line);
  if (lines.length === 0) output.say('nothing was left behind');
  return EXIT.ok;
}

/**
 * Removes the cache, and no folder that somebody named by mistake.
 * @param {import('../output.js').Output} output
 * @throws {BenchError} when the folder is not known to be ours, or a run uses it
 */
function removeCache(output) {
  const folder = cachePath();
  if (!existsSync(folder)) {
    output.say(`there is no cache in ${folder}`);
    return;
  }
  if (!isOwnCache() && !isUsualCache())
    throw new BenchError(`${folder} has no ${CACHE_TAG} of ladderbench: it may hold more than a cache`, {
      hint: 'remove it by hand, if it holds nothing of yours',
    });
  const [runner] = liveRunners();
  if (runner !== undefined)
    throw new BenchError(`process ${runner} is using ${folder}`, {
      hint: 'wait for its run, or end it with Ctrl-C',
    });
  if (isLink(folder))
    throw new BenchError(`${folder} is a link, and what it leads to is not removed`, {
      hint: `remove ${realpathSync(folder)} by hand`,
    });
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    throw new BenchError(`cannot remove ${folder}: ${causeOf(error)}`, {
      hint: 'who made it can remove it',
      cause: error,
    });
  }
  output.say(`removed ${folder}`);
}

/** A cache from before there was a mark in it is known by its name, where no variable gives that. */
function isUsualCache() {
  return !process.env.LADDERBENCH_CACHE && basename(cachePath()) === 'ladderbench';
}
