import { readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { relative } from 'node:path';
import { orNull } from '../errors.js';
import { textOrNull } from '../store.js';
import { isAbandoned, ownName, RUNNER } from './own-name.js';
import { send } from './send.js';
import { processTable } from './table.js';

/** @import { ProcessRow } from './table.js' */

/**
 * Processes that a runner which is gone has left: they carry its name in their environment, or work in its folder
 * without a terminal. All of them, not leaders of groups alone: a shell's child outlives the shell.
 * @returns {number[]} their ids
 */
export function leftoverProcesses() {
  return othersNamed(isAbandoned);
}

/** @param {(name: string) => boolean} isMeant @returns {number[]} processes other than this one, by the names that they carry */
function othersNamed(isMeant) {
  const others = (processTable() ?? []).filter(({ pid }) => pid !== process.pid);
  return others.filter((row) => isMeant(nameOn(row) ?? '')).map(({ pid }) => pid);
}

/**
 * Ends what carries a name of ours and has left the process group in which it was started, so that no signal to the
 * group meets it. Synchronous, for the way out; nothing where there is no /proc.
 * @param {string} [prefix] of the name; every one of this runner's unless told otherwise
 */
export function endEscaped(prefix = ownName('')) {
  // One that is just starting another is met by the next look.
  for (let look = 0; look < LOOKS; look++) {
    const escaped = othersNamed((name) => name.startsWith(prefix));
    if (escaped.length === 0) return;
    for (const pid of escaped) send(pid, 'SIGKILL');
  }
}

/** How often what has escaped is looked for: what was killed may be seen for a moment more. */
const LOOKS = 5;

/**
 * @param {ProcessRow} row
 * @returns {string | null} name of its runner, from its environment or else its folder
 */
function nameOn({ pid, terminal }) {
  // Some programs write over their environment; a person who looks around in a folder has a terminal.
  return runnerOf(pid) ?? (terminal === 0 ? folderOf(pid) : null);
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
  const folder = orNull(() => readlinkSync(`/proc/${pid}/cwd`)) ?? '';
  const [name] = relative(tmpdir(), folder).split('/');
  return name.startsWith('ladderbench-') ? name.replace(/ \(deleted\)$/, '') : null;
}
