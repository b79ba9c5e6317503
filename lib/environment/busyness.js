import { hostBetween, sampleHost } from '../sample/processes.js';

/**
 * @typedef {object} Busyness
 * @property {number} cores CPUs of the machine
 * @property {number} foreignCores how many of them other processes kept busy
 * @property {number} stealRatio share of all their time that the hypervisor gave to other guests
 */

/**
 * How busy the machine is with others while nothing is measured.
 * @param {number} [forMs] how long to look
 * @returns {Promise<Busyness | null>} null where the kernel does not tell
 */
export async function machineBusyness(forMs = 1000) {
  const before = sampleHost();
  const own = process.cpuUsage();
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, forMs));
  const after = sampleHost();
  const elapsedSec = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(own);
  return busynessOf(before, after, { elapsedSec, ownSec: (user + system) / 1e6 });
}

/**
 * @param {ReturnType<typeof sampleHost>} before
 * @param {ReturnType<typeof sampleHost>} after
 * @param {{elapsedSec: number, ownSec: number}} span `ownSec`: CPU that this process used itself
 * @returns {Busyness | null}
 */
export function busynessOf(before, after, { elapsedSec, ownSec }) {
  const { busySec, stealSec, totalSec } = hostBetween(before, after);
  if (totalSec <= 0) return null;
  const foreignSec = Math.max(0, busySec - ownSec);
  return {
    cores: Math.max(1, Math.round(totalSec / elapsedSec)),
    foreignCores: Number((foreignSec / elapsedSec).toFixed(2)),
    stealRatio: Number((stealSec / totalSec).toFixed(4)),
  };
}

/**
 * @param {Busyness} busyness
 * @returns {string} `0.9 of 2 cores busy with others, steal 3 %`
 */
export function busynessText({ cores, foreignCores, stealRatio }) {
  return `${foreignCores.toFixed(1)} of ${cores} cores busy with others, steal ${Math.round(stealRatio * 100)} %`;
}
