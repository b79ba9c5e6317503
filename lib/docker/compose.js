import { unpackFromSuite, unpackPackage } from '../setup/debian.js';
import { COMPOSE_PACKAGE } from './cli.js';

/** The first Debian release whose Compose can include files; its build needs no more than bookworm's C library. */
const SUITE = 'trixie';

// Called by scripts: packages into the cache, and where they are on stdout. Without a name, Compose, where the
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
