import { readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processTable } from './table.js';

/**
 * Process groups whose leader works in a temporary folder of ours and whose runner is gone.
 * @returns {number[]}
 */
export function leftoverGroups() {
  const table = processTable() ?? [];
  const leaders = table.filter((p) => p.pid === p.pgid && inOurFolder(p.pid));
  return leaders.filter((p) => parentOf(p.pid) === 1).map((p) => p.pgid);
}

/** @param {number} pid */
function inOurFolder(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(join(tmpdir(), 'ladderbench-'));
  } catch {
    return false;
  }
}

/** @param {number} pid */
function parentOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
