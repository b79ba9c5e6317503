// Says so where Node.js is too old for the modules, and asks no second Node.js for its version: that takes as long as most
// commands do.
const OLDEST = 20;
const [major] = process.versions.node.split('.').map(Number);
if (major >= OLDEST) {
  import('./cli.js');
} else {
  process.stderr.write(
    `error: Node.js ${major} is too old\nhint: install Node.js ${OLDEST} or later: https://nodejs.org\n`,
  );
  process.exitCode = 2;
}
