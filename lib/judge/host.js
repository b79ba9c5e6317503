/**
 * @import { UnjudgedRecord } from '../types.d.ts'
 * @import { Found } from './rules.js'
 */

/** From where on a machine is too busy with others for an absolute figure, as shares of its CPUs. */
export const HOST_LIMITS = Object.freeze({
  /** CPU of processes that are neither system nor generator, and time that the hypervisor gave to others. */
  taken: 0.1,
  /** All CPUs together, stolen time included: below it the scheduler had room for whoever waited. */
  full: 0.9,
  /** A system that used this much of a core, or a generator of what it may use, set the figure itself. */
  nearFull: 0.8,
});

/**
 * @param {{stealSec: number, totalSec: number}} host of a piece, all CPUs together
 * @returns {number} share of the CPU time that the hypervisor took
 */
export function stolenShareOf({ stealSec, totalSec }) {
  return totalSec > 0 ? stealSec / totalSec : 0;
}

/**
 * CPU that others used while a cell was measured.
 * @param {UnjudgedRecord} record
 * @returns {{foreignCores: number, stealCores: number} | null} null where host, system or generator were not seen
 */
export function takenByOthers({ resources: { host, system, generator } }) {
  if (!host || !system || !generator) return null;
  const ours = system.cpuCores + generator.cpuCores;
  return {
    foreignCores: Math.max(0, host.busyRatio * host.cores - ours),
    stealCores: host.stealRatio * host.cores,
  };
}

/** @param {UnjudgedRecord} record @returns {boolean} whether the scheduler may have had no room for who waited */
export function isFull({ resources: { host } }) {
  return !host || host.busyRatio + host.stealRatio >= HOST_LIMITS.full;
}

/**
 * Others left too little CPU, and neither system nor generator was near the end of its own: they set the figure.
 * A label by what the machine did, never by how the figure came out. What of a full machine was not seen may have been
 * theirs.
 * @param {UnjudgedRecord} record
 * @returns {Found[]}
 */
export function takenHost(record) {
  const { host, system } = record.resources;
  if (record.role !== 'system' || !isFull(record)) return [];
  if (!host) return [{ absent: 'the machine' }];
  const ofGenerator = Object.values(record.operations).map((o) => o.generatorCpuRatio ?? 0);
  if (Math.max(system?.cpuCores ?? 0, ...ofGenerator) >= HOST_LIMITS.nearFull) return [];
  const others = takenByOthers(record);
  if (!others) return [{ absent: system ? 'the generator' : 'the system' }];
  const taken = (others.foreignCores + others.stealCores) / host.cores;
  if (taken < HOST_LIMITS.taken) return [];
  return [{ measured: Number(taken.toPrecision(4)), limit: HOST_LIMITS.taken }];
}
