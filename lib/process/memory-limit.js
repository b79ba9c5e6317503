import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { causeOf } from '../errors.js';
import { controlGroup } from './control-group.js';
import { ownName } from './own-name.js';

/** Of each version of the control groups: where groups lie, and what its files are called. */
const VERSIONS = Object.freeze([
  {
    parent: '/sys/fs/cgroup/memory',
    is: 'memory.limit_in_bytes',
    limit: 'memory.limit_in_bytes',
    used: 'memory.usage_in_bytes',
    idle: 'total_inactive_file',
    none: '-1',
    swap: ['memory.swappiness', '0'],
  },
  {
    parent: '/sys/fs/cgroup',
    is: 'cgroup.controllers',
    limit: 'memory.max',
    used: 'memory.current',
    idle: 'inactive_file',
    none: 'max',
    swap: ['memory.swap.max', '0'],
  },
]);

/** Where groups may lie. */
export const MEMORY_GROUPS = Object.freeze(VERSIONS.map((v) => v.parent));

/** The kernel takes back what it can before it says that a limit is too low: so often it is asked. */
const TRIES = 5;

/**
 * A control group whose memory can be limited to what it uses at a moment.
 * @typedef {object} MemoryGroup
 * @property {(pid: number) => void} add what a process takes from now on, and those that it starts
 * @property {() => number} squeeze limits it to its working set: used memory, without inactive file pages
 *   lately; returns that in bytes
 * @property {() => void} release
 * @property {() => void} remove once its processes are gone
 */

/**
 * @param {string} name
 * @returns {MemoryGroup}
 * @throws {Error} where control groups are not ours to make
 */
export function memoryGroup(name) {
  const version = VERSIONS.find((v) => existsSync(join(v.parent, v.is)));
  if (!version) throw new Error('no control groups for memory here');
  const { at, add, remove } = controlGroup(version.parent, name, (at) => {
    writeFileSync(at(version.limit), version.none);
    const [file, value] = version.swap;
    if (existsSync(at(file))) writeFileSync(at(file), value);
  });
  const limitTo = (/** @type {string} */ text) => writeFileSync(at(version.limit), text);
  const workingSet = () => {
    const idle = new RegExp(`^${version.idle} (\\d+)$`, 'm').exec(readFileSync(at('memory.stat'), 'utf8'));
    return Number(readFileSync(at(version.used), 'utf8')) - Number(idle?.[1] ?? 0);
  };
  return {
    add,
    squeeze: () => {
      for (let left = TRIES; ; left--) {
        const bytes = workingSet();
        try {
          limitTo(String(bytes));
          return bytes;
        } catch (error) {
          if (left === 0) throw error;
        }
      }
    },
    release: () => limitTo(version.none),
    remove,
  };
}

/** @returns {string | null} why memory cannot be limited on this machine, in one line; null where it can */
export function memoryLimitMissing() {
  try {
    memoryGroup(ownName('probe')).remove();
    return null;
  } catch (error) {
    return `it needs the right to make memory control groups (Linux, as root): ${causeOf(error)}`;
  }
}
