import { rmSync } from 'node:fs';
import { tailOf } from '../process/child.js';
import { freePort } from '../process/ports.js';
import { startGenerator } from './generator.js';
import { k6Outcome, liveFigures } from './k6.js';
import { outputProblems } from './outputs.js';

/** @import { GeneratorProcess, GeneratorCall } from './generator.js' */

/**
 * A load that is driven, by whatever and wherever: one k6, several of this machine, or pods.
 * @typedef {object} Load
 * @property {Pick<GeneratorProcess, 'watched' | 'container'> | null} seen what is sampled of it; null: it is not here
 * @property {() => Promise<boolean>} [begin] tells several to go, once all are ready; whether all did
 * @property {Promise<void>} ended when nothing of it goes on
 * @property {() => Promise<Live | null>} live
 * @property {() => void} interrupt lets it write what it has
 * @property {() => Promise<LoadEnd>} close ends and removes whatever is left of it
 * @property {() => void} discardLog
 */

/**
 * How a load goes: in the last second, and how many operations have ended since it began, failed ones included.
 * @typedef {{ratePerSec: number | null, p95Ms: number | null, ended: number}} Live
 */

/**
 * @typedef {object} LoadEnd
 * @property {boolean} ok
 * @property {string} reason why not; empty: there is none
 * @property {number | null} k6ExitCode null where there were several, or none ended by itself
 * @property {string[]} log
 * @property {import('../types.d.ts').LostOutput[]} [outputProblems] each output of `--out` that did not take all
 * @property {{count: number, problems: RunnerProblem[], restarted: number[], nodes?: number}} [runners]
 *   where there were several; `nodes`: of a cluster that they were on
 * @typedef {{runner: number, problem: string}} RunnerProblem
 */

/** Lines of a log that say why k6 ended. */
export const LAST_LINES = 10;

/**
 * @template T
 * @typedef {T extends unknown ? Omit<T, 'apiPort'> : never} WithoutPort
 */

/** One k6 process. @typedef {Load & {seen: GeneratorProcess, apiPort: number}} OneLoad */

/**
 * @param {WithoutPort<GeneratorCall>} call
 * @param {number} [apiPort] where others know it by; absent: a free one
 * @returns {Promise<OneLoad>}
 */
export async function startLoad(call, apiPort) {
  const { logPath } = call;
  const discardLog = () => rmSync(logPath, { force: true });
  discardLog();
  const port = apiPort ?? (await freePort());
  const process = await startGenerator({ ...call, apiPort: port });
  const { child } = process;
  const closed = async () => {
    await child.stop(2000);
    await process.release();
    const end = await child.exited;
    const log = tailOf(logPath, Number.POSITIVE_INFINITY);
    const outcome = k6Outcome(end, log.slice(-LAST_LINES));
    return { ...outcome, k6ExitCode: end.code, log, outputProblems: outputProblems(log) };
  };
  /** @type {Promise<LoadEnd> | null} */
  let closing = null;
  return {
    ...{ seen: process, apiPort: port },
    ended: child.exited.then(() => undefined),
    live: () => liveFigures(port),
    interrupt: () => child.signal('SIGINT'),
    close: () => {
      closing ??= closed();
      return closing;
    },
    discardLog,
  };
}

/**
 * @param {RunnerProblem[]} problems of several, in the order in which they were seen
 * @param {number} count of them all
 * @param {{restarted: number[], nodes?: number}} more
 * @returns {LoadEnd} a load goes on without some of its generators, but not without all
 */
export function endOfRunners(problems, count, more) {
  const first = new Map([...problems].reverse().map((p) => [p.runner, p]));
  const own = [...first.values()].sort((a, b) => a.runner - b.runner);
  return {
    ok: own.length < count,
    reason: own[0]?.problem ?? '',
    k6ExitCode: null,
    log: [],
    runners: { count, problems: own, ...more },
  };
}
