import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BenchError } from '../errors.js';
import { removeNow } from '../process/child.js';
import { temporaryFolder } from '../process/temporary.js';
import { lastLine, versionIn } from '../process/tool.js';
import { hashOf, IGNORED, isBuilt, runBuild } from '../setup/builds.js';
import { docker, inspectImage } from './cli.js';
import { makeReadable } from './readable.js';
import { sourceOf } from './recipes.js';

/** @import { ImageRecipe } from './recipes.js' */

/** Label with the hash of all that went into an image: the same content is not built twice. */
const CONTENT_LABEL = 'ladderbench.content';
/** Label with the variable of the compose files that an image is for. */
const VARIABLE_LABEL = 'ladderbench.variable';

/**
 * Builds an image on a base, unless the engine has it already.
 * @param {ImageRecipe} recipe
 * @param {string} base reference of the base image
 * @param {{allowed?: boolean, announce?: () => (end: string) => void}} [options] `allowed` false: `--no-build`;
 *   `announce`: called before it is built, what it returns afterwards
 * @returns {Promise<{ref: string}>}
 * @throws {BenchError} with the last lines of the build
 */
export async function ensureImage(recipe, base, { allowed = true, announce } = {}) {
  const present = await builtImage(recipe, base);
  if (present) return { ref: present };
  if (!allowed)
    throw new BenchError(`the image ${recipe.name} is not built, and --no-build forbids building it`);
  const done = announce?.();
  for (const build of recipe.builds) if (!isBuilt(build)) await runBuild(build);
  const context = temporaryFolder('image');
  try {
    fillContext(recipe, context);
    const ref = await buildAndName(recipe, base, context, await contentOf(recipe, base));
    done?.(ref);
    return { ref };
  } catch (error) {
    done?.('failed');
    throw error;
  } finally {
    removeNow(context);
  }
}

/**
 * @param {ImageRecipe} recipe
 * @param {string} base
 * @returns {Promise<string | null>} the image that was built here of exactly that
 */
export async function builtImage(recipe, base) {
  return labelled(CONTENT_LABEL, await contentOf(recipe, base));
}

/**
 * @param {string} label
 * @param {string} value
 * @returns {Promise<string | null>} the newest image that was built here and has it
 */
async function labelled(label, value) {
  const { stdout } = await docker([
    ...['image', 'ls', '--filter', `label=${label}=${value}`],
    ...['--format', '{{.Repository}}:{{.Tag}}'],
  ]);
  return stdout.split('\n').find((ref) => ref !== '' && !ref.endsWith(':<none>')) ?? null;
}

/** @param {string} variable @returns {Promise<string | null>} the newest image that was built for it */
export function builtFor(variable) {
  return labelled(VARIABLE_LABEL, variable);
}

/**
 * @param {ImageRecipe} recipe
 * @param {string} base
 * @returns {Promise<string>}
 */
async function contentOf(recipe, base) {
  return hashOf([sourceOf(recipe), await inspectImage(base)].join('\n'));
}

/**
 * The Dockerfile's folder, and the results of its builds as `cache/`.
 * @param {ImageRecipe} recipe
 * @param {string} context
 */
function fillContext(recipe, context) {
  cpSync(recipe.folder, context, { recursive: true, filter: (path) => !IGNORED.has(basename(path)) });
  const cache = join(context, 'cache');
  mkdirSync(cache, { recursive: true });
  for (const build of recipe.builds) cpSync(build.output, cache, { recursive: true });
  makeReadable(context);
}

/**
 * @param {ImageRecipe} recipe
 * @param {string} base
 * @param {string} context
 * @param {string} content
 * @returns {Promise<string>} its reference: our own name, or the version of what was found inside
 */
async function buildAndName(recipe, base, context, content) {
  const first = recipe.pinned ?? `${recipe.name}:${content}`;
  const labels = [`${CONTENT_LABEL}=${content}`, `${VARIABLE_LABEL}=${recipe.variable}`];
  const args = ['--build-arg', `BASE_IMAGE=${base}`, ...labels.flatMap((l) => ['--label', l])];
  const build = ['build', '--quiet', '--force-rm', '--tag', first, ...args, context];
  const { ok, stderr, stdout } = await docker(build, { timeoutMs: 15 * 60_000 });
  if (!ok) {
    throw new BenchError(`the image ${recipe.name} could not be built`, {
      detail: `${stdout}\n${stderr}`.trim().split('\n').slice(-10),
    });
  }
  const version = await versionInside(first, recipe);
  if (recipe.pinned || !version) return first;
  await docker(['tag', first, `${recipe.name}:${version}`]);
  await docker(['rmi', first]);
  return `${recipe.name}:${version}`;
}

/**
 * @param {string} ref
 * @param {ImageRecipe} recipe
 * @returns {Promise<string | null>}
 */
async function versionInside(ref, recipe) {
  const label = await inspectImage(ref, '{{index .Config.Labels "ladderbench.version"}}');
  const command = recipe.version.length > 0 ? recipe.version : label.split(' ').filter(Boolean);
  if (command.length === 0) return null;
  const [program, ...args] = command;
  const said = await docker(['run', '--rm', '--network', 'none', '--entrypoint', program, ref, ...args]);
  if (said.ok) return versionIn(said.stdout || said.stderr).replace(/[^\w.-]/g, '-');
  await docker(['rmi', '--force', ref]);
  // Built for another system, or with a newer C library than the base has.
  throw new BenchError(`what was built here does not start in ${ref}: ${lastLine(said.stderr)}`, {
    hint: 'BASE_IMAGE=… names a base of this machine’s release; scripts/offline-images.sh makes one on Debian',
  });
}
