/**
 * `npm run release`: our programs as archives that `./run-all.sh` takes in place of building them.
 *
 *   node scripts/release.mjs [--out dist] [--platforms linux-x64,linux-arm64,darwin-arm64] [--only NAME] [--finish]
 *   node scripts/release.mjs --images REGISTRY [--out dist]
 *
 * Go is built for every platform, Rust for this one; `--finish` builds nothing and writes checksums, bill of materials
 * and provenance of what several machines have built. `--images` pushes an image of each program for both processors.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../lib/paths.js';
import { archiveName } from '../lib/setup/releases.js';
import { buildArchive, canBuild, finishRelease, PLATFORMS, pushImages, releaseBuilds } from './release.js';

const { values: flags } = parseArgs({
  options: {
    out: { type: 'string', default: 'dist' },
    platforms: { type: 'string', default: PLATFORMS.join(',') },
    only: { type: 'string' },
    finish: { type: 'boolean' },
    images: { type: 'string' },
  },
});
const git = (/** @type {string[]} */ ...args) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const out = resolve(flags.out);
const from = {
  version: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
  commit: `${git('rev-parse', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '-changed'}`,
};
mkdirSync(out, { recursive: true });
if (flags.images) {
  for (const image of await pushImages(out, flags.images, from.version)) console.log(image);
  process.exit();
}
const builds = releaseBuilds().filter((b) => !flags.only || archiveName(b).includes(flags.only));
for (const platform of flags.finish ? [] : flags.platforms.split(','))
  for (const build of builds.filter((b) => canBuild(b, platform))) {
    const started = Date.now();
    const name = await buildArchive(build, platform, out, from);
    console.log(`${name} (${Math.round((Date.now() - started) / 1000)} s)`);
  }
finishRelease(out, from, git('ls-files').split('\n'));
console.log(`${out}: SHA256SUMS, sbom.json, licences.txt, provenance.json`);
