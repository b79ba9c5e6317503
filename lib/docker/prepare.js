import { BenchError } from '../errors.js';
import { findBase, UPSTREAM_BASE } from './base.js';
import { builtImage, ensureImage } from './build.js';
import { describe, fetchImages, isPresent, obtainImage } from './images.js';
import { pullImages } from './pull.js';
import { generatorRecipe, OWN_NAME, releasedImage, stackRecipe } from './recipes.js';

/**
 * @import { Stack, UsedImage } from '../types.d.ts'
 * @import { Output } from '../output.js'
 * @import { ImageRecipe } from './recipes.js'
 */

/**
 * @typedef {object} Means
 * @property {boolean} build false: `--no-build`, nothing is pulled or built
 * @property {boolean} [here] true: `--build`, nothing of ours is taken from a release
 * @property {string} socket of the engine
 */

/**
 * Has the engine get every image that the chosen systems need: from their registries, or built here.
 * @param {Stack[]} stacks
 * @param {Output} output
 * @param {Means} means
 * @returns {Promise<{images: Record<string, UsedImage>, problems: Map<string, string>, problem: string | null}>}
 *   `problems` by system; `problem`: what keeps all of them from running here
 */
export async function prepareImages(stacks, output, means) {
  const { build, socket } = means;
  /** @type {Record<string, UsedImage>} */
  const images = {};
  /** @type {Map<string, string>} */
  const problems = new Map();
  const obtain = async (
    /** @type {string} */ variable,
    /** @type {string} */ pinned,
    /** @type {ImageRecipe | null} */ recipe,
  ) => {
    const own = pinned.startsWith(OWN_NAME) && !process.env[variable];
    const result =
      own && recipe ? await obtainOwn(recipe, output, means) : await obtainImage(variable, pinned);
    if ('image' in result) images[variable] = result.image;
    return 'problem' in result ? result.problem : null;
  };
  if (build) {
    const wanted = stacks.flatMap((s) => Object.entries(s.manifest.docker?.images ?? {}));
    /** @type {[string, string][]} */
    const base = (await findBase()) ? [] : [['BASE_IMAGE', UPSTREAM_BASE]];
    await fetchImages([...base, ...wanted], socket, output);
  }
  const generator = generatorRecipe();
  const problem = await obtain(generator.variable, generator.pinned ?? generator.name, generator);
  if (problem) return { images, problems, problem: `the load generator: ${problem}` };
  for (const stack of stacks) {
    const { docker } = stack.manifest;
    if (!docker) {
      problems.set(stack.id, 'it has no container');
      continue;
    }
    const recipe = stackRecipe(stack);
    for (const [variable, pinned] of Object.entries(docker.images)) {
      const missing = await obtain(variable, pinned, recipe?.variable === variable ? recipe : null);
      if (missing) problems.set(stack.id, missing);
    }
  }
  return { images, problems, problem: null };
}

/**
 * One that was built here of the same source, else that of a release, else one that is built now.
 * @param {ImageRecipe} recipe
 * @param {Output} output
 * @param {Means} means
 * @returns {Promise<{image: UsedImage} | {problem: string}>}
 */
async function obtainOwn(recipe, output, { build, here, socket }) {
  const base = await findBase();
  const released = here || (base && (await builtImage(recipe, base))) ? null : releasedImage(recipe);
  if (
    released &&
    ((await isPresent(released)) || (build && (await pullImages([released], socket, output)).size === 0))
  )
    return { image: await describe(released, 'of a release, made of what this checkout has') };
  if (!base) {
    const why = await obtainImage('BASE_IMAGE', UPSTREAM_BASE);
    const problem = 'problem' in why ? why.problem : '';
    return { problem: `has no base to build it on: ${problem}; make one with scripts/offline-images.sh` };
  }
  try {
    const announce = () => output.task(recipe.name, 'building the image');
    const { ref } = await ensureImage(recipe, base, { allowed: build, announce });
    return { image: await describe(ref, `built here from this checkout, on ${base}`) };
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    return { problem: [error.message, ...error.detail.slice(-1)].join(': ') };
  }
}
