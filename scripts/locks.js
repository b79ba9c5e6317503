/**
 * What the lock files of the checkout pin: npm, Cargo and Go, each package with the hash that its client checks.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * @typedef {'npm' | 'cargo' | 'go'} Language
 * @typedef {object} Pinned
 * @property {Language} language
 * @property {string} name
 * @property {string} version
 * @property {string} [license] as its lock file says it
 * @property {{algorithm: 'SHA-256' | 'SHA-512', hex: string}} [hash] of what is downloaded
 * @property {string} [goSum] Go's own hash of a module's tree
 * @typedef {{file: string, language: Language, packages: Pinned[], problems: string[]}} Lock
 */

/** By the manifest's name: what locks it. */
const LOCKS = Object.freeze({
  'package.json': 'package-lock.json',
  'Cargo.toml': 'Cargo.lock',
  'go.mod': 'go.sum',
});

/**
 * @param {string} root
 * @param {string[]} files of the checkout, relative
 * @returns {Lock[]} one for each manifest, sorted by path; `problems`: what is not pinned by a hash
 */
export function readLocks(root, files) {
  return files
    .filter((file) => baseOf(file) in LOCKS)
    .sort()
    .map((manifest) => {
      const name = baseOf(manifest);
      const file = join(dirname(manifest), LOCKS[/** @type {keyof typeof LOCKS} */ (name)]);
      const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : null;
      if (name === 'go.mod') return goLock(file, readFileSync(join(root, manifest), 'utf8'), text ?? '');
      const language =
        name === 'package.json' ? /** @type {const} */ ('npm') : /** @type {const} */ ('cargo');
      if (text === null) return { file, language, packages: [], problems: [`${file}: missing`] };
      return language === 'npm' ? npmLock(file, text) : cargoLock(file, text);
    });
}

/** @param {string} file */
function baseOf(file) {
  return file.slice(file.lastIndexOf('/') + 1);
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {Lock}
 */
export function npmLock(file, text) {
  /** @type {Record<string, {version: string, integrity?: string, license?: string, link?: boolean, name?: string}>} */
  const all = JSON.parse(text).packages ?? {};
  const entries = Object.entries(all).filter(([path, { link }]) => path !== '' && !link);
  const packages = entries.map(([path, { version, integrity, license, name }]) => {
    const [, base64] = /^sha512-(\S+)$/.exec(integrity ?? '') ?? [];
    return {
      language: /** @type {const} */ ('npm'),
      name: name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      ...(license ? { license } : {}),
      ...(base64
        ? {
            hash: {
              algorithm: /** @type {const} */ ('SHA-512'),
              hex: Buffer.from(base64, 'base64').toString('hex'),
            },
          }
        : {}),
    };
  });
  return { file, language: 'npm', packages, problems: unhashed(file, packages) };
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {Lock} without the packages of the checkout itself, which have no source
 */
export function cargoLock(file, text) {
  const blocks = text.split('[[package]]').slice(1);
  const field = (/** @type {string} */ block, /** @type {string} */ name) =>
    new RegExp(`^${name} = "([^"]*)"$`, 'm').exec(block)?.[1];
  const packages = blocks
    .filter((block) => field(block, 'source') !== undefined)
    .map((block) => {
      const hex = field(block, 'checksum');
      return {
        language: /** @type {const} */ ('cargo'),
        name: field(block, 'name') ?? '',
        version: field(block, 'version') ?? '',
        ...(hex ? { hash: { algorithm: /** @type {const} */ ('SHA-256'), hex } } : {}),
      };
    });
  return { file, language: 'cargo', packages, problems: unhashed(file, packages) };
}

/**
 * @param {string} file
 * @param {string} manifest text of go.mod
 * @param {string} sums text of go.sum
 * @returns {Lock}
 */
export function goLock(file, manifest, sums) {
  const required = [...manifest.matchAll(/^(?:require\s+|\t)(\S+) (v\S+)(?:\s*\/\/.*)?$/gm)];
  /** @type {Map<string, string>} */
  const known = new Map();
  for (const line of sums.split('\n').filter(Boolean)) {
    const [name, version, sum] = line.split(' ');
    known.set(`${name} ${version}`, sum);
  }
  const packages = required.map(([, name, version]) => ({
    language: /** @type {const} */ ('go'),
    name,
    version,
    // A module that is only looked at for what it requires has the hash of its go.mod alone.
    goSum: known.get(`${name} ${version}`) ?? known.get(`${name} ${version}/go.mod`),
  }));
  const problems = packages
    .filter(({ goSum }) => !goSum?.startsWith('h1:'))
    .map(({ name, version }) => `${file}: ${name} ${version} has no hash`);
  return { file, language: 'go', packages, problems };
}

/**
 * @param {string} file
 * @param {Pinned[]} packages
 */
function unhashed(file, packages) {
  return packages
    .filter(({ hash }) => !hash)
    .map(({ name, version }) => `${file}: ${name} ${version} has no hash`);
}
