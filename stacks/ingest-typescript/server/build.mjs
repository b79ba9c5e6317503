/**
 * Builds the server into a folder of its own: compiled JavaScript, and the Node.js that runs it.
 *
 *   node build.mjs <folder>
 *
 * The server uses the SQLite of Node.js. Where this Node.js is older than that, one is taken from npm, whose packages for Linux
 * have the program inside.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const SOURCE = import.meta.dirname;

/** The first Node.js whose SQLite hands rows over as arrays. */
const FIRST = [22, 16];

function run(command, args, cwd = SOURCE) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
    process.exit(1);
  }
}

/**
 * Packages of a lock file, kept beside the results.
 * @returns {string} a folder with node_modules
 */
function packages(folder) {
  const key = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const kept = join(dirname(target), `packages-${key.slice(0, 16)}`);
  if (existsSync(kept)) return kept;
  const work = mkdtempSync(`${kept}.building-`);
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(folder, name), join(work, name));
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], work);
  // Another build may have been quicker.
  if (!existsSync(kept)) renameSync(work, kept);
  rmSync(work, { recursive: true, force: true });
  return kept;
}

/** @returns {string} the program of a Node.js that has SQLite */
function nodeWithSqlite() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > FIRST[0] || (major === FIRST[0] && minor >= FIRST[1])) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const program = join(packages(join(SOURCE, 'node')), 'node_modules', name, 'bin', 'node');
  if (existsSync(program)) return program;
  console.error(
    `Node.js ${process.versions.node} has no SQLite: install Node.js ${FIRST.join('.')} or later`,
  );
  process.exit(1);
}

if (process.argv.length !== 3) {
  console.error('usage: node build.mjs <folder>');
  process.exit(2);
}
const target = resolve(process.argv[2]);
mkdirSync(join(target, 'bin'), { recursive: true });
for (const name of ['package.json', 'schema.sql'])
  cpSync(join(SOURCE, name), join(target, name), { dereference: true });
copyFileSync(nodeWithSqlite(), join(target, 'bin', 'node'));
const compilers = join(packages(SOURCE), 'node_modules');
run(process.execPath, [
  ...[join(compilers, 'typescript', 'bin', 'tsc'), '-p', SOURCE],
  ...['--typeRoots', join(compilers, '@types'), '--outDir', join(target, 'dist')],
]);
