import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BenchError, EXIT } from '../errors.js';
import { cachePath, ROOT } from '../paths.js';
import { removeNow } from '../process/child.js';
import { GO_WHERE, PLAIN_BUILD } from '../process/plain.js';
import { cacheWorkFolder } from '../process/temporary.js';
import { jsonOf, runGroup, runTool, which } from '../process/tool.js';
import { makeFolder, readJsonOr, sha256 } from '../store.js';

/** @import { Stack } from '../types.d.ts' */

/** Folders whose content never changes what is built. */
export const IGNORED = new Set(['bench', 'node_modules', 'target', 'testdata', '.git']);

/**
 * @param {string} folder
 * @returns {string} hash of the names and contents of its files, tests left out
 */
export function contentOfFolder(folder) {
  const hash = createHash('sha256');
  const visit = (/** @type {string} */ at) => {
    for (const entry of readdirSync(at, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (IGNORED.has(entry.name) || entry.name.endsWith('_test.go') || entry.name.endsWith('.md')) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory()) visit(path);
      else hash.update(path.slice(folder.length)).update('\0').update(readFileSync(path)).update('\0');
    }
  };
  visit(folder);
  return hash.digest('hex').slice(0, 16);
}

/** By folder. @type {Map<string, string>} */
const contents = new Map();

/**
 * @param {string} folder
 * @returns {string} its content when this process first asked: what is measured is what was there then
 */
function contentOnce(folder) {
  const content = contents.get(folder) ?? contentOfFolder(folder);
  contents.set(folder, content);
  return content;
}

/** Measured with Go's caches empty. */
const GENERATOR_COST = Object.freeze({ cpuSec: 265, megabytes: 108 });

const BUILT_HERE = 'built from this repository';
/** What an archive of a release says of itself, beside its programs: JSON. */
export const RELEASE = 'RELEASE.json';

/**
 * @param {string} output
 * @returns {string} where a program of this repository comes from, for the report
 */
function ownOrigin(output) {
  const { version, commit } = readJsonOr(join(output, RELEASE), /** @type {Record<string, string>} */ ({}));
  return version ? `${BUILT_HERE} for its release ${version} (${commit.slice(0, 9)})` : BUILT_HERE;
}

/** @param {string} text @returns {string} enough of its hash for the name of what is made of it */
export function hashOf(text) {
  return sha256(text).slice(0, 16);
}

/**
 * @typedef {object} Build
 * @property {string} title
 * @property {string} source folder that is built, absolute
 * @property {string[]} command with `{cache}` for the output folder
 * @property {string} output folder of the result, keyed by the source's content
 * @property {string} about how long it takes
 * @property {{cpuSec: number, megabytes: number}} [cost] measured with empty caches: CPU time, and what is fetched
 * @property {string} [name] placeholder that stands for the result
 * @property {boolean} [slow] many minutes
 * @property {string} [companion] name of the companion that it is for
 * @property {Record<string, string>} [env] of the command
 * @property {string} origin for the report
 */

/** @returns {Build} our k6: k6 itself and the modules of k6/extension */
export function generatorBuild() {
  const own = goBuild('k6', join(ROOT, 'k6', 'extension'));
  return { ...own, title: 'k6 with extensions', about: 'about 2 minutes', cost: GENERATOR_COST };
}

/**
 * @param {string} name
 * @param {string} source folder of a Go module
 * @returns {Build}
 */
export function goBuild(name, source) {
  return {
    title: name,
    source,
    command: ['go', 'build', '-trimpath', '-ldflags=-s -w', '-o', `{cache}/${name}`, '.'],
    output: cachePath('builds', name, contentOfFolder(source)),
    about: 'about 1 minute',
    origin: BUILT_HERE,
  };
}

/**
 * @param {Build} build
 * @param {string} [platform] of this machine
 * @returns {Build} the same for a Linux image: on a Mac Go can build for Linux; other tools cannot
 */
export function forLinux(build, platform = process.platform) {
  if (platform === 'linux' || build.command[0] !== 'go') return build;
  return { ...build, output: `${build.output}-linux`, env: { GOOS: 'linux' } };
}

/**
 * @param {'network-faults' | 'power-loss'} name what stands between load and server, and makes the network slow, or cuts it; or a
 *   folder that forgets what was not synced when its power is lost
 * @returns {Build} of that program
 */
export function toolBuild(name) {
  return goBuild(name, join(ROOT, 'tools', name));
}

/**
 * @param {Stack} stack
 * @returns {Build[]} programs that the system is, or needs beside it, natively
 */
export function stackBuilds(stack) {
  return (stack.manifest.native?.build ?? []).map((b) => buildOf(stack, b));
}

/**
 * @param {Stack} stack
 * @param {import('../types.d.ts').EngineName} engine
 * @returns {Build[]} what its hooks bring into a system that runs, however it was started
 */
export function hookBuilds(stack, engine) {
  const own = stack.manifest.hookBuild ?? [];
  return own.filter((b) => b.engines?.includes(engine) ?? true).map((b) => buildOf(stack, b));
}

/**
 * @param {Stack} stack
 * @param {import('../types.d.ts').NativeBuild} recipe
 * @returns {Build}
 */
function buildOf(stack, recipe) {
  const { name, about = '', cost } = recipe;
  const source = join(stack.folder, recipe.folder ?? '');
  // A program of the folder itself, or one on PATH.
  const command = recipe.command.map((word, i) =>
    i === 0 && word.startsWith('./') ? join(source, word) : word,
  );
  return {
    title: `${stack.manifest.title}${name ? ` ${name}` : ''}`,
    source,
    command,
    /** Asked for only where something is built or started: it reads every file of the source. */
    get output() {
      const content = recipe.folder === undefined ? [] : [contentOnce(source)];
      const owner = ownerOf(stack, recipe.folder);
      // Of a registry's packages the version stands in the command; from a shared folder several programs can be built.
      const key = (owner === stack.base && content[0]) || hashOf([...content, ...recipe.command].join('\0'));
      return cachePath('builds', owner, name ? `${name}-${key}` : key);
    },
    about,
    cost,
    name,
    slow: recipe.slow === true,
    companion: recipe.companion,
    get origin() {
      return recipe.folder === undefined
        ? `built by: ${command.join(' ').replace(/ --root \{cache\}/, '')}`
        : ownOrigin(this.output);
    },
  };
}

/**
 * What several stacks build from one shared folder is built once.
 * @param {Stack} stack
 * @param {string | undefined} folder of the manifest
 * @returns {string}
 */
function ownerOf(stack, folder) {
  const shared = /^\.\.\/(_[^/]+)\//.exec(folder ?? '');
  return shared ? shared[1] : stack.base;
}

/**
 * @param {Build} build
 * @returns {boolean}
 */
export function isBuilt(build) {
  return existsSync(build.output);
}

/**
 * Builds of one lane wait for one another: Go's fill the CPUs each, and of one owner Cargo has one folder of results, and its lock.
 * @param {Build} build
 * @returns {string}
 */
export function laneOf(build) {
  return build.command[0] === 'go' ? 'go' : basename(dirname(build.output));
}

/**
 * Builds into a folder of its own and moves it to the final one: an interrupted build is never taken for a whole one.
 * @param {Build} build
 * @returns {Promise<number>} CPU time that it took, in seconds
 * @throws {BenchError} with the last lines of the tool's output
 */
export async function runBuild(build) {
  const [tool] = build.command;
  if (which(tool) === null) {
    throw new BenchError(`${build.title}: "${tool}" is not on PATH`, { hint: toolHint(tool) });
  }
  const work = cacheWorkFolder('build');
  makeFolder(dirname(build.output));
  const command = build.command.map((part) => part.replaceAll('{cache}', work));
  // What Go's own file of settings may say; nothing without Go.
  const goWhere = jsonOf(await runTool(['go', 'env', '-json', ...GO_WHERE])) ?? {};
  const { ok, stderr, cpuSec } = await runGroup(command, {
    cwd: build.source,
    env: {
      ...goWhere,
      ...PLAIN_BUILD,
      CARGO_TARGET_DIR: cachePath('cargo', laneOf(build)),
      ...build.env,
    },
    timeoutMs: 60 * 60_000,
  });
  if (!ok) {
    removeNow(work);
    throw new BenchError(`${build.title}: the build failed in ${build.source}`, {
      detail: stderr.trim().split('\n').slice(-10),
      exitCode: EXIT.usage,
    });
  }
  if (!existsSync(build.output)) renameSync(work, build.output);
  removeNow(work);
  return cpuSec;
}

/** @param {string} tool */
function toolHint(tool) {
  if (tool === 'go') return 'install Go 1.26 or later: https://go.dev/dl, or: brew install go';
  if (tool === 'cargo') return 'install Rust: https://rustup.rs';
  return `put ${tool} on PATH`;
}
