import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { generatorBuild, isBuilt, runBuild, stackBuilds } from './builds.js';
import { findNeed, obtainNeed } from './needs.js';

/**
 * @import { Stack } from '../types.d.ts'
 * @import { Output } from '../output.js'
 */

/** The live view's store; runs do without it. */
export const INFLUXD = Object.freeze({ binary: 'influxd', debian: 'influxdb', brew: 'influxdb@1' });

/**
 * Makes everything ready that the chosen systems need, and says what it does. The second time it does nothing.
 * @param {Stack[]} stacks systems to be run natively, and calibration targets
 * @param {Output} output
 * @param {{live: boolean, build: boolean}} options `build` false: `--no-build`, nothing is fetched or built
 * @returns {Promise<{k6: string, problems: Map<string, string>}>} per stack, why it cannot be had
 */
export async function setUp(stacks, output, { live, build }) {
  const generator = generatorBuild();
  await ensureBuilt(generator, output, build);
  /** @type {Map<string, string>} */
  const problems = new Map();
  for (const stack of stacks) {
    try {
      for (const need of stack.manifest.native?.needs ?? []) await ensureNeed(need, output, build);
      for (const b of stackBuilds(stack)) await ensureBuilt(b, output, build);
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      problems.set(stack.id, error.message);
    }
  }
  if (live && build && !findNeed(INFLUXD)) {
    await ensureNeed(INFLUXD, output, build).catch(() => {});
  }
  return { k6: join(generator.output, 'k6'), problems };
}

/**
 * @param {import('../types.d.ts').NativeNeed} need
 * @param {Output} output
 * @param {boolean} allowed
 */
async function ensureNeed(need, output, allowed) {
  if (findNeed(need)) return;
  if (!allowed) throw new BenchError(`${need.binary} is missing, and --no-build forbids getting it`);
  const done = output.task(
    `${need.binary}`,
    need.debian ? `unpacking Debian's ${need.debian} into the cache` : '',
  );
  const result = await obtainNeed(need);
  if ('problem' in result) {
    done('not to be had');
    throw new BenchError(`${need.binary} is missing: ${result.problem}`);
  }
  done(result.found.source);
}

/**
 * @param {import('./builds.js').Build} build
 * @param {Output} output
 * @param {boolean} allowed
 */
async function ensureBuilt(build, output, allowed) {
  if (isBuilt(build)) return;
  if (!allowed) throw new BenchError(`${build.title} is not built, and --no-build forbids building it`);
  const done = output.task(build.title, `building${build.about ? `, ${build.about}, once` : ''}`);
  try {
    await runBuild(build);
  } catch (error) {
    done('failed');
    throw error;
  }
  done('cached for next time');
}
