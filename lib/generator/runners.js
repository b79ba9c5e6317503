import { rmSync } from 'node:fs';
import { groupBy } from '../group-by.js';
import { tailOf } from '../process/child.js';
import { ownCpus } from '../process/cpu-limit.js';
import { freePort } from '../process/ports.js';
import { within } from '../process/within.js';
import { startGenerator } from './generator.js';
import { begin, k6Outcome, liveFigures, waitsToBegin } from './k6.js';
import { endOfRunners, LAST_LINES } from './load.js';
import { outputProblems } from './outputs.js';

/**
 * Several k6 processes of this machine that share a load as the pods of the k6 operator do: each has its segment, all
 * begin paused, and are told to go at the same moment.
 * @import { GeneratorProcess, Place, StepLoad } from './generator.js'
 * @import { Load, RunnerProblem } from './load.js'
 */

/** Making a thousand users takes a while on a busy machine. */
const READY_SEC = 60;
const LOOK_EVERY_MS = 20;

/**
 * @param {Omit<StepLoad & Place, 'runner' | 'apiPort' | 'logPath'>} call
 * @param {object} options
 * @param {number} options.count
 * @param {string | null} options.before as of `RunnerCall`
 * @param {(runner: number) => string} options.resultOf absolute path
 * @param {(runner: number) => string} options.logOf absolute path
 * @returns {Promise<Load>}
 */
export async function startLocalRunners(call, { count, before, resultOf, logOf }) {
  const loops = Math.max(1, Math.floor(ownCpus() / count));
  /** @type {{runner: number, apiPort: number, process: GeneratorProcess}[]} */
  const all = [];
  /** @type {RunnerProblem[]} */
  let late = [];
  const close = async () => {
    await Promise.all(
      all.map(async ({ process }) => {
        await process.child.stop(2000);
        await process.release();
      }),
    );
    const problems = [...late];
    const lost = groupBy(
      all.flatMap(({ runner }) => outputProblems(tailOf(logOf(runner), Infinity))),
      ({ output, cause }) => `${output}\n${cause}`,
    ).map(([one]) => one);
    for (const { runner, process } of all) {
      const { ok, reason } = k6Outcome(await process.child.exited, tailOf(logOf(runner), LAST_LINES));
      if (ok) rmSync(logOf(runner), { force: true });
      else problems.push({ runner, problem: reason });
    }
    return { ...endOfRunners(problems, count, { restarted: [] }), outputProblems: lost };
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
    seen: { watched: { pgids: all.map((r) => r.process.child.pid) } },
    ended,
    close,
    discardLog: () => {},
    begin: async () => {
      late = await beginTogether(all);
      return late.length === 0;
    },
    live: async () => {
      const figures = await Promise.all(all.map((r) => liveFigures(r.apiPort)));
      const sum = (/** @type {'ratePerSec' | 'ended'} */ of) =>
        figures.reduce((n, f) => n + (f?.[of] ?? 0), 0);
      return { ratePerSec: sum('ratePerSec'), p95Ms: null, ended: sum('ended') };
    },
    interrupt: () => {
      for (const { process } of all) process.child.signal('SIGINT');
    },
  };
}

/**
 * @param {{runner: number, apiPort: number, process: Pick<GeneratorProcess, 'child'>}[]} all
 * @returns {Promise<RunnerProblem[]>} those that did not begin
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
