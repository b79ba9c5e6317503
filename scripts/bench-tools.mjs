/**
 * What the benchmarks share: our own builds from the cache, the peers from PATH or unpacked from the distribution's
 * packages, and one race of the load generator. A peer that cannot be had stays away, and its rows say so.
 */
import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadStacks } from '../lib/config/stacks.js';
import { generatorBuild, isBuilt, runBuild, stackBuilds } from '../lib/setup/builds.js';
import { obtainNeed } from '../lib/setup/needs.js';

const RACE = fileURLToPath(new URL('../k6/extension/bench/race.js', import.meta.url));

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

/**
 * Makes stacks ready to be started natively.
 * @param {string[]} ids
 * @returns {Promise<{k6: string, stacks: Record<string, import('../lib/types.d.ts').Stack>}>}
 * @throws when one of them cannot be had
 */
export async function prepareStacks(ids) {
  const all = loadStacks().stacks;
  const stacks = ids.map((id) => {
    const stack = all.find((s) => s.id === id);
    if (!stack) throw new Error(`no stack "${id}"`);
    return stack;
  });
  const generator = generatorBuild();
  await build([generator, ...stacks.flatMap(stackBuilds)]);
  for (const need of stacks.flatMap((s) => s.manifest.native?.needs ?? [])) {
    const result = await obtainNeed(need);
    if ('problem' in result) throw new Error(`${need.binary} is missing: ${result.problem}`);
  }
  return { k6: join(generator.output, 'k6'), stacks: Object.fromEntries(stacks.map((s) => [s.id, s])) };
}

/** @param {import('../lib/setup/builds.js').Build[]} builds */
async function build(builds) {
  for (const one of builds) {
    if (isBuilt(one)) continue;
    process.stderr.write(`building ${one.title}, ${one.about}\n`);
    await runBuild(one);
  }
}

/** What a k6 of a benchmark runs with. */
export const K6_ENV = Object.freeze({
  LC_ALL: 'C',
  K6_NO_USAGE_REPORT: 'true',
  K6_AUTO_EXTENSION_RESOLUTION: 'false',
});

/**
 * One race of `k6/x/burst` in a k6 of its own.
 * @param {string[]} k6 its command: path of the binary, perhaps behind a program that starts it
 * @param {Record<string, unknown>} options of `bench/race.js`
 * @returns {Promise<{operations: number, failed: number, seconds: number}>}
 */
export async function race(k6, options) {
  const [program, ...rest] = [...k6, 'run', '--quiet', '--address', '', RACE];
  const child = spawn(program, rest, {
    env: { ...process.env, ...K6_ENV, RACE: JSON.stringify(options) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const text = { stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      text[name] += chunk;
    });
  }
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  process.off('exit', endWithUs);
  if (code !== 0) throw new Error(`k6 ended with ${code}: ${text.stderr.slice(-400)}`);
  return JSON.parse(text.stdout.slice(text.stdout.lastIndexOf('{')));
}
