import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { groupBy } from '../group-by.js';
import { makeCache } from '../process/temporary.js';
import { generatorBuild, hookBuilds, isBuilt, laneOf, runBuild, stackBuilds } from './builds.js';
import { remember } from './costs.js';
import { shared } from './debian.js';
import { canBeUnpacked, findNeed, howToInstall, lacksProgram, obtainNeed } from './needs.js';

/**
 * @import { Stack } from '../types.d.ts'
 * @import { Output } from '../output.js'
 */

/** The live view's store; runs do without it. */
export const INFLUXD = Object.freeze({
  binary: 'influxd',
  debian: 'influxdb',
  megabytes: 5.3,
  brew: 'influxdb@1',
});

/**
 * Makes everything ready that the chosen systems need, and says what it does. The second time it does nothing.
 * @param {Stack[]} stacks systems to be run natively, and calibration targets
 * @param {Output} output
 * @param {{live: boolean, build: boolean, named?: string[], tools?: import('./builds.js').Build[]}} options `build` false: `--no-build`, nothing is fetched
 *   or built; `named`: systems that were asked for by name, whose slow builds are worth their time; `tools`: for the faults
 *   that are wanted
 * @returns {Promise<{k6: string, problems: Map<string, string>}>} per stack, why it is not available
 */
export async function setUp(stacks, output, { live, build, named = [], tools = [] }) {
  if (build) makeCache();
  const generator = generatorBuild();
  /** @type {Map<string, string>} */
  const problems = new Map();
  const attempt = attemptsNoting(problems);
  const fetch = (/** @type {import('../types.d.ts').NativeNeed} */ need) =>
    shared(need.binary, () => ensureNeed(need, output, build));
  /** @type {{lane: string, task: () => Promise<void>}[]} */
  const tasks = stacks.map((stack) => ({
    lane: `needs of ${stack.id}`,
    task: () =>
      attempt(stack, async () => {
        for (const need of stack.manifest.native?.needs ?? []) await fetch(need);
      }),
  }));
  if (live && build) tasks.push({ lane: INFLUXD.binary, task: () => fetch(INFLUXD).catch(() => {}) });
  for (const b of [generator, ...tools])
    tasks.push({ lane: laneOf(b), task: () => ensureBuilt(b, output, build) });
  // Builds that lack a program are skipped; the fetches say what is missing.
  for (const stack of stacks.filter((s) => !lacksProgram(s))) {
    const own = stackBuilds(stack);
    const why = whyLater(stack, own, named);
    if (why !== null) problems.set(stack.id, why);
    for (const b of [...own, ...hookBuilds(stack, 'native')]) {
      const task = async () => {
        if (!problems.has(stack.id)) await ensureBuilt(b, output, build);
      };
      tasks.push({ lane: laneOf(b), task: () => attempt(stack, task) });
    }
  }
  // A build finds no idle CPU beside others of its lane.
  await inLanes(tasks);
  return { k6: join(generator.output, 'k6'), problems };
}

/**
 * Does what shares a lane one after another, and the lanes at the same time.
 * @param {{lane: string, task: () => Promise<void>}[]} tasks
 * @throws the first failure, when none of them goes on any more; what had not begun by then is left
 */
export async function inLanes(tasks) {
  /** @type {unknown[]} */
  const failures = [];
  const oneByOne = async (/** @type {typeof tasks} */ lane) => {
    for (const { task } of lane)
      if (failures.length === 0) await task().catch((/** @type {unknown} */ e) => failures.push(e));
  };
  await Promise.all(groupBy(tasks, ({ lane }) => lane).map(oneByOne));
  if (failures.length > 0) throw failures[0];
}

/**
 * Why systems would not be available, as far as that is known without changing anything.
 * @param {Stack[]} stacks to be run natively
 * @param {string[]} named systems that were asked for by name
 * @returns {Map<string, string>} by id
 */
export function setUpProblems(stacks, named) {
  return new Map(
    stacks.flatMap((s) => {
      const why = whyLater(s, stackBuilds(s), named);
      return why === null ? [] : [[s.id, why]];
    }),
  );
}

/**
 * Builds what the hooks of systems that are not started as processes bring into them, before anything is started: inside a
 * hook a first build would run against its time limit.
 * @param {Stack[]} stacks
 * @param {'docker' | 'external'} engine
 * @param {Output} output
 * @param {boolean} build false: `--no-build`
 * @returns {Promise<Map<string, string>>} per stack, why it is not available
 */
export async function setUpHooks(stacks, engine, output, build) {
  /** @type {Map<string, string>} */
  const problems = new Map();
  const attempt = attemptsNoting(problems);
  for (const stack of stacks)
    await attempt(stack, async () => {
      for (const b of hookBuilds(stack, engine)) await ensureBuilt(b, output, build);
    });
  return problems;
}

/**
 * @param {Map<string, string>} problems filled: by stack, the first
 * @returns {(stack: Stack, prepare: () => Promise<void>) => Promise<void>}
 */
function attemptsNoting(problems) {
  return async ({ id }, prepare) => {
    try {
      await prepare();
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      if (!problems.has(id)) problems.set(id, error.message);
    }
  };
}

/**
 * A run of everything does not begin with a build of many minutes that was not asked for.
 * @param {Stack} stack
 * @param {import('./builds.js').Build[]} builds
 * @param {string[]} named
 * @returns {string | null} how to have it built; null: it is, or may be
 */
export function whyLater(stack, builds, named) {
  const slow = builds.find((b) => b.slow && !isBuilt(b));
  if (!slow || process.env.LADDERBENCH_SLOW_BUILDS || named.some((n) => [stack.id, stack.base].includes(n)))
    return null;
  return `its server must be built once, ${slow.about}: type --systems ${stack.base}, or measure a running one with --endpoint ${stack.id}=URL`;
}

/**
 * @param {import('../types.d.ts').NativeNeed} need
 * @param {Output} output
 * @param {boolean} allowed
 */
async function ensureNeed(need, output, allowed) {
  if (findNeed(need)) return;
  if (!allowed) throw new BenchError(`${need.binary} is missing, and --no-build forbids fetching it`);
  if (!canBeUnpacked(need)) throw new BenchError(`${need.binary} is missing: ${howToInstall(need)}`);
  const done = output.task(need.binary, `unpacking Debian's ${need.debian} into the cache`);
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
  const done = output.task(build.title, 'building');
  try {
    const cpuSec = await runBuild(build);
    remember(build, cpuSec);
    done(`cached for next time; ${Math.round(cpuSec)} s of CPU time`);
  } catch (error) {
    done('failed');
    throw error;
  }
}
