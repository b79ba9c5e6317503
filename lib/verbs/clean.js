import { existsSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { abandonedProjects, removeProjects } from '../engines/docker/project.js';
import { BenchError, EXIT, orCannot, orNull } from '../errors.js';
import { CACHE_TAG, cachePath } from '../paths.js';
import { leftoverProcesses } from '../process/leftovers.js';
import { mountsBelow, unmountBelow } from '../process/mounts.js';
import { abandonedFolders, abandonedGroups, isOwnCache, liveRunners } from '../process/temporary.js';
import { isLink } from '../store.js';

/**
 * What a run that was killed outright left behind. `does`: what is done to it, beforehand and afterwards.
 * @typedef {{does: readonly [string, string], what: string, remove: () => boolean | void | Promise<void>}} Leftover
 *   `remove`: false where it was gone, or is busy for a moment
 */

const ENDS = /** @type {const} */ (['end', 'ended']);
const UNMOUNTS = /** @type {const} */ (['unmount', 'unmounted']);
/** @param {string} what @param {Leftover['remove']} remove @returns {Leftover} */
const removal = (what, remove) => ({ does: ['remove', 'removed'], what, remove });

/** @returns {Promise<Leftover[]>} nothing of a run that is under way; in the order in which it can go */
async function leftBehind() {
  return [
    ...leftoverProcesses().map((pid) => ({
      ...{ does: ENDS, what: `process ${pid}`, remove: () => did(() => process.kill(pid, 'SIGKILL')) },
    })),
    ...abandonedFolders().flatMap((folder) => [
      ...mountsBelow(folder).map((mount) => ({
        ...{ does: UNMOUNTS, what: mount, remove: () => unmountBelow(mount).length > 0 },
      })),
      removal(folder, () => rmSync(folder, { recursive: true, force: true })),
    ]),
    ...(await abandonedProjects()).map((project) =>
      removal(`the containers, networks and volumes of ${project}`, () => removeProjects([project])),
    ),
    ...abandonedGroups().map((group) => removal(group, () => did(() => rmdirSync(group)))),
  ];
}

/** @param {() => unknown} act @returns {boolean} whether it could be done */
function did(act) {
  return orNull(() => [act()]) !== null;
}

/**
 * `clean`: removes what a run that was killed outright left behind, and nothing of one that is under way; `--cache` also the builds and unpacked servers.
 * @param {string[]} _words
 * @param {import('../options.js').Options} options
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 */
export async function cleanVerb(_words, options, output) {
  const { cache, dryRun } = options;
  let found = cache && (!dryRun || existsSync(cachePath()));
  for (const { does, what, remove } of await leftBehind()) {
    if (!dryRun && (await remove()) === false) continue;
    output.say(dryRun ? `would ${does[0]} ${what}` : `${does[1]} ${what}`);
    found = true;
  }
  if (cache && dryRun && existsSync(cachePath())) output.say(`would remove ${cachePath()}`);
  if (cache && !dryRun) removeCache(output);
  if (!found) output.say('nothing was left behind');
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
  orCannot(`remove ${folder}`, 'who made it can remove it', () =>
    rmSync(folder, { recursive: true, force: true }),
  );
  output.say(`removed ${folder}`);
}

/** A cache from before there was a mark in it is known by its name, where no variable gives that. */
function isUsualCache() {
  return !process.env.LADDERBENCH_CACHE && basename(cachePath()) === 'ladderbench';
}
