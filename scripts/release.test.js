import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { create } from 'tar';
import { loadStacks } from '../lib/config/stacks.js';
import { releasedImage } from '../lib/docker/recipes.js';
import { generatorBuild, isBuilt, stackBuilds } from '../lib/setup/builds.js';
import { archiveName, takeReleased } from '../lib/setup/releases.js';
import { imageRecipes } from './image-recipes.js';
import {
  buildArchive,
  canBuild,
  finishRelease,
  OWN_PLATFORM,
  PLATFORMS,
  pushImages,
  releaseBuilds,
} from './release.js';

const from = { version: '0.1.0', commit: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00' };
const noGo = spawnSync('go', ['version']).error ? 'Go is not on PATH' : false;

/** @param {import('node:test').TestContext} t */
function workFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-release-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The null responder: the smallest program of ours. */
function responder() {
  const stack = loadStacks().stacks.find((s) => s.id === '_null');
  assert.ok(stack);
  return stackBuilds(stack)[0];
}

test('a release has our k6, the null responder, our servers and tools, and nothing of other vendors', () => {
  const titles = releaseBuilds().map((b) => b.title);
  const outputs = releaseBuilds().map((b) => b.output);
  assert.equal(new Set(outputs).size, outputs.length);
  assert.ok(outputs.includes(generatorBuild().output) && outputs.includes(responder().output));
  for (const name of ['network-faults', 'power-loss']) assert.ok(titles.includes(name), name);
  assert.doesNotMatch(titles.join(), /SpacetimeDB|TypeScript/);
  const [rust] = releaseBuilds().filter((b) => b.command[0] === 'cargo');
  assert.ok(PLATFORMS.every((p) => canBuild(generatorBuild(), p)));
  assert.deepEqual(
    PLATFORMS.filter((p) => canBuild(rust, p)),
    PLATFORMS.filter((p) => p === OWN_PLATFORM),
  );
});

test('two builds of one source have the same bytes, wherever and whenever, and set-up takes what was published', {
  skip: noGo,
}, async (t) => {
  const work = workFolder(t);
  const build = responder();
  const copy = join(work, 'elsewhere', 'server');
  cpSync(build.source, copy, { recursive: true });
  for (const file of readdirSync(copy)) utimesSync(join(copy, file), 1, 1);
  const archives = [];
  for (const [folder, source] of [
    ['first', build.source],
    ['second', copy],
  ]) {
    mkdirSync(join(work, folder));
    // The title and the output, which holds the hash, are those of the checkout.
    const name = await buildArchive(
      { ...build, source, output: build.output },
      OWN_PLATFORM,
      join(work, folder),
      from,
    );
    archives.push(readFileSync(join(work, folder, name)));
  }
  assert.ok(archives[0].equals(archives[1]));

  finishRelease(join(work, 'first'), from, ['package.json', 'k6/extension/go.mod']);
  const checked = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: join(work, 'first') });
  assert.equal(checked.status, 0);
  const provenance = JSON.parse(readFileSync(join(work, 'first', 'provenance.json'), 'utf8'));
  assert.equal(provenance.predicate.buildDefinition.externalParameters.commit, from.commit);
  assert.ok(
    readFileSync(join(work, 'first', 'SHA256SUMS'), 'utf8').includes(provenance.subject[0].digest.sha256),
  );

  const before = { ...process.env };
  t.after(() => {
    process.env = before;
  });
  process.env.LADDERBENCH_CACHE = join(work, 'cache');
  process.env.LADDERBENCH_RELEASES = join(work, 'first');
  const taken = responder();
  assert.equal(isBuilt(taken), false);
  await takeReleased([taken], /** @type {any} */ ({ say: assert.fail, task: () => () => {} }));
  assert.ok(isBuilt(taken));
  assert.equal(taken.origin, 'built from this repository for its release 0.1.0 (c0ffee00c)');
  const said = spawnSync(join(taken.output, 'null'), ['--version'], { encoding: 'utf8' });
  assert.match(said.stdout, /^null \d/);
  assert.match(
    readFileSync(join(taken.output, 'THIRD-PARTY.txt'), 'utf8'),
    /Go, its runtime[\s\S]*Redistribution and use/,
  );
  assert.match(readFileSync(join(taken.output, 'LICENSE'), 'utf8'), /MIT License/);
});

test('images of a release hold the programs of its archives, one name for both processors', async (t) => {
  const work = workFolder(t);
  const before = { ...process.env };
  t.after(() => {
    process.env = before;
  });
  // What stands in for docker writes down what it is asked, and what the context holds.
  mkdirSync(join(work, 'bin'));
  const docker = `#!/bin/sh\nfor last; do :; done\necho "$*" >>'${work}/asked'\nif [ -d "$last" ]; then cat "$last/cache/null" "$last/Dockerfile" >>'${work}/held'; fi\n`;
  writeFileSync(join(work, 'bin', 'docker'), docker, { mode: 0o755 });
  process.env.PATH = `${join(work, 'bin')}:${process.env.PATH}`;
  for (const platform of ['linux-x64', 'linux-arm64']) {
    writeFileSync(join(work, 'null'), `program of ${platform}\n`);
    create({ sync: true, gzip: true, cwd: work, file: join(work, archiveName(responder(), platform)) }, [
      'null',
    ]);
  }
  assert.deepEqual(await pushImages(work, 'ghcr.io/some/place', '1.2.3'), [
    'ghcr.io/some/place/responder:1.2.3',
  ]);
  const asked = readFileSync(join(work, 'asked'), 'utf8').trim().split('\n');
  assert.equal(asked.length, 3);
  assert.match(
    asked[0],
    /^buildx build --platform linux\/amd64 .*--push .*--tag ghcr\.io\/some\/place\/responder:1\.2\.3-linux-x64 /,
  );
  assert.match(asked[1], /--platform linux\/arm64 .*responder:1\.2\.3-linux-arm64 /);
  const [image, ...parts] = ['', '-linux-x64', '-linux-arm64'].map(
    (s) => `ghcr.io/some/place/responder:1.2.3${s}`,
  );
  const recipe = imageRecipes(loadStacks().stacks).find((r) => r.name.endsWith('/responder'));
  const same = recipe && releasedImage(recipe, 'ghcr.io/some/place');
  assert.match(String(same), /^ghcr\.io\/some\/place\/responder:[0-9a-f]{16}$/);
  assert.equal(asked[2], `buildx imagetools create --tag ${image} --tag ${same} ${parts.join(' ')}`);
  assert.match(
    readFileSync(join(work, 'held'), 'utf8'),
    /program of linux-x64\n[\s\S]*COPY cache\/null[\s\S]*program of linux-arm64\n/,
  );
});
