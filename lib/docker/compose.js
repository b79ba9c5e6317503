import { unpackFromSuite } from '../setup/debian.js';
import { COMPOSE_PACKAGE } from './cli.js';

/** The first Debian release whose Compose can include files; its build needs no more than bookworm's C library. */
const SUITE = 'trixie';

// Called by scripts/docker-engine.sh: Compose into the cache, where the docker engine looks for it.
const result = await unpackFromSuite(COMPOSE_PACKAGE, SUITE);
if ('problem' in result) {
  console.error(`error: ${result.problem}`);
  process.exitCode = 1;
} else {
  console.error(`Compose: ${result.unpacked.packages.join(', ')}, in the cache`);
}
