import { exactly } from './attribution.js';
import { isFull } from './host.js';
import { partsOf } from './littles-law.js';

/** @import { Shares, UnjudgedRecord, UnjudgedResult, Within } from '../types.d.ts' */

/**
 * What was seen of the two that may have set a figure: of each its busiest thread, where threads were seen, else the
 * limits between which its share lies, by the CPU of all its processes.
 * @param {UnjudgedRecord} record
 * @param {UnjudgedResult} result
 * @returns {Shares}
 */
export function sharesOf(record, result) {
  const { busiest, generatorCpuRatio } = result;
  const cores = systemCores(record, result);
  const limit = Number(record.parity.cpuLimit ?? 0);
  const ofLimit = limit > 0 && cores !== null ? Number((cores / limit).toFixed(3)) : null;
  const ofGenerator = record.parity.engine === 'docker' ? generatorCpuRatio : null;
  return {
    ...(busiest?.diskSleep ? { diskSleep: busiest.diskSleep } : {}),
    system: exactly(busiestOrAll(busiest?.system, ofLimit)) ?? systemWithin(record, cores, limit),
    loop: exactly(busiestOrAll(busiest?.loop, ofGenerator)) ?? generatorWithin(record, result),
  };
}

/**
 * Who has all the CPU that its container may have is at its end, however many threads share it: a quota stops those that
 * had time to spare, too.
 * @param {number | null | undefined} thread share of a CPU of the busiest one
 * @param {number | null} all share of the limit that all of them used
 * @returns {number | null}
 */
function busiestOrAll(thread, all) {
  if (thread === null || thread === undefined) return null;
  return Math.max(thread, Math.min(1, all ?? 0));
}

/**
 * @param {UnjudgedRecord} record
 * @param {number | null} cores that the system used
 * @param {number} limit CPUs that the engine holds it to; 0 without one
 * @returns {Within | null}
 */
function systemWithin(record, cores, limit) {
  const { host, system } = record.resources;
  if (!host || !system || cores === null) return null;
  // Who has all that it may have is at its end, however many threads share it.
  const ofAll = cores / (limit > 0 ? limit : host.cores);
  return within(
    Math.max(ofAll, cores / Math.max(1, system.threadsPeak ?? Number.POSITIVE_INFINITY)),
    cores,
    isFull(record),
  );
}

/**
 * @param {UnjudgedRecord} record
 * @param {UnjudgedResult} result
 * @returns {number | null} CPUs that the system used during the window
 */
function systemCores(record, result) {
  if (result.systemCpuUsPerOp === null) return null;
  // The CPU of a mix is that of all its operations.
  const rate = partsOf(record, result).reduce((sum, o) => sum + o.ratePerSec, 0);
  return (result.systemCpuUsPerOp * rate) / 1e6;
}

/**
 * @param {UnjudgedRecord} record
 * @param {UnjudgedResult} result
 * @returns {Within | null}
 */
function generatorWithin(record, { generatorCpuRatio }) {
  const cpus = Number(record.parity.generatorCpus ?? 0);
  if (generatorCpuRatio === null || !(cpus > 0)) return null;
  // Of several runners the busiest one is the client that had least to spare.
  const busiest = record.generators?.busiest?.cpuRatio ?? 0;
  return within(Math.max(generatorCpuRatio, busiest), generatorCpuRatio * cpus, isFull(record));
}

/**
 * @param {number} least
 * @param {number} cores used by all threads: none can have run for longer
 * @param {boolean} crowded one may have waited for a CPU as well, for as long as it did not run
 * @returns {Within}
 */
function within(least, cores, crowded) {
  const most = crowded ? 1 : Math.min(1, cores);
  const low = Math.min(least, most);
  return { least: Number(low.toFixed(3)), most: Number(most.toFixed(3)) };
}
