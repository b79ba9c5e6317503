import { useOver } from './usage.js';

/** @import { PodReading, ResourceUse } from '../types.d.ts' */

/** Of a window so much must lie between two readings: what was used then is taken for the mean of all of it. */
const COVERED = 0.5;

/**
 * CPU used within a window, by readings that lie many seconds apart: the mean between the first and the last one inside
 * it. Between a reading before and one inside, the begin of the load is unknown.
 * @param {PodReading[]} readings in order of time
 * @param {number} fromMs epoch
 * @param {number} toMs epoch
 * @returns {number | null} seconds; null where they cover less than half of the window, or a container was started again
 */
export function cpuSecOfReadings(readings, fromMs, toMs) {
  const inside = readings.filter(({ t }) => t >= fromMs && t <= toMs);
  const [first, last] = [inside[0], inside[inside.length - 1]];
  if (inside.length < 2 || last.t - first.t < COVERED * (toMs - fromMs)) return null;
  if (inside.some((r, i) => i > 0 && r.cpuSec < inside[i - 1].cpuSec)) return null;
  return ((last.cpuSec - first.cpuSec) * (toMs - fromMs)) / (last.t - first.t);
}

/**
 * @param {PodReading[]} readings in order of time
 * @param {{from: number, to: number}[]} spans epoch ms: the measured windows, or one over all of them
 * @returns {ResourceUse | null} null where the readings do not cover them
 */
export function useOfReadings(readings, spans) {
  const cpuSecs = spans.map(({ from, to }) => cpuSecOfReadings(readings, from, to));
  if (spans.length === 0 || cpuSecs.includes(null)) return null;
  const inside = readings.filter(({ t }) => spans.some(({ from, to }) => t >= from && t <= to));
  return {
    ...useOver(spans, cpuSecs, inside),
    ioReadBytes: null,
    ioWriteBytes: null,
    threadsPeak: null,
    processes: null,
  };
}
