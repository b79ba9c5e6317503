import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { imageRecipes } from '../../scripts/image-recipes.js';
import { loadStacks } from '../config/stacks.js';
import { createOutput } from '../output.js';
import { prepareImages } from './prepare.js';
import { generatorRecipe, releasedImage, stackRecipe } from './recipes.js';

const PLACE = 'ghcr.io/some/place';
const { stacks } = loadStacks();

test('the image of a release is asked for by the hash of its source, and only where one is published', () => {
  const recipe = generatorRecipe();
  const image = releasedImage(recipe, PLACE);
  assert.match(String(image), /^ghcr\.io\/some\/place\/generator:[0-9a-f]{16}$/);
  assert.equal(
    releasedImage(
      { ...recipe, builds: recipe.builds.map((b) => ({ ...b, output: `${b.output}-linux` })) },
      PLACE,
    ),
    image,
    'a Mac builds it for Linux',
  );
  const changed = recipe.builds.map((b) => ({
    ...b,
    output: b.output.replace(/.$/, (c) => (c === '0' ? '1' : '0')),
  }));
  assert.notEqual(releasedImage({ ...recipe, builds: changed }, PLACE), image, 'another program');
  assert.notEqual(
    releasedImage({ ...recipe, folder: join(recipe.folder, 'workloads') }, PLACE),
    image,
    'another Dockerfile',
  );
  assert.equal(releasedImage(recipe, null), null);
  for (const other of imageRecipes(stacks).filter((r) => r.pinned === null))
    assert.equal(releasedImage(other, PLACE), null, `${other.name} stands in for an upstream image`);
});

test('with the images of a release nothing is built, and with --build none of them is used', async (t) => {
  const work = mkdtempSync(join(tmpdir(), 'lb-images-'));
  const before = { ...process.env };
  t.after(() => {
    process.env = before;
    rmSync(work, { recursive: true });
  });
  // What stands in for docker has every image that it is asked for by name, has built none, and writes down what it is asked.
  const answer = `case "$*" in *--format*) echo sha256:1 ;; *) echo '[{"Id":"sha256:1","RepoDigests":[],"Config":{}}]' ;; esac`;
  writeFileSync(
    join(work, 'docker'),
    `#!/bin/sh\necho "$*" >>'${work}/asked'\ncase "$1 $2" in "image inspect") ${answer} ;; "image ls") ;; *) exit 1 ;; esac\n`,
    { mode: 0o755 },
  );
  process.env.PATH = `${work}:${process.env.PATH}`;
  process.env.LADDERBENCH_IMAGES = PLACE;
  const ours = stacks.filter(
    (s) => s.id === s.base && stackRecipe(s)?.pinned && stackRecipe(s)?.builds.length,
  );
  assert.ok(ours.length >= 3);
  const output = createOutput();
  const { images, problem } = await prepareImages(ours, output, { build: true, socket: join(work, 'none') });
  assert.equal(problem, null);
  for (const recipe of [generatorRecipe(), ...ours.map((s) => /** @type {any} */ (stackRecipe(s)))])
    assert.equal(images[recipe.variable].ref, releasedImage(recipe, PLACE), recipe.name);
  assert.doesNotMatch(readFileSync(join(work, 'asked'), 'utf8'), /^(build|run|tag) /m);
  const here = await prepareImages(ours, output, { build: false, here: true, socket: join(work, 'none') });
  assert.match(String(here.problem), /generator is not built/);
});
