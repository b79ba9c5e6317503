import { setTimeout as sleep } from 'node:timers/promises';

/** Node fires a longer timer at once (its delay is a signed 32-bit number): about 24.8 days. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * The first of several promises, or null when none settles in time. No timer is left that would keep a process alive
 * which has nothing more to do.
 * @template T
 * @param {number} ms at most; anything beyond 24.8 days is 24.8 days
 * @param {...Promise<T>} promises
 * @returns {Promise<T | null>}
 */
export async function within(ms, ...promises) {
  const over = new AbortController();
  const time = sleep(Math.min(ms, LONGEST_MS), null, { signal: over.signal });
  try {
    return await Promise.race([...promises, time]);
  } finally {
    over.abort();
  }
}

/**
 * @template T
 * @param {number} ms for how long it is asked again
 * @param {number} everyMs
 * @param {() => T | Promise<T>} ask
 * @returns {Promise<T | null>} its first answer that says something; null where none did in time
 */
export async function firstAnswer(ms, everyMs, ask) {
  // Not by the clock of the day, which may be set.
  const until = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer || performance.now() >= until) return answer || null;
    await sleep(everyMs);
  }
}
