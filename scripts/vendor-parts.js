/** Builds programs that no package has, in the cache, where runs of processes find them too: NAME=folder for each that is named. */
import { loadStacks } from '../lib/config/stacks.js';
import { BenchError } from '../lib/errors.js';
import { isBuilt, runBuild, stackBuilds } from '../lib/setup/builds.js';

const builds = loadStacks().stacks.flatMap(stackBuilds);
for (const name of process.argv.slice(2)) {
  const build = builds.find((b) => b.name === name);
  try {
    if (!build) throw new BenchError(`no system builds ${name}`);
    if (!isBuilt(build)) await runBuild(build);
    console.log(`${name}=${build.output}`);
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    console.error([`error: ${error.message}`, ...error.detail].join('\n'));
    process.exitCode = 1;
  }
}
