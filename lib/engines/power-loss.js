import { accessSync, chmodSync, constants, existsSync, mkdirSync, renameSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError, EXIT, orNull } from '../errors.js';
import { startChild } from '../process/child.js';
import { mountsBelow, unmountBelow } from '../process/mounts.js';
import { which } from '../process/tool.js';
import { firstAnswer, within } from '../process/within.js';
import { toolBuild } from '../setup/builds.js';
import { dieWithUs } from '../setup/die-with-us.js';
import { textOrNull } from '../store.js';

/** @import { Child } from '../process/child.js' */

const READY_MS = 10_000;
const CAP_SYS_ADMIN = 21n;

/** @returns {string | null} why this machine has no disk of ours, in one line; null where it can have one */
export function powerLossMissing() {
  if (process.platform !== 'linux') return 'it needs FUSE on Linux';
  if (orNull(() => accessSync('/dev/fuse', constants.R_OK | constants.W_OK)) === null)
    return 'it needs FUSE, and /dev/fuse is missing or cannot be opened';
  if (mayMount() || which('fusermount3') !== null || which('fusermount') !== null) return null;
  return 'it needs FUSE: the right to mount (root), or fusermount3 on PATH';
}

function mayMount() {
  const [, hex] = /^CapEff:\s*([0-9a-f]+)/m.exec(textOrNull('/proc/self/status') ?? '') ?? [];
  return ((BigInt(`0x${hex ?? '0'}`) >> CAP_SYS_ADMIN) & 1n) === 1n;
}

/**
 * A folder that forgets what was not synced when its power is lost, and that can be full: tools/power-loss.
 * @typedef {object} Disk
 * @property {string} mount where the data lies; before it is on an ordinary folder, to be prepared
 * @property {() => Promise<void>} on with what is there, or what the last loss of power has left
 * @property {() => Promise<void>} lose its power
 * @property {() => Promise<void>} fill it up: not one byte more than it holds
 * @property {() => Promise<void>} free it again
 * @property {() => Promise<void>} off for good
 */

/**
 * @param {string} folder of a system, ours, empty
 * @returns {Disk}
 */
export function diskThatForgets(folder) {
  const mount = join(folder, 'data');
  const backing = join(folder, 'synced');
  const logPath = join(folder, 'disk.log');
  /** @type {Child | null} */
  let child = null;
  const failure = (/** @type {string} */ problem) =>
    new BenchError(problem, { exitCode: EXIT.systemFailed, detail: child?.logTail() });
  /** @param {() => boolean} isSo @param {string} problem where it is not so in time */
  const demand = async (isSo, problem) => {
    await firstAnswer(READY_MS, 10, () => isSo() || !child?.running());
    if (!isSo()) throw failure(problem);
  };
  /** @param {() => boolean} isSo what its program sees to when it is told to @param {string} problem */
  const turn = async (isSo, problem) => {
    child?.signal('SIGUSR2');
    await demand(isSo, problem);
  };
  const isMounted = () => mountsBelow(mount).length > 0;
  const isFull = () => statfsSync(mount).bavail === 0;
  mkdirSync(mount, { mode: 0o700 });
  // A companion of another user must reach what is in it.
  chmodSync(folder, 0o711);
  return {
    mount,
    on: async () => {
      if (child?.running()) return;
      if (!existsSync(backing)) {
        renameSync(mount, backing);
        mkdirSync(mount);
      }
      const program = join(toolBuild('power-loss').output, 'power-loss');
      // Told to end by the kernel when we are killed: it unmounts then.
      child = await startChild(dieWithUs([program, backing, mount], 'TERM'), { cwd: folder, logPath });
      await demand(isMounted, 'the disk for power cuts did not start');
    },
    lose: async () => {
      child?.signal('SIGUSR1');
      const end = await within(READY_MS, child?.exited ?? Promise.resolve(null));
      await child?.stop(0, 'SIGKILL');
      if (end?.code !== 0 || isMounted()) throw failure('the power cut of the disk failed');
    },
    fill: () => turn(isFull, 'the disk could not be filled'),
    free: () => turn(() => !isFull(), 'the disk could not be freed'),
    off: async () => {
      await child?.stop(0, 'SIGKILL');
      unmountBelow(folder);
    },
  };
}
