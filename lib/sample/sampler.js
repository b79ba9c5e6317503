import { processTable } from '../process/table.js';
import { watchDisk } from './disk.js';
import { sampleGroups, sampleHost } from './processes.js';
import { readThreads, watchBusiest } from './threads.js';

/** @import { ResourceSample } from '../types.d.ts' */

/**
 * Watches the system's process group, the generator's and the host.
 * @param {object} options
 * @param {number | null} options.systemPgid null: an external system
 * @param {() => number[]} [options.companionPgids] process groups that count as the system's too
 * @param {number} options.everyMs
 * @param {(sample: ResourceSample) => void} [options.onSample]
 * @param {() => Promise<number | null>} [options.diskBytes] where the size of its data is wanted
 * @returns {{watchGenerator: (pgids: number[]) => void, stop: () => ResourceSample[]}}
 */
export function startSampler({ systemPgid, companionPgids = () => [], everyMs, onSample, diskBytes }) {
  /** @type {ResourceSample[]} */
  const samples = [];
  /** @type {number[]} */
  let generatorPgids = [];
  const disk = diskBytes ? watchDisk(diskBytes) : null;
  const system = () => (systemPgid === null ? [] : [systemPgid, ...companionPgids()]);
  const busiest = watchBusiest();
  const tick = () => {
    const table = processTable();
    const sample = {
      t: Date.now(),
      system: systemPgid === null ? null : sampleGroups(system(), table),
      generator: generatorPgids.length === 0 ? null : sampleGroups(generatorPgids, table),
      host: sampleHost(),
      busiest: busiest(readThreads(system(), table)),
      ...(disk ? { disk: disk.last() } : {}),
    };
    samples.push(sample);
    onSample?.(sample);
  };
  tick();
  const timer = setInterval(tick, everyMs);
  return {
    watchGenerator: (pgids) => {
      generatorPgids = pgids;
    },
    stop: () => {
      clearInterval(timer);
      disk?.stop();
      tick();
      return samples;
    },
  };
}
