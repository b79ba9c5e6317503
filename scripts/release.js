/**
 * What a release is made of: our programs as archives that set-up takes (lib/setup/releases.js), their licences, a bill of
 * materials and what they were built from.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create, extract } from 'tar';
import { loadStacks } from '../lib/config/stacks.js';
import { UPSTREAM_BASE } from '../lib/docker/base.js';
import { releasedImage } from '../lib/docker/recipes.js';
import { ROOT } from '../lib/paths.js';
import { removeNow } from '../lib/process/child.js';
import { PLAIN_BUILD } from '../lib/process/plain.js';
import { temporaryFolder } from '../lib/process/temporary.js';
import { runTool } from '../lib/process/tool.js';
import { generatorBuild, hookBuilds, IGNORED, RELEASE, stackBuilds, toolBuild } from '../lib/setup/builds.js';
import { archiveName } from '../lib/setup/releases.js';
import { sha256 } from '../lib/store.js';
import { imageRecipes } from './image-recipes.js';
import { licenceFilesIn, licencesOf as licencesOfLocks, listOf } from './licences.js';
import { readLocks } from './locks.js';
import { sbomOf } from './sbom.js';

/** @typedef {import('../lib/setup/builds.js').Build} Build */

export const PLATFORMS = Object.freeze(['linux-x64', 'linux-arm64', 'darwin-arm64']);
export const OWN_PLATFORM = `${process.platform}-${process.arch}`;
/** By what Node.js calls a processor: what Go does. */
const GOARCH = Object.freeze({ x64: 'amd64', arm64: 'arm64' });
const HOUR_MS = 3_600_000;

/**
 * @returns {Build[]} programs of this repository in Go and Rust, each once. What is built from a registry is its vendor's
 *   to publish, and what carries a copy of Node.js is built where it runs
 */
export function releaseBuilds() {
  const { stacks } = loadStacks();
  const own = stacks.flatMap((s) => [...stackBuilds(s), ...hookBuilds(s, 'native')]);
  const all = [generatorBuild(), ...toolBuilds(), ...own];
  const ours = all.filter((b) => isGo(b) || (b.command[0] === 'cargo' && b.command.includes('--path')));
  return [...new Map(ours.map((b) => [b.output, b])).values()];
}

/**
 * @param {Build} build
 * @param {string} platform
 * @returns {boolean} Go builds for every platform, Rust for the one that it runs on; a file system of ours is Linux's
 */
export function canBuild(build, platform) {
  if (build.title === 'power-loss' && !platform.startsWith('linux')) return false;
  return isGo(build) || platform === OWN_PLATFORM;
}

/** @returns {Build[]} programs of tools/ */
function toolBuilds() {
  return [toolBuild('network-faults'), toolBuild('power-loss')];
}

/** @param {Build} build */
function isGo(build) {
  return build.command[0] === 'go';
}

/**
 * Builds one program from nothing that is cached by its source, and packs it.
 * @param {Build} build
 * @param {string} platform
 * @param {string} out folder of the release
 * @param {{commit: string, version: string}} from
 * @returns {Promise<string>} name of the archive
 * @throws {Error} with what the tool says
 */
export async function buildArchive(build, platform, out, from) {
  const work = temporaryFolder('release');
  const target = temporaryFolder('target');
  try {
    const [os, arch] = platform.split('-');
    const command = build.command.map((word) => word.replaceAll('{cache}', work));
    // Paths of the machine stay out of what is built: the same commit gives the same bytes.
    const remap = `--remap-path-prefix=${homedir()}=/home --remap-path-prefix=${ROOT}=/source --remap-path-prefix=${target}=/target`;
    const goos = { GOOS: os, GOARCH: GOARCH[/** @type {'x64'} */ (arch)] };
    const env = {
      ...PLAIN_BUILD,
      ...(isGo(build) ? goos : { RUSTFLAGS: remap, CARGO_TARGET_DIR: target }),
      ...build.env,
    };
    await demandTool(command, { cwd: build.source, env });
    const programs = filesBelow(work);
    const tool = isGo(build) ? ['go', 'env', 'GOVERSION'] : ['cargo', '--version'];
    const facts = {
      ...from,
      source: basename(build.output),
      platform,
      builtBy: (await demandTool(tool)).stdout.trim(),
      starts: [programs[0], questionOf(build)],
    };
    writeFileSync(join(work, RELEASE), `${JSON.stringify(facts, null, 2)}\n`);
    cpSync(join(ROOT, 'LICENSE'), join(work, 'LICENSE'));
    writeFileSync(join(work, 'THIRD-PARTY.txt'), await licencesOf(build, env));
    if (build.output === generatorBuild().output) {
      const source = `k6-${basename(build.output)}-source.tar.gz`;
      writeFileSync(join(work, 'SOURCE.txt'), sourceOffer(source, from));
      if (!existsSync(join(out, source))) writeFileSync(join(out, source), await sourceOfGenerator(build));
    }
    const name = archiveName(build, platform);
    writeFileSync(
      join(out, name),
      packed(work, filesBelow(work), (f) => programs.includes(f)),
    );
    return name;
  } finally {
    for (const folder of [work, target]) removeNow(folder);
  }
}

/**
 * @param {string} cwd
 * @param {string[]} files of it, in this order
 * @param {(file: string) => boolean} [isProgram]
 * @returns {Buffer} a compressed archive without owner, time or mode of this machine: the same files give the same bytes
 */
function packed(cwd, files, isProgram = () => false) {
  const tar = create(
    {
      ...{ sync: true, cwd, portable: true, noDirRecurse: true, mtime: new Date(0) },
      onWriteEntry(entry) {
        if (entry.stat) entry.stat.mode = isProgram(entry.path) ? 0o755 : 0o644;
      },
    },
    files,
  ).read();
  if (!tar) throw new Error(`nothing to pack in ${cwd}`);
  const archive = gzipSync(tar, { level: 9 });
  archive[9] = 255; // The operating system on which it was compressed, RFC 1952: unknown.
  return archive;
}

/** @param {Build} build @returns {string} what its program answers, and ends: set-up sees by it that it starts */
function questionOf({ output }) {
  if (output === generatorBuild().output) return 'version';
  return toolBuilds().some((b) => b.output === output) ? '-help' : '--version';
}

/**
 * @param {string[]} command
 * @param {{cwd?: string, env?: Record<string, string | undefined>}} [options]
 */
async function demandTool(command, options) {
  const said = await runTool(command, { ...options, timeoutMs: HOUR_MS });
  if (!said.ok)
    throw new Error(`${command.join(' ')}: ${said.stderr.trim().split('\n').slice(-5).join('\n')}`);
  return said;
}

/**
 * @param {string} folder
 * @returns {string[]} relative and sorted; what tools write for themselves begins with a dot
 */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((f) => !basename(f).startsWith('.') && statSync(join(folder, f)).isFile())
    .sort();
}

/**
 * @param {Build} build
 * @param {Record<string, string | undefined>} env that it was built with
 * @returns {Promise<string>} the licences of everything that is linked into it, in the words of their authors
 */
async function licencesOf(build, env) {
  const parts = isGo(build) ? await goModules(build, env) : await crates(build);
  return parts
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, folder, licence }) => {
      const texts = licenceFilesIn(folder).map((f) => readFileSync(join(folder, f), 'utf8').trim());
      return [`${'='.repeat(72)}\n${name}${licence ? ` (${licence})` : ''}`, ...texts].join('\n\n');
    })
    .join('\n\n')
    .concat('\n');
}

/** @typedef {{name: string, folder: string, licence?: string}} Part of a program */

/** @param {Build} build @param {Record<string, string | undefined>} env @returns {Promise<Part[]>} */
async function goModules({ source }, env) {
  const root = (await demandTool(['go', 'env', 'GOROOT'])).stdout.trim();
  const format = '{{with .Module}}{{if .Version}}{{.Path}}@{{.Version}} {{.Dir}}{{end}}{{end}}';
  const { stdout } = await demandTool(['go', 'list', '-deps', '-f', format, '.'], { cwd: source, env });
  const modules = [...new Set(stdout.split('\n').filter(Boolean))].map((line) => line.split(' '));
  return [
    { name: 'Go, its runtime and standard library', folder: root },
    ...modules.map(([name, folder]) => ({ name, folder })),
  ];
}

/** @param {Build} build @returns {Promise<Part[]>} */
async function crates({ source }) {
  const command = ['cargo', 'metadata', '--format-version', '1', '--locked'];
  const { packages } = JSON.parse((await demandTool(command, { cwd: source })).stdout);
  return packages.map((/** @type {any} */ p) => ({
    ...{ name: `${p.name}@${p.version}`, folder: dirname(p.manifest_path), licence: p.license },
  }));
}

/**
 * @param {string} source name of the file
 * @param {{commit: string, version: string}} from
 */
function sourceOffer(source, { commit, version }) {
  return `This k6 is Grafana k6 with the extensions of ladderbench ${version}. k6 is free software under the GNU Affero General
Public License, version 3 (its text is in THIRD-PARTY.txt, at go.k6.io/k6); this program as a whole is under the same.
It comes without any warranty.

Its complete source, with that of every module in it, is ${source}, which is published beside this archive:
unpack it and type \`go build -mod=vendor\`. It is the folder k6/extension of commit ${commit}.
`;
}

/**
 * @param {Build} build
 * @returns {Promise<Buffer>} its own source and that of all of its modules
 */
async function sourceOfGenerator({ source }) {
  const copy = temporaryFolder('source');
  try {
    cpSync(source, copy, { recursive: true, filter: (path) => !IGNORED.has(basename(path)) });
    mkdirSync(copy, { recursive: true });
    await demandTool(['go', 'mod', 'vendor'], { cwd: copy });
    return packed(copy, filesBelow(copy));
  } finally {
    removeNow(copy);
  }
}

/**
 * Writes what stands beside the archives: bill of materials, licences, provenance, and last the checksums of all of it.
 * @param {string} out
 * @param {{commit: string, version: string}} from
 * @param {string[]} tracked files of the checkout
 */
export function finishRelease(out, from, tracked) {
  const sumOf = (/** @type {string} */ file) => sha256(readFileSync(file));
  const locks = readLocks(ROOT, tracked);
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(join(out, 'sbom.json'), sbomOf(own, locks));
  writeFileSync(join(out, 'licences.txt'), listOf(licencesOfLocks(ROOT, locks)));
  cpSync(join(ROOT, 'LICENSE'), join(out, 'LICENSE'));
  const archives = filesBelow(out).filter((f) => f.endsWith('.tar.gz'));
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = process.env;
  const builder = GITHUB_RUN_ID
    ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
    : 'local';
  const provenance = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: archives.map((name) => ({ name, digest: { sha256: sumOf(join(out, name)) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run release',
        externalParameters: from,
        resolvedDependencies: locks
          .filter((l) => existsSync(join(ROOT, l.file)))
          .map(({ file }) => ({
            name: file,
            digest: { sha256: sumOf(join(ROOT, file)) },
          })),
      },
      runDetails: { builder: { id: builder } },
    },
  };
  writeFileSync(join(out, 'provenance.json'), `${JSON.stringify(provenance, null, 2)}\n`);
  const files = filesBelow(out).filter((f) => f !== 'SHA256SUMS');
  writeFileSync(
    join(out, 'SHA256SUMS'),
    files.map((f) => `${sumOf(join(out, f))}  ${relative('.', f)}\n`).join(''),
  );
}

/** By what a release calls a platform: what Docker does. */
const IMAGE_PLATFORMS = Object.freeze({ 'linux-x64': 'linux/amd64', 'linux-arm64': 'linux/arm64' });

/**
 * Pushes an image of each program that the release has for every platform of containers: the same bytes as in its
 * archives, on the base that our images stand on.
 * @param {string} out
 * @param {string} registry for example `ghcr.io/owner/ladderbench`
 * @param {string} version
 * @returns {Promise<string[]>} their names
 */
export async function pushImages(out, registry, version) {
  const released = new Set(releaseBuilds().map((b) => b.output));
  const platforms = Object.entries(IMAGE_PLATFORMS);
  const hasAll = (/** @type {Build} */ b) =>
    released.has(b.output) && platforms.every(([p]) => existsSync(join(out, archiveName(b, p))));
  const images = imageRecipes(loadStacks().stacks).filter(
    (r) => r.builds.length > 0 && r.builds.every(hasAll),
  );
  return Promise.all(
    images.map(async (recipe) => {
      const { name, folder, builds } = recipe;
      const image = `${registry}/${name.split('/').pop()}:${version}`;
      const parts = [];
      for (const [platform, system] of platforms) {
        const context = temporaryFolder('image');
        const cache = join(context, 'cache');
        cpSync(folder, context, { recursive: true, filter: (path) => !IGNORED.has(basename(path)) });
        mkdirSync(cache, { recursive: true });
        for (const b of builds)
          extract({ file: join(out, archiveName(b, platform)), cwd: cache, sync: true });
        const base = ['--build-arg', `BASE_IMAGE=${UPSTREAM_BASE}`];
        const own = ['docker', 'buildx', 'build', '--platform', system, '--provenance=false', '--push'];
        await demandTool([...own, ...base, '--tag', `${image}-${platform}`, context]);
        removeNow(context);
        parts.push(`${image}-${platform}`);
      }
      // By the hash of its source set-up asks for it.
      const tags = [image, releasedImage(recipe, registry)].flatMap((tag) => (tag ? ['--tag', tag] : []));
      await demandTool(['docker', 'buildx', 'imagetools', 'create', ...tags, ...parts]);
      return image;
    }),
  );
}
