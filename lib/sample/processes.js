import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ofGroups, processTable, TICKS_PER_SEC } from '../process/table.js';

/**
 * @import { ProcessSample } from '../types.d.ts'
 * @import { ProcessRow } from '../process/table.js'
 */

const PAGE_BYTES = 4096;

/**
 * What process groups have used so far, all their processes together, with those that these started.
 * @param {number[]} pgids
 * @param {ProcessRow[] | null} table one reading of {@link processTable}, shared by all groups of a tick
 * @returns {ProcessSample | null} null when nothing of the groups is left
 */
export function sampleGroups(pgids, table) {
  if (table === null) return sampleWithPs(pgids);
  return sampleRows(ofGroups(table, pgids));
}

/**
 * @param {ProcessRow[]} rows
 * @returns {ProcessSample | null} what these have used so far, together; null without any
 */
export function sampleRows(rows) {
  if (rows.length === 0) return null;
  const sample = {
    cpuSec: 0,
    rssBytes: 0,
    ioReadBytes: 0,
    ioWriteBytes: 0,
    threads: 0,
    processes: rows.length,
  };
  for (const row of rows) {
    sample.cpuSec += row.cpuSec;
    sample.threads += row.threads;
    // Without file-backed pages: page cache is not what a server costs.
    const { resident, shared } = memoryOf(row.pid);
    sample.rssBytes += resident - shared;
    const io = ioBytes(row.pid);
    sample.ioReadBytes += io.read;
    sample.ioWriteBytes += io.write;
  }
  return sample;
}

/**
 * @param {number} pid
 * @returns {{resident: number, shared: number}} bytes; `shared`: file-backed pages and shared memory; 0 when it has just ended
 */
function memoryOf(pid) {
  try {
    const [, resident, shared] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return { resident: Number(resident) * PAGE_BYTES, shared: Number(shared) * PAGE_BYTES };
  } catch {
    return { resident: 0, shared: 0 };
  }
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
 * @param {number} pid
 * @returns {{read: number, write: number}} bytes that went to or came from the disk
 */
function ioBytes(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/io`, 'utf8');
    return {
      read: Number(/^read_bytes: (\d+)/m.exec(text)?.[1] ?? 0),
      write: Number(/^write_bytes: (\d+)/m.exec(text)?.[1] ?? 0),
    };
  } catch {
    return { read: 0, write: 0 };
  }
}

/**
 * macOS and other systems without /proc: coarser, no I/O.
 * @param {number[]} pgids
 * @returns {ProcessSample | null}
 */
function sampleWithPs(pgids) {
  const text = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,rss=,time='], { encoding: 'utf8' });
  const table = text.split('\n').map((line) => {
    const [pid, ppid, pgid, kib, time] = line.trim().split(/\s+/);
    return { pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), kib, time };
  });
  const rows = ofGroups(table, pgids);
  if (rows.length === 0) return null;
  return {
    cpuSec: rows.reduce((sum, { time }) => sum + secondsOf(time), 0),
    rssBytes: rows.reduce((sum, { kib }) => sum + Number(kib) * 1024, 0),
    ioReadBytes: null,
    ioWriteBytes: null,
    threads: 0,
    processes: rows.length,
  };
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
  try {
    const first = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0];
    const [user, nice, system, idle, iowait, irq, softirq, steal] = first
      .trim()
      .split(/\s+/)
      .slice(1)
      .map(Number);
    const busy = user + nice + system + irq + softirq;
    return {
      busySec: busy / TICKS_PER_SEC,
      totalSec: (busy + idle + iowait + steal) / TICKS_PER_SEC,
      stealSec: steal / TICKS_PER_SEC,
    };
  } catch {
    return { busySec: 0, totalSec: 0, stealSec: 0 };
  }
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
