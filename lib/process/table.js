import { readdirSync } from 'node:fs';
import { orNull } from '../errors.js';
import { textOrNull } from '../store.js';

// Files of /proc are read as UTF-8: Node.js has one quick call for that alone, and a look at a machine reads some hundred.

/** Kernel clock ticks per second as seen by user space: 100 on every Linux that Node runs on. */
export const TICKS_PER_SEC = 100;

/**
 * @typedef {object} ProcessRow
 * @property {number} pid
 * @property {number} ppid
 * @property {number} pgid
 * @property {number} terminal that controls it; 0: none does
 * @property {number} startTicks since boot; with the pid it names a process for good
 * @property {number} cpuSec own and reaped children's, user and system
 * @property {number} threads
 */

/**
 * @returns {ProcessRow[] | null} every process, or null where there is no /proc
 */
export function processTable() {
  const entries = orNull(() => readdirSync('/proc'));
  return entries?.filter((name) => /^\d/.test(name)).flatMap((pid) => readRow(Number(pid)) ?? []) ?? null;
}

/**
 * @template {Pick<ProcessRow, 'pid' | 'ppid'>} Row
 * @param {Row[]} table
 * @param {number[]} roots process ids
 * @returns {Row[]} those processes and all that they started, in whatever process group
 */
export function withDescendants(table, roots) {
  const parentOf = new Map(table.map((row) => [row.pid, row.ppid]));
  const isBelow = (/** @type {number | undefined} */ pid) => {
    for (let at = pid; at; at = parentOf.get(at)) if (roots.includes(at)) return true;
    return false;
  };
  return table.filter((row) => isBelow(row.pid));
}

/**
 * @template {Pick<ProcessRow, 'pid' | 'ppid' | 'pgid'>} Row
 * @param {Row[]} table
 * @param {number[]} pgids
 * @returns {Row[]} the processes of these groups, and all that they started: each back end of PostgreSQL leads a group
 */
export function ofGroups(table, pgids) {
  const members = table.flatMap(({ pid, pgid }) => (pgids.includes(pgid) ? pid : []));
  return withDescendants(table, members);
}

/**
 * @param {number} pid
 * @returns {ProcessRow | null} null when it has just ended
 */
export function readRow(pid) {
  const text = textOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name, in parentheses, may hold spaces: fields are counted from behind it (proc(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14]);
  return {
    pid,
    ppid: Number(fields[1]),
    pgid: Number(fields[2]),
    terminal: Number(fields[4]),
    startTicks: Number(fields[19]),
    cpuSec: ticks / TICKS_PER_SEC,
    threads: Number(fields[17]),
  };
}

/**
 * @param {number} pid
 * @returns {number | null} when it began, ticks since boot: with the pid it names one process for good; null when
 *   there is no such process, or no /proc
 */
export function startTicksOf(pid) {
  return readRow(pid)?.startTicks ?? null;
}
