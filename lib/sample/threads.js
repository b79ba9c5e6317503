import { readdirSync } from 'node:fs';
import { orNull } from '../errors.js';
import { processTable } from '../process/table.js';
import { textOrNull } from '../store.js';
import { cpuSecOf } from './container-view.js';
import { processesOf } from './watched.js';

/** @import { Watched } from './watched.js' */

/**
 * What threads have used so far, to the nanosecond: the kernel's own account of each
 * (`/proc/<pid>/task/<tid>/schedstat`), where a tick of 10 ms would be a tenth of a slice.
 * @typedef {object} ThreadReading
 * @property {number} t `performance.now()` halfway through the reading, ms
 * @property {Map<string, {runNs: number, waitNs: number}>} threads by `pid/tid`: time on a CPU, and on a run queue; none
 *   of a container whose processes cannot be seen, while its control group tells what all of them used
 * @property {number} processSec of the processes, their ended threads and reaped children included; in ticks, or by the
 *   account of their control groups
 */

/**
 * Several systems at nearly the same moment: who they are is found out before any of them is read.
 * @param {(Watched | null)[]} systems null of what is not ours to see
 * @param {ReturnType<typeof processTable>} [table] a reading that is there already
 * @returns {(ThreadReading | null)[]} null where the kernel keeps no such account, or nothing of them is left
 */
export function readThreadsOf(systems, table = processTable()) {
  const all = systems.map((watched) => ({ watched, rows: watched ? processesOf(watched, table) : [] }));
  return all.map(({ watched, rows }) => readingOf(rows, watched));
}

/**
 * @param {import('../process/table.js').ProcessRow[]} rows
 * @param {Watched | null} watched
 * @returns {ThreadReading | null}
 */
function readingOf(rows, watched) {
  const from = performance.now();
  /** @type {ThreadReading['threads']} */
  const threads = new Map();
  let processSec = 0;
  for (const { pid, cpuSec } of rows) {
    processSec += cpuSec;
    for (const tid of orNull(() => readdirSync(`/proc/${pid}/task`)) ?? []) {
      const account = accountOf(pid, tid);
      if (account) threads.set(`${pid}/${tid}`, account);
    }
  }
  const accounted = (watched?.containers ?? []).map(cpuSecOf);
  const isAccounted = accounted.length > 0 && !accounted.includes(null);
  if (threads.size === 0 && !isAccounted) return null;
  return {
    t: (from + performance.now()) / 2,
    threads,
    processSec: isAccounted
      ? accounted.reduce((/** @type {number} */ sum, sec) => sum + Number(sec), 0)
      : processSec,
  };
}

/**
 * @param {number} pid
 * @param {string} tid
 * @returns {{runNs: number, waitNs: number} | null}
 */
function accountOf(pid, tid) {
  const [run, wait] = textOrNull(`/proc/${pid}/task/${tid}/schedstat`)?.split(' ') ?? [];
  return wait === undefined ? null : { runNs: Number(run), waitNs: Number(wait) };
}

/**
 * Whether at this moment a thread sleeps in what the kernel calls disk sleep (state D): in a call that no signal ends, as
 * reading, writing and syncing files are.
 * @param {ThreadReading | null} reading whose threads are looked at again
 * @returns {boolean | null} null where single threads cannot be seen
 */
export function inDiskSleep(reading) {
  if (!reading || reading.threads.size === 0) return null;
  return [...reading.threads.keys()].some((id) => {
    const [pid, tid] = id.split('/');
    return stateOf(textOrNull(`/proc/${pid}/task/${tid}/stat`) ?? '') === 'D';
  });
}

/** @param {string} stat a line of `/proc/<pid>/task/<tid>/stat`: a name may hold brackets and blanks @returns {string} */
export function stateOf(stat) {
  return stat[stat.lastIndexOf(')') + 2];
}

/**
 * @param {ThreadReading} from
 * @param {ThreadReading} to
 * @returns {{seconds: number, cpuSec: number, waitSec: number | null, busiest: {run: number, wait: number} | null}}
 *   between the two: all threads together, and of the busiest one the shares of the time (0 … 1) on a CPU and on a run
 *   queue; null where single threads cannot be seen. Threads that came count from 0. Of those that went only the kernel's
 *   account of their process tells.
 */
export function threadsBetween(from, to) {
  const seconds = (to.t - from.t) / 1000;
  const used = to.processSec - from.processSec;
  if (from.threads.size === 0 || to.threads.size === 0)
    return { seconds, cpuSec: used, waitSec: null, busiest: null };
  let runNs = 0;
  let waitNs = 0;
  let busiest = { run: 0, wait: 0 };
  for (const [id, after] of to.threads) {
    const before = from.threads.get(id) ?? { runNs: 0, waitNs: 0 };
    const run = after.runNs - before.runNs;
    const wait = after.waitNs - before.waitNs;
    runNs += run;
    waitNs += wait;
    const share = { run: run / 1e9 / seconds, wait: wait / 1e9 / seconds };
    if (share.run + share.wait > busiest.run + busiest.wait) busiest = share;
  }
  const someWent = [...from.threads.keys()].some((id) => !to.threads.has(id));
  const cpuSec = someWent ? Math.max(runNs / 1e9, used) : runNs / 1e9;
  return { seconds, cpuSec, waitSec: waitNs / 1e9, busiest };
}

/**
 * @param {ThreadReading | null} from
 * @param {ThreadReading | null} to
 * @returns {ReturnType<typeof threadsBetween> | null} null where one of them is missing
 */
export function sharesBetween(from, to) {
  return from && to ? threadsBetween(from, to) : null;
}

/**
 * @returns {(reading: ThreadReading | null) => {run: number, wait: number} | null} takes one reading after the other:
 *   shares of the busiest thread since the one before; null without two
 */
export function watchBusiest() {
  /** @type {ThreadReading | null} */
  let before = null;
  return (reading) => {
    const from = before;
    before = reading;
    if (!from || !reading || reading.t <= from.t) return null;
    const { busiest } = threadsBetween(from, reading);
    return busiest && { run: Number(busiest.run.toFixed(4)), wait: Number(busiest.wait.toFixed(4)) };
  };
}

/**
 * CPU that systems take without load.
 * @param {(Watched | null)[]} systems
 * @param {number} ms
 * @returns {Promise<(number | null)[]>} cores of each; null of what is not seen
 */
export async function idleCoresOf(systems, ms) {
  const before = readThreadsOf(systems);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return readThreadsOf(systems).map((to, i) => {
    const shares = sharesBetween(before[i], to);
    return shares && Number((shares.cpuSec / shares.seconds).toFixed(4));
  });
}
