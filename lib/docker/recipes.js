import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../paths.js';
import { contentOfFolder, forLinux, generatorBuild, hashOf, stackBuilds } from '../setup/builds.js';
import { imagePlace } from '../setup/releases.js';

/** @import { Stack } from '../types.d.ts' */

/** Images under this name are built here and published nowhere. */
export const OWN_NAME = 'ladderbench/';

/** Pinned with the compose file's default. */
const GENERATOR_IMAGE = 'ladderbench/generator:2.2.0';

/**
 * An image that a Dockerfile of the checkout describes.
 * @typedef {object} ImageRecipe
 * @property {string} variable of the compose files
 * @property {string} name without tag
 * @property {string | null} pinned its whole name where it is our own; null for one that stands in for an upstream image
 * @property {string} folder of the Dockerfile, and of what it copies
 * @property {import('../setup/builds.js').Build[]} builds made on this machine; their results are `cache/` of the context
 * @property {string[]} version argument list that prints the version of what is inside
 */

/** @returns {ImageRecipe} */
export function generatorRecipe() {
  return {
    variable: 'GENERATOR_IMAGE',
    name: GENERATOR_IMAGE.split(':')[0],
    pinned: GENERATOR_IMAGE,
    folder: join(ROOT, 'k6'),
    builds: [forLinux(generatorBuild())],
    version: ['k6', 'version'],
  };
}

/**
 * @param {Stack} stack
 * @returns {ImageRecipe | null} null where its images come from elsewhere
 */
export function stackRecipe(stack) {
  const recipe = stack.manifest.docker;
  if (!recipe || !existsSync(join(stack.folder, 'Dockerfile'))) return null;
  const name = `${OWN_NAME}${recipe.service}`;
  const own = Object.entries(recipe.images).find(([, image]) => image.startsWith(`${name}:`));
  const variable = own ? own[0] : variableOf(recipe.service);
  if (!(variable in recipe.images)) return null;
  // What runs beside it has an image of its own.
  const builds = own ? stackBuilds(stack).filter((b) => !b.companion) : [];
  return {
    variable,
    name,
    pinned: own ? own[1] : null,
    folder: stack.folder,
    builds: builds.map((b) => forLinux(b)),
    version: recipe.version ?? [],
  };
}

/**
 * @param {Pick<ImageRecipe, 'folder' | 'builds'>} recipe
 * @returns {string} hash of all that goes into the image but its base, the same on every machine
 */
export function sourceOf({ folder, builds }) {
  const parts = [contentOfFolder(folder), ...builds.map((b) => basename(b.output).replace(/-linux$/, ''))];
  return hashOf(parts.join('\n'));
}

/**
 * A release tags its images with the hash of their source, so that of a source that was changed here there is none.
 * @param {ImageRecipe} recipe
 * @param {string | null} [place]
 * @returns {string | null} the image of a release that is the same; null where nobody publishes any
 */
export function releasedImage(recipe, place = imagePlace()) {
  const isOurs = recipe.pinned !== null && recipe.builds.length > 0;
  return place && isOurs ? `${place}/${basename(recipe.name)}:${sourceOf(recipe)}` : null;
}

/** @param {string} service */
export function variableOf(service) {
  return `${service.toUpperCase().replaceAll('-', '_')}_IMAGE`;
}
