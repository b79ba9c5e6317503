/**
 * Builds the server into a folder of its own: compiled JavaScript and the packages that it needs to run.
 *
 *   node build.mjs <folder>
 *
 * better-sqlite3 comes as a prebuilt binary from its releases where they can be reached, else it is compiled by
 * node-gyp. That needs Node's headers, which are a download too; where the installation of this Node has them (the
 * official archives and most distributions do), they are used instead.
 *
 * The program of this Node is part of the result: the binary of better-sqlite3 fits no other version.
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
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const SOURCE = import.meta.dirname;

function run(command, args, cwd) {
  const prefix = dirname(dirname(process.execPath));
  const headers = existsSync(join(prefix, 'include', 'node', 'node.h')) ? { npm_config_nodedir: prefix } : {};
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', 2, 2],
    env: { ...headers, ...process.env },
  });
  if (status !== 0) {
    console.error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
    process.exit(1);
  }
}

/**
 * All packages, development ones included, kept beside the results: compiling better-sqlite3 takes far longer than
 * compiling the server, and changes only with the lock file and with Node.
 * @returns {string} a folder with node_modules
 */
function packages() {
  const key = createHash('sha256')
    .update(readFileSync(join(SOURCE, 'package-lock.json')))
    .update(`${process.version} ${process.platform} ${process.arch}`);
  const kept = join(dirname(target), `packages-${key.digest('hex').slice(0, 16)}`);
  if (existsSync(kept)) return kept;
  const work = mkdtempSync(`${kept}.building-`);
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(SOURCE, name), join(work, name));
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], work);
  // Another build may have been quicker.
  if (!existsSync(kept)) renameSync(work, kept);
  rmSync(work, { recursive: true, force: true });
  return kept;
}

if (process.argv.length !== 3) {
  console.error('usage: node build.mjs <folder>');
  process.exit(2);
}
const target = resolve(process.argv[2]);
mkdirSync(target, { recursive: true });
for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'src']) {
  cpSync(join(SOURCE, name), join(target, name), { recursive: true });
}
writeFileSync(join(target, 'schema.sql'), readFileSync(join(SOURCE, 'schema.sql')));
cpSync(join(packages(), 'node_modules'), join(target, 'node_modules'), {
  recursive: true,
  verbatimSymlinks: true,
});
run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', '.'], target);
run(
  'npm',
  ['prune', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
  target,
);
// What only the compiling needed: sources of SQLite and object files.
for (const name of [
  'deps',
  'src',
  'build/Release/obj',
  'build/Release/obj.target',
  'build/Release/.deps',
  'build/deps',
]) {
  rmSync(join(target, 'node_modules', 'better-sqlite3', name), { recursive: true, force: true });
}
rmSync(join(target, 'src'), { recursive: true });
mkdirSync(join(target, 'bin'));
copyFileSync(process.execPath, join(target, 'bin', 'node'));
