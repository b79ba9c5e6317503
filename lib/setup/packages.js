import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { ROOT } from '../paths.js';
import { lastLine, runTool, which } from '../process/tool.js';
import { readJsonOr } from '../store.js';

const STAMP = join(ROOT, 'node_modules', '.package-lock.json');
const LOCK = join(ROOT, 'package-lock.json');

/**
 * Gets the npm packages of this checkout, when they are missing or changed. Of several first runs one installs, and the
 * others wait for it; without flock each does it by itself.
 * @param {import('../output.js').Output} output
 * @throws {BenchError} when they cannot be installed
 */
export async function ensurePackages(output) {
  if (areCurrent()) return;
  if (which('npm') === null) throw new BenchError('npm is not on PATH', { hint: 'install Node.js with npm' });
  const lock = await heldLock();
  try {
    if (!areCurrent()) await install(output);
  } finally {
    if (lock !== null) closeSync(lock);
  }
}

/**
 * npm leaves a copy of the lock file behind; when ours is newer, the packages are not those of this checkout. A package
 * that it lists and that somebody removed is missing all the same.
 */
function areCurrent() {
  if (!existsSync(STAMP) || statSync(LOCK).mtimeMs > statSync(STAMP).mtimeMs) return false;
  return installed().every((name) => existsSync(join(ROOT, name, 'package.json')));
}

/** @returns {string[]} folders of the packages that npm installed */
function installed() {
  const { packages } = readJsonOr(STAMP, /** @type {{packages?: object}} */ ({}));
  return Object.keys(packages ?? {});
}

/** @returns {Promise<number | null>} a file that this process holds locked until it is closed */
async function heldLock() {
  try {
    const file = openSync(join(ROOT, '.npm-ci.lock'), 'a');
    // The lock is of the open file, which the child shares, and stays when the child has ended.
    await once(spawn('flock', ['3'], { stdio: ['ignore', 'ignore', 'ignore', file] }), 'exit').catch(
      () => {},
    );
    return file;
  } catch {
    return null;
  }
}

/** @param {import('../output.js').Output} output */
async function install(output) {
  output.say('npm packages: installing (once)');
  // Tools of the tests stay where they are; a first number does not need them.
  const omit = installed().includes('node_modules/typescript') ? [] : ['--omit=dev'];
  const command = ['npm', 'ci', ...omit, '--prefix', ROOT, '--no-audit', '--no-fund', '--loglevel=error'];
  const { ok, stdout, stderr } = await runTool(command, { timeoutMs: 20 * 60_000 });
  const now = new Date();
  if (ok) return utimesSync(STAMP, now, now);
  const said = stderr.split('\n').find((line) => /npm error [^c ]/.test(line)) ?? lastLine(stderr || stdout);
  throw new BenchError(`npm ci failed: ${said}`, { hint: 'is a package registry reachable?' });
}
