import { processTable, sampleGroup, sampleHost } from './processes.js';

/** @import { ResourceSample } from '../types.d.ts' */

/**
 * Watches the system's process group, the generator's and the host.
 * @param {object} options
 * @param {number | null} options.systemPgid null: an external system
 * @param {number} options.everyMs
 * @param {(sample: ResourceSample) => void} [options.onSample]
 * @returns {{watchGenerator: (pgid: number) => void, stop: () => ResourceSample[]}}
 */
export function startSampler({ systemPgid, everyMs, onSample }) {
  /** @type {ResourceSample[]} */
  const samples = [];
  /** @type {number | null} */
  let generatorPgid = null;
  const tick = () => {
    const table = processTable();
    const sample = {
      t: Date.now(),
      system: systemPgid === null ? null : sampleGroup(systemPgid, table),
      generator: generatorPgid === null ? null : sampleGroup(generatorPgid, table),
      host: sampleHost(),
    };
    samples.push(sample);
    onSample?.(sample);
  };
  tick();
  const timer = setInterval(tick, everyMs);
  return {
    watchGenerator: (pgid) => {
      generatorPgid = pgid;
    },
    stop: () => {
      clearInterval(timer);
      tick();
      return samples;
    },
  };
}
