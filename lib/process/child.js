import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync } from 'node:fs';
import { plainLine } from '../controls.js';
import { BenchError, causeOf, orCannot, orNull, WRITABLE } from '../errors.js';
import { textOrNull } from '../store.js';
import { endEscaped } from './leftovers.js';
import { unmountBelow } from './mounts.js';
import { hasNamed, ownName, RUNNER } from './own-name.js';
import { send } from './send.js';
import { firstAnswer } from './within.js';

/**
 * Every process that the suite starts leads a process group of its own, so that whatever it starts
 * in turn can be ended with it. What is alive is known here, and ends with us on every exit path.
 * @type {Set<number>}
 */
export const liveGroups = new Set();
/** @type {Set<string>} */
const temporaryPaths = new Set();
/** How many were started: each carries a name of its own, by which what leaves its group is found. */
let started = 0;

/**
 * @typedef {object} Child
 * @property {number} pid also the id of its process group
 * @property {Promise<{code: number | null, signal: NodeJS.Signals | null}>} exited
 * @property {() => boolean} running
 * @property {(signal: NodeJS.Signals) => void} signal sends to the whole group
 * @property {(graceMs?: number, first?: NodeJS.Signals) => Promise<void>} stop SIGTERM unless told otherwise, then
 *   SIGKILL after the grace; what left the group ends, too
 * @property {(lines?: number) => string[]} logTail last lines of its output
 */

/**
 * @param {string[]} command argument list, never a shell string
 * @param {{cwd?: string, env?: Record<string, string | undefined>, logPath: string}} options
 *   `logPath` receives stdout and stderr
 * @returns {Promise<Child>} once the process runs
 * @throws {BenchError} when it cannot be started, or its output not be kept
 */
export async function startChild(command, { cwd, env, logPath }) {
  const log = orCannot(`write ${logPath}`, WRITABLE, () => openSync(logPath, 'a'));
  const name = ownName(`child${++started}-`);
  const child = spawn(command[0], command.slice(1), {
    cwd,
    env: { ...process.env, ...env, [RUNNER]: name },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  await once(child, 'spawn').catch((error) => {
    throw new BenchError(`cannot start ${command[0]}: ${causeOf(error)}`, { cause: error });
  });
  // Asked for only now: an end comes in a later turn of the loop than the start, and of what never started nobody would
  // take the error.
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  const pid = /** @type {number} */ (child.pid);
  liveGroups.add(pid);
  const groupGone = (/** @type {number} */ withinMs) => firstAnswer(withinMs, 20, () => !send(-pid, 0));
  const stop = async (graceMs = 5000, first = /** @type {NodeJS.Signals} */ ('SIGTERM')) => {
    send(-pid, first);
    send(-pid, 'SIGCONT');
    if (!(await groupGone(graceMs))) send(-pid, 'SIGKILL');
    await groupGone(5000);
    endEscaped(name);
    liveGroups.delete(pid);
  };
  return {
    pid,
    exited,
    running: () => child.exitCode === null && child.signalCode === null,
    signal: (signal) => send(-pid, signal),
    stop,
    logTail: (lines = 10) => tailOf(logPath, lines),
  };
}

/**
 * @param {string} path
 * @param {number} lines
 * @returns {string[]} the last non-empty lines, [] when there is no file
 */
export function tailOf(path, lines) {
  const all = (textOrNull(path) ?? '').split('\n').map((l) => plainLine(l, 8000));
  return all.filter(Boolean).slice(-lines);
}

/**
 * Remembers a temporary folder or file for removal when the process ends, however it ends.
 * @param {string} path
 */
export function removeAtExit(path) {
  temporaryPaths.add(path);
}

/** @param {string} path */
export function removeNow(path) {
  temporaryPaths.delete(path);
  remove(path);
}

/**
 * @param {string} path what cannot be removed (its folder is read-only by now, or immutable, or a system that outlives us
 *   holds it) is left to `clean`, and costs no run its end
 */
function remove(path) {
  orNull(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
}

/** Ends everything at once: for the second Ctrl-C and for the way out. Synchronous. */
export function endEverything() {
  for (const pgid of liveGroups) send(-pgid, 'SIGKILL');
  // Commands that start nothing do not look through every process of the machine.
  if (hasNamed()) endEscaped();
  for (const path of temporaryPaths) {
    unmountBelow(path);
    remove(path);
  }
  liveGroups.clear();
  temporaryPaths.clear();
}

process.on('exit', endEverything);
