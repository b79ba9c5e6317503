import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { plainLine, withoutUserinfo } from '../controls.js';
import { causeOf } from '../errors.js';
import { cachePath, ROOT } from '../paths.js';
import { removeNow } from '../process/child.js';
import { cacheWorkFolder } from '../process/temporary.js';
import { lastLine, runTool } from '../process/tool.js';
import { readJson, sha256, writeFileAtomic } from '../store.js';
import { isBuilt, RELEASE } from './builds.js';

/** @import { Build } from './builds.js' */

const SUMS = 'SHA256SUMS';
const MAX_SUMS = 1 << 16;
/** Ten times the largest archive that we publish. */
const MAX_ARCHIVE = 512 << 20;
/** A place that says nothing for so long counts as not there. */
const PATIENCE_MS = 10_000;
const MOST_HOPS = 5;

/** There is no release, or no line to it: nothing to tell. */
class NoRelease extends Error {}

/**
 * Takes from a release what is not built yet, where it has exactly that: the name of an archive holds the hash of its
 * source, so that another version, or a source that was changed here, finds none and is built.
 * @param {Build[]} builds
 * @param {import('../output.js').Output} output
 */
export async function takeReleased(builds, output) {
  const wanted = new Map(builds.filter((b) => !isBuilt(b)).map((b) => [archiveName(b), b]));
  const place = releasePlace();
  if (wanted.size === 0 || place === null) return;
  /** @type {Map<string, string>} */
  let sums;
  try {
    sums = sumsIn((await contentOf(place, SUMS, MAX_SUMS)).toString());
  } catch (error) {
    if (!(error instanceof NoRelease))
      output.say(`the release at ${withoutUserinfo(place)} is not used: ${plainLine(causeOf(error))}`);
    return;
  }
  for (const [name, build] of wanted) {
    const sum = sums.get(name);
    if (sum === undefined) continue;
    const done = output.task(build.title, `from the release at ${withoutUserinfo(place)}`);
    try {
      await take(build, await contentOf(place, name, MAX_ARCHIVE), sum);
      done('from a release, checksum verified');
    } catch (error) {
      const why = error instanceof NoRelease ? `there is no ${name}` : plainLine(causeOf(error));
      done(`not from the release, so it is built: ${why}`);
    }
  }
}

/**
 * @param {Pick<Build, 'output'>} build
 * @param {string} [platform] as Node.js calls system and processor
 * @returns {string} of the file that a release has it in
 */
export function archiveName({ output }, platform = `${process.platform}-${process.arch}`) {
  return `${relative(cachePath('builds'), output).replaceAll('/', '-')}-${platform}.tar.gz`;
}

/** @returns {string | null} folder or URL of the release of this version; null where none is published */
function releasePlace() {
  if (process.env.LADDERBENCH_RELEASES) return process.env.LADDERBENCH_RELEASES;
  const { name, version } = publisher();
  return name ? `https://github.com/${name}/releases/download/v${version}` : null;
}

/** @returns {string | null} where the images of releases are; null where nobody publishes any */
export function imagePlace() {
  if (process.env.LADDERBENCH_IMAGES) return process.env.LADDERBENCH_IMAGES;
  const { name } = publisher();
  return name ? `ghcr.io/${name.toLowerCase()}` : null;
}

/** @returns {{name: string | undefined, version: string}} of the repository that package.json names */
function publisher() {
  const { repository, version } = readJson(join(ROOT, 'package.json'));
  const [, name] = /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(repository?.url ?? repository) ?? [];
  return { name, version };
}

/** @param {string} text @returns {Map<string, string>} checksum by name */
function sumsIn(text) {
  const lines = text.split('\n').filter(Boolean);
  const found = lines.map((line) => /^([0-9a-f]{64}) [ *]([\w.@+-]+)$/.exec(line));
  if (!found.every((match) => match !== null) || lines.length === 0)
    throw new Error(`its ${SUMS} is not a list of checksums`);
  return new Map(found.map(([, sum, name]) => [name, sum]));
}

/**
 * Unpacks into a folder of its own and moves it when it is whole and starts.
 * @param {Build} build
 * @param {Buffer} archive
 * @param {string} sum
 */
async function take({ output }, archive, sum) {
  const own = sha256(archive);
  if (own !== sum) throw new Error(`its checksum is ${own.slice(0, 12)}…, expected ${sum.slice(0, 12)}…`);
  const work = cacheWorkFolder('release');
  const file = join(work, 'archive.tar.gz');
  const folder = join(work, 'content');
  try {
    writeFileAtomic(file, archive);
    mkdirSync(folder);
    // Here and not above: `systems` and `help` need no npm packages.
    const { extract } = await import('tar');
    extract({ file, cwd: folder, strict: true, sync: true });
    const [program, ...args] = readJson(join(folder, RELEASE)).starts;
    const said = await runTool([join(folder, program), ...args], { timeoutMs: PATIENCE_MS });
    if (!said.ok) throw new Error(`it does not start here: ${lastLine(said.stderr)}`);
    mkdirSync(dirname(output), { recursive: true });
    if (!existsSync(output)) renameSync(folder, output);
  } finally {
    removeNow(work);
  }
}

/**
 * @param {string} place
 * @param {string} name
 * @param {number} most bytes
 * @returns {Promise<Buffer>}
 * @throws {NoRelease} there is none
 * @throws {Error} what is there is not it
 */
async function contentOf(place, name, most) {
  if (/^https?:/.test(place)) return fetched(new URL(`${place.replace(/\/$/, '')}/${name}`), most);
  try {
    return readFileSync(join(place, name));
  } catch (error) {
    throw new Error(`cannot read ${name} there: ${causeOf(error)}`);
  }
}

/**
 * @param {URL} url
 * @param {number} most
 * @param {number} [hops]
 * @returns {Promise<Buffer>}
 */
async function fetched(url, most, hops = 0) {
  const quiet = new AbortController();
  const waiting = setTimeout(() => quiet.abort(), PATIENCE_MS);
  try {
    const response = await fetch(url, { redirect: 'manual', signal: quiet.signal }).catch(() => {
      throw new NoRelease();
    });
    if ([404, 410].includes(response.status)) throw new NoRelease();
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      const next = new URL(location, url);
      if (!mayLeadTo(url, next)) throw new Error(`it redirects to another host, ${next.host}`);
      if (hops === MOST_HOPS) throw new Error('it has too many redirects');
      return await fetched(next, most, hops + 1);
    }
    if (!response.ok || response.body === null) throw new Error(`${url.host} answers ${response.status}`);
    const parts = [];
    let bytes = 0;
    for await (const part of response.body) {
      waiting.refresh();
      parts.push(part);
      bytes += part.length;
      if (bytes > most) throw new Error(`it is larger than ${most} bytes`);
    }
    return Buffer.concat(parts);
  } finally {
    clearTimeout(waiting);
  }
}

/**
 * GitHub keeps the files of releases at a host of its own; no other redirect leaves its host.
 * @param {URL} from
 * @param {URL} to
 */
function mayLeadTo(from, to) {
  if (to.protocol !== from.protocol) return false;
  return to.host === from.host || (from.host === 'github.com' && to.host.endsWith('.githubusercontent.com'));
}
