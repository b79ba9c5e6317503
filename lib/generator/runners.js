import { groupBy } from '../group-by.js';
import { ownCpus } from '../process/cpu-limit.js';
import { freePort } from '../process/ports.js';
import { firstAnswer } from '../process/within.js';
import { begin, waitsToBegin } from './k6.js';
import { endOfRunners, startLoad } from './load.js';

/**
 * Several k6 processes of this machine that share a load as the pods of the k6 operator do: each has its segment, all
 * begin paused, and are told to go at the same moment.
 * @import { Place, StepLoad } from './generator.js'
 * @import { Load, OneLoad, RunnerProblem } from './load.js'
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
  /** @type {OneLoad[]} */
  const all = [];
  /** @type {RunnerProblem[]} */
  let late = [];
  const close = async () => {
    const ends = await Promise.all(all.map((load) => load.close()));
    for (const [i, { ok }] of ends.entries()) if (ok) all[i].discardLog();
    const problems = ends.flatMap(({ ok, reason }, i) => (ok ? [] : [{ runner: i + 1, problem: reason }]));
    const lost = groupBy(
      ends.flatMap(({ outputProblems = [] }) => outputProblems),
      ({ output, cause }) => `${output}\n${cause}`,
    ).map(([one]) => one);
    return { ...endOfRunners([...late, ...problems], count, { restarted: [] }), outputProblems: lost };
  };
  try {
    /** @type {number[]} */
    const ports = [];
    while (ports.length < count) ports.push(await freePort());
    const meet = ports.map((port) => `http://127.0.0.1:${port}`).join(',');
    for (const [i, apiPort] of ports.entries()) {
      const runner = i + 1;
      const own = { runner, runners: count, loops, result: resultOf(runner), before, meet };
      all.push(await startLoad({ ...call, logPath: logOf(runner), runner: own }, apiPort));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    seen: { watched: { pgids: all.map(({ seen }) => seen.child.pid) } },
    ended: Promise.all(all.map((load) => load.ended)).then(() => undefined),
    close,
    discardLog: () => {},
    begin: async () => {
      late = await beginTogether(all);
      return late.length === 0;
    },
    live: async () => {
      const figures = await Promise.all(all.map((load) => load.live()));
      const sum = (/** @type {'ratePerSec' | 'ended'} */ of) =>
        figures.reduce((n, f) => n + (f?.[of] ?? 0), 0);
      return { ratePerSec: sum('ratePerSec'), p95Ms: null, ended: sum('ended') };
    },
    interrupt: () => {
      for (const load of all) load.interrupt();
    },
  };
}

/**
 * @param {OneLoad[]} all
 * @returns {Promise<RunnerProblem[]>} those that did not begin
 */
async function beginTogether(all) {
  const ready = await Promise.all(all.map(isReady));
  const went = await Promise.all(all.map(async ({ apiPort }, i) => ready[i] && (await begin(apiPort))));
  return went.flatMap((ok, i) =>
    ok ? [] : [{ runner: i + 1, problem: `it was not ready to begin within ${READY_SEC} s` }],
  );
}

/**
 * @param {OneLoad} runner
 * @returns {Promise<boolean>}
 */
async function isReady({ apiPort, seen: { child } }) {
  const look = async () => !child.running() || (await waitsToBegin(apiPort));
  return (await firstAnswer(READY_SEC * 1000, LOOK_EVERY_MS, look)) === true && child.running();
}
