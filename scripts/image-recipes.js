import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { generatorRecipe, OWN_NAME, stackRecipe, variableOf } from '../lib/docker/recipes.js';
import { ROOT } from '../lib/paths.js';
import { forLinux, goBuild } from '../lib/setup/builds.js';

/**
 * @import { ImageRecipe } from '../lib/docker/recipes.js'
 * @import { Stack } from '../lib/types.d.ts'
 */

/**
 * Every image that can be built here: a stack's folder, a folder of the shared parts or k6/ may hold a Dockerfile.
 * @param {Stack[]} stacks
 * @returns {ImageRecipe[]}
 */
export function imageRecipes(stacks) {
  return [
    generatorRecipe(),
    ...sharedRecipes(),
    // A variant runs the image of its base.
    ...stacks.filter(({ id, base }) => id === base).flatMap((s) => stackRecipe(s) ?? []),
  ];
}

/** @returns {ImageRecipe[]} stand-ins for the upstream images of the live view */
function sharedRecipes() {
  const shared = join(ROOT, 'stacks', '_shared');
  return readdirSync(shared)
    .map((name) => join(shared, name))
    .filter((folder) => existsSync(join(folder, 'Dockerfile')))
    .map((folder) => {
      const name = basename(folder);
      return {
        variable: variableOf(name),
        name: `${OWN_NAME}${name}`,
        pinned: null,
        folder,
        builds: existsSync(join(folder, 'go.mod')) ? [forLinux(goBuild(name, folder))] : [],
        version: [],
      };
    });
}
