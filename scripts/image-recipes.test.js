import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadStacks } from '../lib/config/stacks.js';
import { generatorRecipe, OWN_NAME, stackRecipe } from '../lib/docker/recipes.js';
import { ROOT } from '../lib/paths.js';
import { forLinux } from '../lib/setup/builds.js';
import { imageRecipes } from './image-recipes.js';

const recipes = imageRecipes(loadStacks().stacks);

test('every image that is built here has a variable of its own in a compose file, and no name of an upstream', () => {
  const own = loadStacks().stacks.map((s) => join(s.folder, 'compose.yml'));
  const files = [join(ROOT, 'docker-compose.yml'), ...own.filter((f) => existsSync(f))];
  const text = files.map((f) => readFileSync(f, 'utf8')).join('\n');
  assert.equal(new Set(recipes.map((r) => r.variable)).size, recipes.length);
  for (const { variable, name, pinned } of recipes) {
    assert.ok(name.startsWith(OWN_NAME), name);
    assert.ok(text.includes(`\${${variable}:-${pinned ?? ''}`), `${variable} of a compose file`);
  }
});

test('a Dockerfile of a stack is one that is built, whatever the variable of its image is called', () => {
  const described = loadStacks().stacks.filter(
    (s) => s.id === s.base && existsSync(join(s.folder, 'Dockerfile')),
  );
  assert.ok(described.length > 5);
  for (const stack of described) {
    const recipe = stackRecipe(stack);
    assert.ok(recipe, `${stack.id}: none of its images is built from its Dockerfile`);
    assert.ok(recipe.variable in (stack.manifest.docker?.images ?? {}), `${stack.id}: ${recipe.variable}`);
  }
});

test('the generator’s image is named after the k6 that is built into it', () => {
  const module = readFileSync(join(ROOT, 'k6', 'extension', 'go.mod'), 'utf8');
  const version = /^\s*go\.k6\.io\/k6\/v2 v(\S+)/m.exec(module)?.[1];
  assert.equal(generatorRecipe().pinned, `ladderbench/generator:${version}`);
});

test('on a Mac what Go builds for an image is built for Linux, apart from the machine’s own', () => {
  const [build] = generatorRecipe().builds;
  const other = forLinux(build, 'darwin');
  assert.deepEqual([other.env, other.output], [{ GOOS: 'linux' }, `${build.output}-linux`]);
  assert.equal(forLinux(build, 'linux'), build);
});

test('every Dockerfile stands on the base that it is given', () => {
  for (const { folder } of recipes) {
    const lines = readFileSync(join(folder, 'Dockerfile'), 'utf8').split('\n');
    assert.deepEqual(
      lines.filter((l) => /^(ARG|FROM)/.test(l)),
      ['ARG BASE_IMAGE', `FROM \${BASE_IMAGE}`],
      folder,
    );
  }
});
