import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { BenchError, causeOf } from '../errors.js';
import { textOrNull } from '../store.js';
import { controlGroup } from './control-group.js';

const PERIOD_US = 100_000;
const V1 = '/sys/fs/cgroup/cpu';
const V2 = '/sys/fs/cgroup';

/** Where groups may lie, by version of the control groups. */
export const CPU_GROUPS = Object.freeze([V1, V2]);

/**
 * A control group with a share of CPU time for the generator, so that it can be held to what a container would get.
 * @param {string} name
 * @param {number} cpus for example 0.2
 * @returns {{add: (pid: number) => void, remove: () => void}}
 * @throws {BenchError} where control groups are not ours to make
 */
export function cpuLimit(name, cpus) {
  const v2 = existsSync(join(V2, 'cgroup.controllers'));
  const quota = Math.round(cpus * PERIOD_US);
  const files = v2
    ? { 'cpu.max': `${quota} ${PERIOD_US}` }
    : { 'cpu.cfs_period_us': PERIOD_US, 'cpu.cfs_quota_us': quota };
  try {
    return controlGroup(v2 ? V2 : V1, name, (at) => {
      for (const [file, limit] of Object.entries(files)) writeFileSync(at(file), String(limit));
    });
  } catch (error) {
    throw new BenchError(`--generator-cpus: cannot make a control group: ${causeOf(error)}`, {
      hint: '--generator-cpus needs Linux and root (or a delegated cpu controller); without them leave it out',
      cause: error,
    });
  }
}

/**
 * CPUs that this process, and what it starts, may use: affinity and control-group quota.
 * @returns {number}
 */
export function ownCpus() {
  const cores = availableParallelism();
  const quota = v2Quota() ?? v1Quota();
  return quota === null ? cores : Math.min(cores, quota);
}

/** @returns {number | null} */
function v2Quota() {
  const [max, period] = textOrNull(join(V2, 'cpu.max'))?.trim().split(' ') ?? [];
  return max && max !== 'max' ? Number(max) / Number(period) : null;
}

/** @returns {number | null} */
function v1Quota() {
  const quota = Number(textOrNull(join(V1, 'cpu.cfs_quota_us')) ?? -1);
  const period = Number(textOrNull(join(V1, 'cpu.cfs_period_us')) ?? PERIOD_US);
  return quota > 0 ? quota / period : null;
}
