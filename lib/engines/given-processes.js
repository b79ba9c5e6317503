import { BenchError, EXIT } from '../errors.js';
import { listenersOf } from '../process/ports.js';
import { processTable, startTicksOf, withDescendants } from '../process/table.js';
import { textOrNull } from '../store.js';

/** What listens in place of a container: its CPU is not the system's. */
const STANDS_BEFORE = 'docker-proxy';

/**
 * Processes of this machine that a user named as those of a system by its address.
 * @typedef {object} GivenProcesses
 * @property {number[]} roots they, and all that they start, are looked at
 * @property {string[]} names as the kernel calls them
 * @property {() => string} mark which processes these are now: another one after a restart
 */

/**
 * @param {string} id of the system
 * @param {number} port
 * @param {number[]} pids none: the processes that listen at the port
 * @returns {GivenProcesses}
 * @throws {BenchError} where there are none, or only what stands before them
 */
export function givenProcesses(id, port, pids) {
  const roots = pids.length > 0 ? pids : listenersOf(port);
  const names = [...new Set(roots.map(nameOf))];
  const refuse = (/** @type {string} */ why) =>
    new BenchError(`--watch ${id}: ${why}`, {
      hint: `name its processes (--watch ${id}=PID,PID), or leave --watch out`,
      exitCode: EXIT.systemFailed,
    });
  const gone = pids.find((pid) => startTicksOf(pid) === null);
  if (gone !== undefined) throw refuse(`there is no process ${gone}`);
  if (roots.length === 0) throw refuse(`no visible process of this machine listens at port ${port}`);
  // All that it started would be this run, too.
  if (withDescendants(processTable() ?? [], roots).some(({ pid }) => pid === process.pid))
    throw refuse(`${names.join(', ')} started this run`);
  if (names.includes(STANDS_BEFORE)) throw refuse(`${STANDS_BEFORE} listens at port ${port}, not the server`);
  const mark = () => {
    const now = pids.length > 0 ? pids : listenersOf(port);
    return now.map((pid) => `${pid} since ${startTicksOf(pid)}`).join(', ');
  };
  return { roots, names, mark };
}

/** @param {number} pid @returns {string} */
function nameOf(pid) {
  return textOrNull(`/proc/${pid}/comm`)?.trim() ?? 'a process that has ended';
}
