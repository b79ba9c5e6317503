import { existsSync } from 'node:fs';
import { COMPOSE_PACKAGE } from '../lib/docker/cli.js';
import { runTool } from '../lib/process/tool.js';
import {
  KEYRING,
  mirrorOf,
  osRelease,
  privateApt,
  unpacked,
  unpackFiles,
  unpackPackage,
} from '../lib/setup/debian.js';

/** @import { Unpacked } from '../lib/setup/debian.js' */

/** The first Debian release whose Compose can include files; its build needs no more than bookworm's C library. */
const SUITE = 'trixie';

// Called by other scripts: packages into the cache, and where they are on stdout. Without a name, Compose, where the
// docker engine looks for it. `--here`: of this machine's own release.
const here = process.argv.includes('--here');
const names = process.argv.slice(2).filter((word) => word !== '--here');
for (const name of names.length > 0 ? names : [COMPOSE_PACKAGE]) {
  const result = await (here ? unpackPackage(name) : unpackFromSuite(name, SUITE));
  if ('problem' in result) {
    console.error(`error: ${result.problem}`);
    process.exitCode = 1;
    break;
  }
  console.error(`${result.unpacked.packages.join(', ')}, in the cache`);
  if (names.length > 0) console.log(result.unpacked.root);
}

/**
 * One package of another release, without what it depends on: for a program that needs the C library alone.
 * @param {string} name
 * @param {string} suite for example `trixie`
 * @returns {Promise<{unpacked: Unpacked} | {problem: string}>}
 */
async function unpackFromSuite(name, suite) {
  const done = unpacked(name);
  if (done) return { unpacked: done };
  if (!existsSync(KEYRING)) return { problem: 'this machine has no keyring of the Debian archive' };
  const mirror = (await mirrorOf(osRelease().VERSION_CODENAME)) ?? 'http://deb.debian.org/debian';
  const source = `deb [signed-by=${KEYRING}] ${mirror} ${suite} main\n`;
  const apt = await privateApt(`apt-${suite}`, source);
  if ('problem' in apt) return apt;
  const { stdout } = await runTool(['apt-cache', ...apt.options, 'show', '--no-all-versions', name]);
  const version = /^Version: (.*)$/m.exec(stdout)?.[1];
  if (!version) return { problem: `no package "${name}" in Debian ${suite}` };
  return unpackFiles(name, [{ name, version }], apt.options);
}
