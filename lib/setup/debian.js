import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cachePath } from '../paths.js';
import { removeNow } from '../process/child.js';
import { cacheFolder, cacheWorkFolder } from '../process/temporary.js';
import { lastLine, runTool, which } from '../process/tool.js';
import { makeFolder, readJsonOr, textOrNull, writeJson } from '../store.js';

/**
 * Servers from the distribution's packages without installing them: the package files are fetched by apt
 * (which checks their signatures), unpacked into the cache together with the libraries that this machine
 * lacks, and run from there. No service is registered or started, no package source of the machine changes,
 * and no root is needed.
 */

export const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * @typedef {object} Unpacked
 * @property {string} root
 * @property {string[]} packages `name version`
 */

/** What is under way. @type {Map<string, Promise<any>>} */
const underWay = new Map();

/**
 * @template T
 * @param {string} key
 * @param {() => Promise<T>} begin
 * @returns {Promise<T>} of the one that is under way, whoever began it
 */
export function shared(key, begin) {
  const own = underWay.get(key) ?? begin().finally(() => underWay.delete(key));
  underWay.set(key, own);
  return own;
}

/** @returns {boolean} whether this machine can do it */
export function canUnpack() {
  return which('apt-get') !== null && which('dpkg-deb') !== null;
}

/**
 * @param {string} name Debian package
 * @returns {string} where it is, or would be, unpacked
 */
function rootOf(name) {
  return cachePath('debian', `${osRelease().VERSION_CODENAME ?? 'unknown'}-${process.arch}`, name);
}

/**
 * @param {string} name
 * @returns {Unpacked | null} what an earlier set-up unpacked
 */
export function unpacked(name) {
  return readJsonOr(join(rootOf(name), 'ladderbench.json'), null);
}

/**
 * @param {string} name
 * @returns {Promise<{unpacked: Unpacked} | {problem: string}>}
 */
export async function unpackPackage(name) {
  const done = unpacked(name);
  if (done) return { unpacked: done };
  const apt = await shared('apt', async () => privateApt('apt', await sourcesWithBackports()));
  if ('problem' in apt) return apt;
  const files = await closureOf(name, apt.options);
  if (files.length === 0)
    return { problem: `no package "${name}" in this distribution's archive or its backports` };
  return unpackFiles(name, files, apt.options);
}

/**
 * @param {string} name
 * @param {{name: string, version: string}[]} files
 * @param {string[]} options of apt
 * @returns {Promise<{unpacked: Unpacked} | {problem: string}>}
 */
export async function unpackFiles(name, files, options) {
  const work = cacheWorkFolder('unpack');
  makeFolder(dirname(rootOf(name)));
  try {
    const command = ['apt-get', ...options, 'download', ...files.map((f) => `${f.name}=${f.version}`)];
    const got = await runTool(command, { cwd: work, timeoutMs: 300_000 });
    if (!got.ok) return { problem: `apt-get download failed: ${lastLine(got.stderr)}` };
    const root = join(work, 'root');
    for (const deb of readdirSync(work).filter((f) => f.endsWith('.deb'))) {
      const out = await runTool(['dpkg-deb', '-x', join(work, deb), root]);
      if (!out.ok) return { problem: `dpkg-deb could not unpack ${deb}: ${lastLine(out.stderr)}` };
    }
    const result = { root: rootOf(name), packages: files.map((f) => `${f.name} ${f.version}`) };
    writeJson(join(root, 'ladderbench.json'), result);
    rmSync(rootOf(name), { recursive: true, force: true });
    renameSync(root, rootOf(name));
    return { unpacked: result };
  } finally {
    removeNow(work);
  }
}

/**
 * The variables under which an unpacked binary finds itself and its libraries.
 * @param {string} root
 * @returns {{binFolders: string[], env: Record<string, string>}}
 */
export function unpackedEnvironment(root) {
  const libraries = ['usr/lib', 'lib'].flatMap((base) => {
    const folder = join(root, base);
    if (!existsSync(folder)) return [];
    const triplets = readdirSync(folder).filter((d) => d.includes('-linux-'));
    return [folder, ...triplets.map((t) => join(folder, t))];
  });
  const inherited = process.env.LD_LIBRARY_PATH;
  return {
    binFolders: ['usr/bin', 'usr/sbin', 'bin', 'sbin'].map((b) => join(root, b)),
    env: { LD_LIBRARY_PATH: [...libraries, ...(inherited ? [inherited] : [])].join(':') },
  };
}

/**
 * Package lists of our own: the machine's may be empty or old, and updating those is not ours to do.
 * @param {string} cache name of their folder in the cache
 * @param {string} content of their sources.list; without parts of the machine's own when it names another release
 * @returns {Promise<{options: string[]} | {problem: string}>}
 */
export async function privateApt(cache, content) {
  const folder = cacheFolder(cache);
  for (const sub of ['lists/partial', 'archives/partial']) makeFolder(join(folder, sub));
  const sources = join(folder, 'sources.list');
  writeFileSync(sources, content);
  const options = [
    ['Dir::Etc::sourcelist', sources],
    ...(cache === 'apt' ? [] : [['Dir::Etc::sourceparts', '/dev/null']]),
    ['Dir::State::lists', join(folder, 'lists')],
    ['Dir::Cache::archives', join(folder, 'archives')],
    // Without one every command reads all lists again: most of its time.
    ['Dir::Cache::pkgcache', join(folder, 'pkgcache.bin')],
    ['Dir::Cache::srcpkgcache', ''],
    ['APT::Sandbox::User', 'root'],
    ['Acquire::Languages', 'none'],
    // Descriptions and icons for software centres: a third of what would be fetched.
    ['Acquire::IndexTargets::deb::DEP-11::DefaultEnabled', 'false'],
    ['Acquire::IndexTargets::deb::CNF::DefaultEnabled', 'false'],
    ['Acquire::Retries', '2'],
    ['Acquire::http::Timeout', '20'],
  ].flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  const stamp = join(folder, 'updated');
  if (!existsSync(stamp) || Date.now() - statSync(stamp).mtimeMs > 24 * 3600 * 1000) {
    const update = await runTool(['apt-get', ...options, 'update'], { timeoutMs: 180_000 });
    // A third-party source that does not answer must not stop us: what matters is whether the package is found.
    if (!update.ok && readdirSync(join(folder, 'lists')).length < 3) {
      return { problem: `apt-get update failed: ${lastLine(update.stderr)}` };
    }
    writeFileSync(stamp, '');
  }
  return { options };
}

/** @returns {Promise<string>} the machine's sources.list with its backports, if any, added */
async function sourcesWithBackports() {
  const own = textOrNull('/etc/apt/sources.list') ?? '';
  const { ID, VERSION_CODENAME } = osRelease();
  const mirror = ID === 'debian' ? await mirrorOf(VERSION_CODENAME) : null;
  if (!mirror) return own;
  return `${own}\ndeb [signed-by=${KEYRING}] ${mirror} ${VERSION_CODENAME}-backports main\n`;
}

/**
 * @param {string | undefined} release
 * @returns {Promise<string | null>} the archive that this machine gets a release's packages from
 */
export async function mirrorOf(release) {
  if (!release) return null;
  const format = '$(REPO_URI) $(RELEASE) $(CREATED_BY)';
  const { stdout } = await runTool(['apt-get', 'indextargets', '--format', format]);
  const line = stdout.split('\n').find((l) => l.endsWith(` ${release} Packages`));
  return line?.split(' ')[0] ?? null;
}

/**
 * The package and what it needs that this machine does not have.
 * @param {string} name
 * @param {string[]} options
 * @returns {Promise<{name: string, version: string}[]>}
 */
async function closureOf(name, options) {
  const backports = `${osRelease().VERSION_CODENAME}-backports`;
  const dry = ['--print-uris', '-y', '--no-install-recommends', '--reinstall'];
  for (const release of [[], ['-t', backports]]) {
    const twins = await twinsOf(name, [...options, ...release]);
    const install = [...dry, 'install', name, ...twins];
    const { ok, stdout } = await runTool(['apt-get', ...options, ...release, ...install]);
    if (!ok) continue;
    const files = stdout.split('\n').flatMap((line) => {
      const file = /^'[^']+' (\S+)\.deb /.exec(line)?.[1];
      if (!file) return [];
      const [pkg, version] = decodeURIComponent(file).split('_');
      return [{ name: pkg, version }];
    });
    if (files.some((f) => f.name === name)) return files;
  }
  return [];
}

/**
 * Packages that it needs in exactly its own version: they were cut from one source and link into each other,
 * so they are unpacked together even where the machine has one of them.
 * @param {string} name
 * @param {string[]} options
 * @returns {Promise<string[]>}
 */
async function twinsOf(name, options) {
  const { stdout } = await runTool(['apt-cache', ...options, 'show', '--no-all-versions', name]);
  const depends = /^Depends: (.*)$/m.exec(stdout)?.[1] ?? '';
  return [...depends.matchAll(/([a-z0-9][a-z0-9+.-]+) \(= /g)].map((m) => m[1]);
}

/** @returns {Record<string, string>} /etc/os-release */
export function osRelease() {
  const text = textOrNull('/etc/os-release') ?? '';
  return Object.fromEntries(
    [...text.matchAll(/^(.*?)=(.*)$/gm)].map(([, name, value]) => [name, value.replace(/^"|"$/g, '')]),
  );
}
