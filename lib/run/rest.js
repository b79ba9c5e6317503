import { setTimeout as pause } from 'node:timers/promises';
import { FULL } from '../judge/attribution.js';

/** @import { Instance } from '../engines/native.js' */

/**
 * How long a system is given to come to rest before a load: after it was started, and after a load, of which it may have
 * work left (a log to compact, sessions to close) that is no part of the next one.
 */
export const REST = Object.freeze({ startedMs: 3000, loadedMs: 20_000, betweenMs: 100 });

/** @type {WeakMap<object, boolean>} whether it was ever seen at rest: for one that spins nobody waits twice */
const rested = new WeakMap();

/**
 * @param {Instance} instance
 * @param {() => Promise<number | null>} look CPU that it takes without load, in cores; null where that cannot be seen
 * @param {{signal: AbortSignal, loadedMs?: number}} options `signal` ends the waiting; `loadedMs`: as of {@link REST}
 * @returns {Promise<number | null>} of the last look
 */
export async function idleAtRest(instance, look, { signal, loadedMs = REST.loadedMs }) {
  const before = rested.get(instance);
  const limitMs = before === undefined ? REST.startedMs : before ? loadedMs : 0;
  const began = Date.now();
  let idle = await look();
  while (isAtWork(idle) && Date.now() - began < limitMs && !signal.aborted) {
    await pause(REST.betweenMs);
    idle = await look();
  }
  rested.set(instance, before === true || !isAtWork(idle));
  return idle;
}

/** @param {number | null} idle */
function isAtWork(idle) {
  return idle !== null && idle >= FULL.idleCores;
}
