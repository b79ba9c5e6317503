import { readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { textOrNull } from '../store.js';
import { isAbandoned, ownName, RUNNER } from './own-name.js';
import { processTable } from './table.js';

/**
 * Processes that a runner which is gone has left: they carry its name in their environment, or work in its folder
 * without a terminal. All of them, not leaders of groups alone: a shell's child outlives the shell.
 * @returns {number[]} their ids
 */
export function leftoverProcesses() {
  const table = processTable() ?? [];
  return table.map((p) => p.pid).filter((pid) => pid !== process.pid && isLeft(pid));
}

/** @param {number} pid */
function isLeft(pid) {
  const name = nameOn(pid);
  return name !== null && isAbandoned(name);
}

/**
 * Ends what carries a name of ours and has left the process group in which it was started, so that no signal to the
 * group meets it. Synchronous, for the way out; nothing where there is no /proc.
 * @param {string} [prefix] of the name; every one of this runner's unless told otherwise
 */
export function endEscaped(prefix = ownName('')) {
  // One that is just starting another is met by the next look.
  for (let look = 0; look < LOOKS; look++) {
    const escaped = (processTable() ?? []).filter(
      ({ pid }) => pid !== process.pid && nameOn(pid)?.startsWith(prefix),
    );
    if (escaped.length === 0) return;
    for (const { pid } of escaped) endOne(pid);
  }
}

/** How often what has escaped is looked for: what was killed may be seen for a moment more. */
const LOOKS = 5;

/** @param {number} pid */
function endOne(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended by itself, or with another one.
  }
}

/**
 * @param {number} pid
 * @returns {string | null} name of its runner, from its environment or else its folder
 */
function nameOn(pid) {
  // Some programs write over their environment; a person who looks around in a folder has a terminal.
  return runnerOf(pid) ?? (hasTerminal(pid) ? null : folderOf(pid));
}

/**
 * @param {number} pid
 * @returns {string | null} the name that its runner gave it
 */
function runnerOf(pid) {
  const text = textOrNull(`/proc/${pid}/environ`) ?? '';
  const found = text.split('\0').find((line) => line.startsWith(`${RUNNER}=`));
  return found ? found.slice(RUNNER.length + 1) : null;
}

/**
 * @param {number} pid
 * @returns {string | null} the folder of a run that it works in, by its name
 */
function folderOf(pid) {
  try {
    const [name] = relative(tmpdir(), readlinkSync(join('/proc', String(pid), 'cwd'))).split('/');
    return name.startsWith('ladderbench-') ? name.replace(/ \(deleted\)$/, '') : null;
  } catch {
    return null;
  }
}

/** @param {number} pid */
function hasTerminal(pid) {
  const text = textOrNull(`/proc/${pid}/stat`) ?? '';
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[4] ?? 0) !== 0;
}
