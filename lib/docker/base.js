import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BenchError } from '../errors.js';
import { removeNow } from '../process/child.js';
import { temporaryFolder } from '../process/temporary.js';
import { lastLine, runTool } from '../process/tool.js';
import { osRelease } from '../setup/debian.js';
import { howToInstall, obtainNeed } from '../setup/needs.js';
import { docker } from './cli.js';
import { isPresent } from './images.js';

/** What our own images stand on where a registry answers. */
export const UPSTREAM_BASE = 'debian:13.1-slim';

/** The same release as this machine, so that what was built here finds the C library that it was built with. */
const SUITE = osRelease().ID === 'debian' ? (osRelease().VERSION_CODENAME ?? 'bookworm') : 'bookworm';
const OFFLINE_BASE = `ladderbench/base:${SUITE}`;
const MIRROR = 'http://deb.debian.org/debian';

const DEBOOTSTRAP = { binary: 'debootstrap', debian: 'debootstrap' };

/** @returns {Promise<string | null>} a base image that the engine has: named by BASE_IMAGE, made here, or upstream's */
export async function findBase() {
  for (const ref of [process.env.BASE_IMAGE, OFFLINE_BASE, UPSTREAM_BASE]) {
    if (ref && (await isPresent(ref))) return ref;
  }
  return null;
}

/**
 * Makes a base image from Debian's packages alone. Needs root, as debootstrap does.
 * @returns {Promise<string>} its reference
 * @throws {BenchError}
 */
export async function makeBase() {
  const need = await obtainNeed(DEBOOTSTRAP);
  if ('problem' in need) {
    throw new BenchError(`debootstrap is missing: ${need.problem}`, { hint: howToInstall(DEBOOTSTRAP) });
  }
  if (process.getuid?.() !== 0) {
    throw new BenchError('a base image is made by debootstrap, which needs root', {
      hint: 'run it with sudo',
    });
  }
  const folder = temporaryFolder('base');
  try {
    const root = join(folder, 'root');
    mkdirSync(root);
    // A base that was unpacked and not installed keeps its scripts below its own root.
    const own = join(dirname(dirname(dirname(need.found.path))), 'usr/share/debootstrap');
    const env = Object.keys(need.found.env).length > 0 ? { DEBOOTSTRAP_DIR: own } : {};
    const made = await runTool(
      [need.found.path, '--variant=minbase', '--include=ca-certificates', SUITE, root, MIRROR],
      { env: { ...env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` }, timeoutMs: 10 * 60_000 },
    );
    if (!made.ok) throw new BenchError(`debootstrap failed: ${lastLine(made.stdout || made.stderr)}`);
    await importRoot(root, folder);
  } finally {
    removeNow(folder);
  }
  return OFFLINE_BASE;
}

/**
 * @param {string} root
 * @param {string} folder
 */
async function importRoot(root, folder) {
  const archive = join(folder, 'root.tar');
  const packed = await runTool(['tar', '--numeric-owner', '-C', root, '-cf', archive, '.'], {
    timeoutMs: 300_000,
  });
  if (!packed.ok) throw new BenchError(`tar failed: ${lastLine(packed.stderr)}`);
  const loaded = await docker(['import', archive, OFFLINE_BASE], { timeoutMs: 300_000 });
  if (!loaded.ok) throw new BenchError(`docker import failed: ${lastLine(loaded.stderr)}`);
}
