/**
 * What the benchmark of the generator needs: our own builds from the cache, the peers from PATH or unpacked from the
 * distribution's packages. A peer that cannot be had stays away, and its rows say so.
 */
import { delimiter, dirname, join } from 'node:path';
import { loadStacks } from '../lib/config/stacks.js';
import { generatorBuild, isBuilt, runBuild, stackBuilds } from '../lib/setup/builds.js';
import { obtainNeed } from '../lib/setup/needs.js';

const PEERS = [
  { binary: 'redis-server', debian: 'redis-server' },
  { binary: 'wrk', debian: 'wrk' },
];

/**
 * Builds what is missing and puts the peers on this process's PATH.
 * @returns {Promise<{k6: string, null: string}>} absolute paths of our builds
 */
export async function prepareTools() {
  const stack = loadStacks().stacks.find((s) => s.id === '_null');
  const builds = [generatorBuild(), ...(stack ? stackBuilds(stack) : [])];
  await build(builds);
  for (const peer of PEERS) {
    const result = await obtainNeed(peer);
    if (!('found' in result)) continue;
    process.env.PATH = [process.env.PATH, dirname(result.found.path)].join(delimiter);
    const libraries = result.found.env.LD_LIBRARY_PATH;
    if (libraries) process.env.LD_LIBRARY_PATH = libraries;
  }
  return { k6: join(builds[0].output, 'k6'), null: builds[1] ? join(builds[1].output, 'null') : 'null' };
}

/** @param {import('../lib/setup/builds.js').Build[]} builds */
async function build(builds) {
  for (const one of builds) {
    if (isBuilt(one)) continue;
    process.stderr.write(`building ${one.title}, ${one.about}\n`);
    await runBuild(one);
  }
}
