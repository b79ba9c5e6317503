import { rmSync } from 'node:fs';
import { tailOf } from '../process/child.js';
import { ownCpus } from '../process/cpu-limit.js';
import { freePort } from '../process/ports.js';
import { within } from '../process/within.js';
import { startGenerator } from './generator.js';
import { begin, k6Outcome, liveFigures, waitsToBegin } from './k6.js';
import { outputProblems } from './outputs.js';

/**
 * Several k6 processes of this machine that share a load as the pods of the k6 operator do: each has its segment, all
 * begin paused, and are told to go at the same moment.
 * @import { GeneratorProcess, Place, StepLoad } from './generator.js'
 */

/** Making a thousand users takes a while on a busy machine. */
const READY_SEC = 60;
const LOOK_EVERY_MS = 20;

/**
 * What a load is driven by, wherever its runners are.
 * @typedef {object} Runners
 * @property {number[]} pgids process groups to be sampled; none where they are not here
 * @property {number} coresEach
 * @property {() => Promise<{runner: number, problem: string}[]>} begin tells all of them to go, once all are ready
 * @property {Promise<void>} ended when none of them goes on
 * @property {() => Promise<{ratePerSec: number | null, p95Ms: number | null} | null>} live
 * @property {() => void} interrupt lets them write what they have
 * @property {() => Promise<Ended>} close ends and removes whatever is left of them
 */

/**
 * @typedef {object} Ended
 * @property {{runner: number, problem: string}[]} problems
 * @property {number[]} restarted
 * @property {string[]} [outputProblems] a line for each output of a runner that did not take all
 * @property {number} [nodes] of a cluster that they were on; absent: this machine
 */

/**
 * @param {Omit<StepLoad & Place, 'runner' | 'apiPort' | 'logPath'>} call
 * @param {object} options
 * @param {number} options.count
 * @param {string | null} options.before as of `RunnerCall`
 * @param {(runner: number) => string} options.resultOf absolute path
 * @param {(runner: number) => string} options.logOf absolute path
 * @returns {Promise<Runners>}
 */
export async function startLocalRunners(call, { count, before, resultOf, logOf }) {
  const loops = Math.max(1, Math.floor(ownCpus() / count));
  /** @type {{runner: number, apiPort: number, process: GeneratorProcess}[]} */
  const all = [];
  const close = async () => {
    await Promise.all(
      all.map(async ({ process }) => {
        await process.child.stop(2000);
        await process.release();
      }),
    );
    const problems = [];
    const lost = new Set(all.flatMap(({ runner }) => outputProblems(tailOf(logOf(runner), Infinity))));
    for (const { runner, process } of all) {
      const { ok, reason } = k6Outcome(await process.child.exited, tailOf(logOf(runner), 10));
      if (ok) rmSync(logOf(runner), { force: true });
      else problems.push({ runner, problem: reason });
    }
    return { problems, restarted: [], outputProblems: [...lost] };
  };
  try {
    /** @type {number[]} */
    const ports = [];
    while (ports.length < count) ports.push(await freePort());
    const meet = ports.map((port) => `http://127.0.0.1:${port}`).join(',');
    for (const [i, apiPort] of ports.entries()) {
      const runner = i + 1;
      const own = { runner, runners: count, loops, result: resultOf(runner), before, meet };
      rmSync(logOf(runner), { force: true });
      const process = await startGenerator({ ...call, apiPort, logPath: logOf(runner), runner: own });
      all.push({ runner, apiPort, process });
    }
  } catch (error) {
    await close();
    throw error;
  }
  const ended = Promise.all(all.map((r) => r.process.child.exited)).then(() => undefined);
  return {
    pgids: all.map((r) => r.process.child.pid),
    coresEach: ownCpus(),
    ended,
    close,
    begin: () => beginTogether(all),
    live: async () => {
      const figures = await Promise.all(all.map((r) => liveFigures(r.apiPort)));
      const ratePerSec = figures.reduce((sum, f) => sum + (f?.ratePerSec ?? 0), 0);
      return { ratePerSec, p95Ms: null };
    },
    interrupt: () => {
      for (const { process } of all) process.child.signal('SIGINT');
    },
  };
}

/**
 * @param {{runner: number, apiPort: number, process: Pick<GeneratorProcess, 'child'>}[]} all
 * @returns {Promise<{runner: number, problem: string}[]>} those that did not begin
 */
async function beginTogether(all) {
  const ready = await Promise.all(all.map(async (r) => ({ ...r, ready: await isReady(r) })));
  const went = await Promise.all(ready.map(async (r) => r.ready && (await begin(r.apiPort))));
  return ready.flatMap(({ runner }, i) =>
    went[i] ? [] : [{ runner, problem: `it was not ready to begin within ${READY_SEC} s` }],
  );
}

/**
 * @param {{apiPort: number, process: Pick<GeneratorProcess, 'child'>}} runner
 * @returns {Promise<boolean>}
 */
async function isReady({ apiPort, process }) {
  const until = Date.now() + READY_SEC * 1000;
  while (Date.now() < until && process.child.running()) {
    if (await waitsToBegin(apiPort)) return true;
    await within(LOOK_EVERY_MS, process.child.exited);
  }
  return false;
}
