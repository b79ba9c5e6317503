import { processTable } from '../process/table.js';
import { watchDisk } from './disk.js';
import { openFilesOf } from './open-files.js';
import { sampleHost } from './processes.js';
import { inDiskSleep, readThreadsOf, watchBusiest } from './threads.js';
import { processesOf, sampleWatched } from './watched.js';

/**
 * @import { ResourceSample } from '../types.d.ts'
 * @import { Watched } from './watched.js'
 */

/**
 * Watches the system's processes, the generator's and the host.
 * @param {object} options
 * @param {() => Watched | null} options.system asked each time; null: not ours to see
 * @param {number} options.everyMs
 * @param {(sample: ResourceSample) => void} [options.onSample]
 * @param {() => Promise<number | null>} [options.diskBytes] where the size of its data is wanted
 * @param {boolean} [options.openFiles] whether its open file descriptors are counted
 * @returns {{watch: (generator: {watched: Watched | null}) => void, stop: () => ResourceSample[]}}
 */
export function startSampler({ system, everyMs, onSample, diskBytes, openFiles = false }) {
  /** @type {ResourceSample[]} */
  const samples = [];
  /** @type {Watched | null} */
  let generator = null;
  const disk = diskBytes ? watchDisk(diskBytes) : null;
  const busiest = watchBusiest();
  const tick = () => {
    const table = processTable();
    const own = system();
    const [threads] = readThreadsOf([own], table);
    const sample = {
      t: Date.now(),
      system: own && sampleWatched(own, table),
      generator: generator && sampleWatched(generator, table),
      host: sampleHost(),
      busiest: busiest(threads),
      diskSleep: inDiskSleep(threads),
      ...(disk ? { disk: disk.last() } : {}),
      ...(openFiles ? { openFiles: own && openFilesOf(processesOf(own, table)) } : {}),
    };
    samples.push(sample);
    onSample?.(sample);
  };
  tick();
  const timer = setInterval(tick, everyMs);
  return {
    watch: ({ watched }) => {
      generator = watched;
    },
    stop: () => {
      clearInterval(timer);
      disk?.stop();
      tick();
      return samples;
    },
  };
}
