import { processTable, sampleGroup, sampleHost } from './processes.js';

/** @import { ResourceSample } from '../types.d.ts' */

/** How often the size of the data is read: each reading asks for every file. */
const DISK_EVERY_MS = 250;

/**
 * Watches the system's process group, the generator's and the host.
 * @param {{systemPgid: number | null, everyMs: number, diskBytes?: () => Promise<number | null>}} options
 *   `systemPgid` null: an external system; `diskBytes`: where the size of its data is wanted
 * @returns {{watchGenerator: (pgid: number) => void, stop: () => ResourceSample[]}}
 */
export function startSampler({ systemPgid, everyMs, diskBytes }) {
  /** @type {ResourceSample[]} */
  const samples = [];
  /** @type {number | null} */
  let generatorPgid = null;
  const disk = diskBytes ? watchDisk(diskBytes) : null;
  const tick = () => {
    const table = processTable();
    samples.push({
      t: Date.now(),
      system: systemPgid === null ? null : sampleGroup(systemPgid, table),
      generator: generatorPgid === null ? null : sampleGroup(generatorPgid, table),
      host: sampleHost(),
      ...(disk ? { disk: disk.last() } : {}),
    });
  };
  tick();
  const timer = setInterval(tick, everyMs);
  return {
    watchGenerator: (pgid) => {
      generatorPgid = pgid;
    },
    stop: () => {
      clearInterval(timer);
      disk?.stop();
      tick();
      return samples;
    },
  };
}

/**
 * @param {() => Promise<number | null>} diskBytes
 */
function watchDisk(diskBytes) {
  /** @type {{t: number, bytes: number} | null} */
  let last = null;
  let reading = false;
  const read = async () => {
    if (reading) return; // a slow disk is not asked twice at once
    reading = true;
    const t = Date.now();
    const bytes = await diskBytes().catch(() => null);
    if (bytes !== null) last = { t, bytes };
    reading = false;
  };
  const timer = setInterval(read, DISK_EVERY_MS);
  return { last: () => last, stop: () => clearInterval(timer) };
}
