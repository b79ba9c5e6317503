import { setTimeout as pause } from 'node:timers/promises';
import { LAST_LINES } from '../generator/load.js';
import { within } from '../process/within.js';

/**
 * How a load comes to its end, and what is said of that: one ladder for every load, whatever is loaded, killed or broken.
 * @import { CellMeta } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 * @import { Load, LoadEnd } from '../generator/load.js'
 */

/** How long an interrupted load may take to write what it has. */
const WRITE_MS = 8000;
/** How long a load may take until it has measured something. */
const BEGIN_SEC = 60;
const LOOK_EVERY_MS = 100;

/** What comes to no end. @type {Promise<never>} */
const NEVER = new Promise(() => {});

/** @typedef {Pick<CellMeta, 'status' | 'reason' | 'logTail' | 'k6ExitCode' | 'outputProblems'>} Outcome */

/**
 * What a load is waited for with.
 * @typedef {object} Waiting
 * @property {Instance[]} instances the systems under it
 * @property {number} limitSec after which it is taken for stuck
 * @property {AbortSignal} signal first Ctrl-C
 * @property {Promise<void>} interrupted the same as a promise
 * @property {(live: Awaited<ReturnType<Load['live']>>) => void} [onLive] told every second how it goes
 * @property {() => string | null} [before] what it must not end before; null: it may
 * @property {(end: LoadEnd) => string | null} [problemOf] what is wrong with a load that went well for k6
 * @property {Promise<unknown>} [failing] what goes on beside the load: its error is thrown
 * @property {number} [writeMs] as {@link WRITE_MS}
 */

/**
 * All that is known at the end of a load.
 * @typedef {object} Told
 * @property {'ended' | 'died' | 'interrupted' | 'stuck'} how
 * @property {LoadEnd} end
 * @property {Instance | null} dead the first system that does not run any more
 * @property {string} ending why, where that is known
 * @property {boolean} aborted
 * @property {number} limitSec
 * @property {string | null} before
 * @property {string | null} problem
 */

/**
 * The first that applies is what is said. `log`: whose last lines stand beside it.
 * @type {readonly {is: (told: Told) => boolean, status: Outcome['status'], log: 'system' | 'k6' | null,
 *   reason: (told: Told) => string | null}[]}
 */
const LADDER = Object.freeze([
  {
    is: ({ dead }) => dead !== null,
    status: 'failed',
    log: 'system',
    reason: ({ ending }) => `the system ended under the load ${ending}`.trimEnd(),
  },
  { is: ({ aborted }) => aborted, status: 'aborted', log: null, reason: () => 'interrupted' },
  {
    is: ({ how }) => how === 'stuck',
    status: 'failed',
    log: 'k6',
    reason: ({ limitSec, before, end }) =>
      `${slowOf(end)} did not ${before === null ? 'end' : 'begin'} in ${Math.round(limitSec)} s`,
  },
  {
    is: ({ before }) => before !== null,
    status: 'failed',
    log: 'system',
    reason: ({ before, end }) => `the load ended before ${before}: ${end.reason || 'k6 ended'}`,
  },
  { is: ({ end }) => !end.ok, status: 'failed', log: 'system', reason: ({ end }) => end.reason },
  {
    is: ({ problem }) => problem !== null,
    status: 'failed',
    log: 'k6',
    reason: ({ problem }) => String(problem),
  },
  { is: () => true, status: 'ok', log: null, reason: () => null },
]);

/** @param {LoadEnd} end @returns {string} who was waited for: of several, those that had to be ended */
function slowOf({ runners }) {
  const slow = runners?.problems.map((p) => p.runner) ?? [];
  return slow.length > 0 ? `runner ${slow.join(', ')} of ${runners?.count}` : 'the load';
}

/**
 * Waits for the end of a load, the death of a system, Ctrl-C or the time limit, whichever comes first. The load is over
 * then, and nothing is left of it.
 * @param {Load} load
 * @param {Waiting} waiting
 * @returns {Promise<Ended>}
 */
export async function endOf(load, waiting) {
  const how = await firstOf(load, waiting);
  return ended(load, waiting, /** @type {Told['how']} */ (how));
}

/**
 * Waits until k6 has measured a first second, and then for as long as is said, that second included.
 * @param {Load} load
 * @param {Waiting} waiting `before`: what is done to the system then
 * @param {number} durationSec
 * @returns {Promise<Ended | null>} null: the load goes on
 */
export async function endOrUnderLoad(load, waiting, durationSec) {
  let over = false;
  const enough = (async () => {
    while (!over && !(await load.live())?.ratePerSec) await pause(LOOK_EVERY_MS);
    return pause(Math.max(0, durationSec - 1) * 1000, /** @type {const} */ ('enough'), { ref: false });
  })();
  const limitSec = BEGIN_SEC + durationSec;
  const how = await firstOf(load, { ...waiting, limitSec }, enough);
  over = true;
  return how === 'enough' ? null : ended(load, { ...waiting, limitSec: BEGIN_SEC }, how);
}

/** @typedef {{outcome: Outcome, end: LoadEnd, dead: Instance | null}} Ended */

/**
 * @param {Load} load
 * @param {Waiting} waiting
 * @param {Told['how']} how
 * @returns {Promise<Ended>}
 */
async function ended(load, { instances, limitSec, signal, before, problemOf }, how) {
  const end = await load.close();
  const dead = instances.find((i) => !i.running()) ?? (how === 'died' ? instances[0] : null);
  const told = {
    ...{ how, end, dead, limitSec },
    ending: (await dead?.ending?.()) ?? '',
    aborted: signal.aborted,
    before: before?.() ?? null,
    problem: end.ok ? (problemOf?.(end) ?? null) : null,
  };
  const { status, log, reason } = /** @type {(typeof LADDER)[number]} */ (LADDER.find(({ is }) => is(told)));
  const { k6ExitCode, outputProblems = [] } = end;
  const logs = { system: () => (dead ?? instances[0]).logTail(), k6: () => end.log.slice(-LAST_LINES) };
  const logTail = log === null ? [] : await logs[log]();
  const outcome = { status, reason: reason(told), logTail, k6ExitCode };
  if (status !== 'ok') return { outcome, end, dead };
  load.discardLog();
  const lost = outputProblems.length > 0 ? { outputProblems } : {};
  return { outcome: { ...outcome, k6ExitCode: k6ExitCode ?? 0, ...lost }, end, dead };
}

/**
 * @param {Load} load
 * @param {Waiting} waiting
 * @param {Promise<'enough'>} [enough] the load goes on when it comes first
 * @returns {Promise<Told['how'] | 'enough'>}
 */
async function firstOf(
  load,
  { instances, limitSec, interrupted, onLive, failing, writeMs = WRITE_MS },
  enough,
) {
  onLive?.(null);
  const poll = onLive && setInterval(async () => onLive(await load.live()), 1000);
  const events = [
    ...instances.map((i) => i.died.then(() => /** @type {const} */ ('died'))),
    interrupted.then(() => /** @type {const} */ ('interrupted')),
    ...(failing ? [failing.then(() => NEVER)] : []),
  ];
  try {
    const began =
      !load.begin || (await Promise.race([load.begin(), ...events.map((e) => e.then(() => true))]));
    const over = load.ended.then(() => /** @type {const} */ ('ended'));
    // Who waits for one that never began would wait for ever.
    const all = [over, ...events, ...(enough ? [enough] : [])];
    const first = began ? ((await within(limitSec * 1000, ...all)) ?? 'stuck') : 'ended';
    if (first === 'interrupted' || !began) {
      load.interrupt();
      await within(writeMs, load.ended);
    }
    return first;
  } catch (error) {
    await load.close();
    throw error;
  } finally {
    clearInterval(poll);
  }
}

/**
 * @param {unknown} cause
 * @param {Instance} instance
 * @returns {Promise<Outcome>} of what failed before or after its load
 */
export async function failed(cause, instance) {
  return { status: 'failed', reason: String(cause), logTail: await instance.logTail(), k6ExitCode: null };
}

/** @type {Readonly<Outcome>} */
export const ABORTED = Object.freeze({
  status: 'aborted',
  reason: 'interrupted',
  logTail: [],
  k6ExitCode: null,
});
