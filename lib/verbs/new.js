import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { suggest } from '../config/nearest.js';
import { isSystemName, loadStacks, SYSTEM_NAME, stackFolders } from '../config/stacks.js';
import { BenchError, EXIT, orCannot, roomBy } from '../errors.js';
import { VERBS } from '../options.js';
import { shown } from '../paths.js';
import { removeNow } from '../process/child.js';
import { shellWord } from '../process/shell.js';
import { makeFolder, readJson, writeFileAtomic, writeJson } from '../store.js';

/** @import { Stack } from '../types.d.ts' */

/** What stays with the system that was copied: its page, its containers, its server's source, what was seen of it. */
const LEFT_OUT = new Set([
  ...['README.md', 'compose.yml', 'Dockerfile', 'server', 'node_modules', 'target', 'proven.json'],
]);

/**
 * `new NAME --like SYSTEM`: the folder of a system of one's own, a copy that runs as it is and is then changed.
 * @param {string[]} words
 * @param {import('../options.js').Options} options
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 * @throws {BenchError} a name that cannot be one, or is taken
 */
export async function newVerb([name], options, output) {
  for (const folder of options.stacks)
    if (existsSync(folder) && !statSync(folder).isDirectory())
      throw new BenchError(`--stacks ${folder}: not a folder`);
  const folders = stackFolders(options.stacks.filter(existsSync));
  const { stacks } = loadStacks(folders);
  const like = modelOf(options.like, stacks);
  demandName(name, stacks);
  const into = options.stacks.length > 0 ? resolve(options.stacks[0]) : folders[0];
  const folder = join(into, name);
  if (existsSync(folder))
    throw new BenchError(`${shown(folder)} is there already`, { hint: 'choose another name' });
  if (options.dryRun) {
    output.say(`would write ${shown(folder)}, like ${like.base}`);
    return EXIT.ok;
  }
  const manifest = manifestOf(name, like, folder);
  writeWhole(folder, (work) => {
    copyFolder(like.folder, work, like.folder);
    writeJson(join(work, 'stack.json'), manifest);
    writeFileAtomic(join(work, 'README.md'), pageOf(name, like, manifest));
  });
  output.result(`${folder}\n`);
  const stacksFlag = options.stacks.length > 0 ? ` --stacks ${shellWord(options.stacks[0])}` : '';
  const variable = manifest.native?.override?.env ?? manifest.native?.needs?.[0]?.env;
  output.say(`written like ${like.base}; it starts the same program until you change it:`);
  if (variable) output.say(`  ${variable}=/path/to/${name}   another program that takes the same arguments`);
  output.say(`  ${shown(join(folder, 'stack.json'))}   "title", "native", "durability", "settings"`);
  output.say(`  ${shown(join(folder, 'client.js'))}   what it speaks`);
  output.say(`then: ./run-all.sh check${stacksFlag}`);
  const profile = manifest.workloads.counters ? 'quick' : 'smoke';
  output.say(`      ./run-all.sh ${profile}${stacksFlag} --systems ${name},${like.base}@default`);
  return EXIT.ok;
}

/**
 * @param {string | null} id
 * @param {Stack[]} stacks
 * @returns {Stack}
 */
function modelOf(id, stacks) {
  const systems = stacks.filter((s) => s.id === s.base && !s.id.startsWith('_'));
  const ids = systems.map((s) => s.id);
  if (id === null) throw new BenchError('like which system?', { hint: `--like one of ${ids.join(', ')}` });
  const found = systems.find((s) => s.id === id);
  if (!found) throw new BenchError(`unknown system "${id}" in --like: ${suggest(id, ids)}`);
  return found;
}

/**
 * @param {string | undefined} name
 * @param {Stack[]} stacks
 */
function demandName(name, stacks) {
  if (name === undefined)
    throw new BenchError('which name?', { hint: './run-all.sh new NAME --like SYSTEM' });
  if (!isSystemName(name) || name.startsWith('_'))
    throw new BenchError(`"${name}" is no name of a system`, { hint: SYSTEM_NAME });
  if (stacks.some((s) => s.base === name) || VERBS.includes(name))
    throw new BenchError(`the name "${name}" is taken`, { hint: 'choose another one' });
}

/**
 * @param {string} name
 * @param {Stack} like
 * @param {string} folder of the new system
 * @returns {any} its manifest: the copied one's, without what is only true of that
 */
function manifestOf(name, like, folder) {
  const manifest = readJson(join(like.folder, 'stack.json'));
  for (const field of ['color', 'variants', 'docker', 'homepage', 'promises']) delete manifest[field];
  for (const workload of Object.values(manifest.workloads)) delete workload.variants;
  manifest.title = name.charAt(0).toUpperCase() + name.slice(1);
  const { title, native = {}, hookBuild = [] } = manifest;
  for (const build of [...(native.build ?? []), ...hookBuild])
    if (build.folder !== undefined)
      build.folder = slashes(relative(folder, resolve(like.folder, build.folder)));
  const env = `${name.toUpperCase().replaceAll('-', '_')}_BIN`;
  if (native.needs?.[0]) native.needs[0].env = env;
  // The program of the copied system's variable, or on PATH, is that system's and not this one's.
  if (native.override) Object.assign(native.override, { env, path: undefined, title });
  return manifest;
}

/**
 * @param {string} folder that is not there yet: it is there whole, or not at all
 * @param {(work: string) => void} write into a folder beside it, whose files lead to others as they will from there
 * @throws {BenchError} when the file system refuses
 */
function writeWhole(folder, write) {
  const work = join(dirname(folder), `.${basename(folder)}.${process.pid}.tmp`);
  try {
    orCannot(`write ${shown(folder)}`, roomBy('--stacks'), () => {
      write(work);
      renameSync(work, folder);
    });
  } finally {
    removeNow(work);
  }
}

/**
 * @param {string} from
 * @param {string} to
 * @param {string} root the folder that is copied
 */
function copyFolder(from, to, root) {
  makeFolder(to);
  for (const name of readdirSync(from)) {
    if ((from === root && LEFT_OUT.has(name)) || name.endsWith('.test.js')) continue;
    const [source, target] = [join(from, name), join(to, name)];
    const file = statSync(source);
    const content = () => (name.endsWith('.js') ? movedImports(source, target, root) : readFileSync(source));
    if (file.isDirectory()) copyFolder(source, target, root);
    else writeFileSync(target, content(), { mode: file.mode });
  }
}

/**
 * @param {string} source
 * @param {string} target
 * @param {string} root
 * @returns {string} the module, whose paths to files outside the copied folder lead to where these are
 */
function movedImports(source, target, root) {
  return readFileSync(source, 'utf8').replace(
    /(from |import |import\()'(\.\.?\/[^']+)'/g,
    (whole, word, specifier) => {
      const file = resolve(dirname(source), specifier);
      if (file.startsWith(root + sep)) return whole;
      const path = slashes(relative(dirname(target), file));
      return `${word}'${path.startsWith('.') ? path : `./${path}`}'`;
    },
  );
}

/** @param {string} path */
function slashes(path) {
  return path.replaceAll(sep, '/');
}

/**
 * @param {string} name
 * @param {Stack} like
 * @param {any} manifest
 */
function pageOf(name, like, manifest) {
  return `# ${manifest.title}

Made like [${basename(like.folder)}](${slashes(relative(join(like.folder, '..', name), like.folder))}/README.md): write here what differs from the defaults of ${name}, and why.
`;
}
