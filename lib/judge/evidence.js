import { exactly } from './attribution.js';
import { isFull } from './host.js';

/** @import { Shares, UnjudgedRecord, UnjudgedResult, Within } from '../types.d.ts' */

/**
 * What was seen of the two that may have set a figure: of each its busiest thread, where threads were seen, else the
 * limits between which its share lies, by the CPU of all its processes.
 * @param {UnjudgedRecord} record
 * @param {UnjudgedResult} result
 * @returns {Shares}
 */
export function sharesOf(record, result) {
  return {
    ...(result.busiest?.diskSleep ? { diskSleep: result.busiest.diskSleep } : {}),
    system:
      exactly(busiestOrAll(result.busiest?.system, shareOfLimit(record, result))) ??
      systemWithin(record, result),
    loop:
      exactly(
        busiestOrAll(
          result.busiest?.loop,
          record.parity.engine === 'docker' ? result.generatorCpuRatio : null,
        ),
      ) ?? generatorWithin(record, result),
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
 * @param {UnjudgedResult} result
 * @returns {number | null} of the limit that the engine holds the system to; null without one
 */
function shareOfLimit(record, result) {
  const limit = Number(record.parity.cpuLimit ?? 0);
  const cores = systemCores(record, result);
  return limit > 0 && cores !== null ? Number((cores / limit).toFixed(3)) : null;
}

/**
 * @param {UnjudgedRecord} record
 * @param {UnjudgedResult} result
 * @returns {Within | null}
 */
function systemWithin(record, result) {
  const { host, system } = record.resources;
  const cores = systemCores(record, result);
  if (!host || !system || cores === null) return null;
  const limit = Number(record.parity.cpuLimit ?? 0);
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
function systemCores({ operations }, { systemCpuUsPerOp, ratePerSec, share }) {
  if (systemCpuUsPerOp === null) return null;
  // The CPU of a mix is that of all its operations.
  const rate =
    share === undefined
      ? ratePerSec
      : Object.values(operations).reduce((sum, o) => sum + (o.share === undefined ? 0 : o.ratePerSec), 0);
  return (systemCpuUsPerOp * rate) / 1e6;
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
