import { readlinkSync } from 'node:fs';
import { orNull } from '../errors.js';
import { readRow } from './table.js';

/**
 * What a run makes outside its report carries the name of its runner, so that only what is orphaned is cleaned up. A
 * process id alone is no lasting name: it is reused, and each container counts its own.
 */
const PREFIX = 'ladderbench';

/** Variable by which everything that a runner starts carries its name. */
export const RUNNER = 'LADDERBENCH_RUNNER';

const NAME = new RegExp(`^${PREFIX}-(\\d+)-(?:(\\d+)x(\\d+)-)?`);

let named = false;

/** @returns {boolean} whether anything was given a name of this runner so far */
export function hasNamed() {
  return named;
}

/**
 * @param {string} what for example a system's id
 * @returns {string} a name that says whose it is: process id, its start and its namespace
 */
export function ownName(what) {
  named = true;
  const start = readRow(process.pid)?.startTicks ?? 0;
  return `${PREFIX}-${process.pid}-${start}x${ownNamespace()}-${what}`;
}

/**
 * @param {string} name
 * @returns {number | null} process id of the runner; null when it is no name of ours
 */
export function runnerOf(name) {
  const pid = NAME.exec(name)?.[1];
  return pid === undefined ? null : Number(pid);
}

/**
 * @param {string} name
 * @returns {boolean} whether it is of ours, and its runner is gone. Of what runs in another container only those who can
 *   see its runner may say so
 */
export function isAbandoned(name) {
  const [, pid, start] = NAME.exec(name) ?? [];
  if (pid === undefined || isElsewhere(name)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
  }
  const now = readRow(Number(pid))?.startTicks;
  return start !== undefined && now !== undefined && now !== Number(start);
}

/** @param {string} name of ours @returns {boolean} whether its runner counts process ids of its own, as in another container */
export function isElsewhere(name) {
  const namespace = NAME.exec(name)?.[3];
  return namespace !== undefined && namespace !== ownNamespace();
}

/** @returns {string} number of the namespace in which process ids are counted; 0 where there are none */
function ownNamespace() {
  const link = orNull(() => readlinkSync('/proc/self/ns/pid')) ?? '';
  return /\d+/.exec(link)?.[0] ?? '0';
}
