import { BenchError, EXIT } from '../errors.js';
import { groupListens } from '../process/ports.js';
import { waitUntilReady } from './ready.js';

/**
 * @import { CompanionCheck, ReadyCheck } from '../types.d.ts'
 * @import { Child } from '../process/child.js'
 */

/**
 * Waits for a process that was just started.
 * @param {string} who for the messages
 * @param {Child} child
 * @param {{check: ReadyCheck | CompanionCheck, port: number, signal: AbortSignal, fill?: (text: string) => string,
 *   output?: () => string}} options `output`: what it has written since it was started
 * @throws {BenchError} interrupted, ended, not ready in time, or another process answers: with its last log lines
 */
export async function demandReady(who, child, { check, ...options }) {
  const { port, signal } = options;
  const where = { host: '127.0.0.1', stillRunning: child.running, ...options };
  const { ready, last } = await waitUntilReady(check, where);
  const fail = (/** @type {string} */ what) =>
    new BenchError(`${who} ${what}`, { exitCode: EXIT.systemFailed, detail: child.logTail() });
  if (signal.aborted) throw fail('was interrupted while starting');
  if (!child.running()) throw fail('ended while starting');
  if (!ready) throw fail(`did not become ready in ${check.timeoutSec} s (${last})`);
  if (!('log' in check) && groupListens(port, child.pid) === false) {
    throw fail(`does not answer on port ${port} itself: another process listens there`);
  }
}
