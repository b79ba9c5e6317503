import { execFileSync } from 'node:child_process';
import { ofGroups, processTable, TICKS_PER_SEC } from '../process/table.js';
import { textOrNull } from '../store.js';
import { sumOf } from './container-view.js';

/**
 * @import { ProcessSample } from '../types.d.ts'
 * @import { ProcessRow } from '../process/table.js'
 */

const PAGE_BYTES = 4096;

/**
 * @param {ProcessRow[]} rows
 * @returns {ProcessSample | null} what these have used so far, together; null without any
 */
export function sampleRows(rows) {
  return sumOf(
    rows.map(({ pid, cpuSec, threads }) => {
      const { resident, shared } = memoryOf(pid);
      const io = textOrNull(`/proc/${pid}/io`) ?? '';
      return {
        cpuSec,
        // Without file-backed pages: page cache is not what a server costs.
        rssBytes: resident - shared,
        // That went to or came from the disk.
        ioReadBytes: Number(/^read_bytes: (\d+)/m.exec(io)?.[1] ?? 0),
        ioWriteBytes: Number(/^write_bytes: (\d+)/m.exec(io)?.[1] ?? 0),
        threads,
        processes: 1,
      };
    }),
  );
}

/**
 * @param {number} pid
 * @returns {{resident: number, shared: number}} bytes; `shared`: file-backed pages and shared memory; 0 when it has just ended
 */
function memoryOf(pid) {
  const [, resident = 0, shared = 0] = (textOrNull(`/proc/${pid}/statm`) ?? '').split(' ').map(Number);
  return { resident: resident * PAGE_BYTES, shared: shared * PAGE_BYTES };
}

/**
 * Resident memory of process groups, and of what they started, as `ps` counts it, pages of program files included.
 * @param {number[]} pgids
 * @returns {number | null} bytes; null where there is no /proc, or nothing of the groups is left
 */
export function residentBytes(pgids) {
  const rows = ofGroups(processTable() ?? [], pgids);
  return rows.reduce((sum, { pid }) => sum + memoryOf(pid).resident, 0) || null;
}

/**
 * macOS and other systems without /proc: coarser, no I/O.
 * @param {number[]} pgids
 * @returns {ProcessSample | null} what process groups and all that they started have used so far; null when nothing of them is left
 */
export function sampleWithPs(pgids) {
  const text = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,rss=,time='], { encoding: 'utf8' });
  const table = text.split('\n').map((line) => {
    const [pid, ppid, pgid, kib, time] = line.trim().split(/\s+/);
    return { pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), kib, time };
  });
  const rows = ofGroups(table, pgids);
  return sumOf(
    rows.map(({ kib, time }) => ({
      cpuSec: secondsOf(time),
      rssBytes: Number(kib) * 1024,
      ioReadBytes: null,
      ioWriteBytes: null,
      threads: 0,
      processes: 1,
    })),
  );
}

/**
 * @param {string} time `[[dd-]hh:]mm:ss[.ff]` as ps prints it
 * @returns {number}
 */
export function secondsOf(time) {
  const [rest, days] = time.split('-').reverse();
  const seconds = rest.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return seconds + Number(days ?? 0) * 86_400;
}

/**
 * @returns {{busySec: number, totalSec: number, stealSec: number}} of all cores since boot; zeros without /proc
 */
export function sampleHost() {
  const [first] = (textOrNull('/proc/stat') ?? 'cpu 0 0 0 0 0 0 0 0').split('\n', 1);
  const [user, nice, system, idle, iowait, irq, softirq, steal] = first.split(/\s+/).slice(1).map(Number);
  const busy = user + nice + system + irq + softirq;
  return {
    busySec: busy / TICKS_PER_SEC,
    totalSec: (busy + idle + iowait + steal) / TICKS_PER_SEC,
    stealSec: steal / TICKS_PER_SEC,
  };
}

/**
 * @param {ReturnType<typeof sampleHost>} from
 * @param {ReturnType<typeof sampleHost>} [to] now, unless it is given
 * @returns {ReturnType<typeof sampleHost>} of all cores between the two
 */
export function hostBetween(from, to = sampleHost()) {
  return {
    busySec: to.busySec - from.busySec,
    totalSec: to.totalSec - from.totalSec,
    stealSec: to.stealSec - from.stealSec,
  };
}
