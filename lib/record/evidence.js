import { stolenShareOf } from '../judge/host.js';
import { hostBetween } from '../sample/processes.js';
import { round } from '../sample/usage.js';
import { loopBetween } from './marks.js';

/** @import { HistogramExport, HistogramWindow, OperationResult, ResourceSample } from '../types.d.ts' */

/** A sample's interval belongs to a window where at least so much of it lies inside. */
const MOSTLY = 0.5;

/**
 * What the busiest threads of both sides did during a window.
 * @param {HistogramWindow} window
 * @param {ResourceSample[]} samples
 * @param {HistogramExport | null} histograms
 * @returns {NonNullable<OperationResult['busiest']>} shares of a CPU
 */
export function busiestOf(window, samples, histograms) {
  const diskSleep = diskSleepOf(window, samples);
  return {
    system: busiestThread(window, samples),
    loop: busiestLoop(window, histograms?.loops ?? []),
    ...(diskSleep ? { diskSleep } : {}),
  };
}

/**
 * @param {HistogramWindow} window
 * @param {ResourceSample[]} samples
 * @returns {{looks: number, seen: number} | null} how often the system was looked at, and how often a thread of it was in
 *   disk sleep then; null where that was not looked at
 */
function diskSleepOf({ startMs, endMs }, samples) {
  const looks = samples.filter((s) => typeof s.diskSleep === 'boolean' && s.t >= startMs && s.t <= endMs);
  return looks.length > 0 ? { looks: looks.length, seen: looks.filter((s) => s.diskSleep).length } : null;
}

/**
 * @param {HistogramWindow} window
 * @param {ResourceSample[]} samples
 * @returns {number | null} running, waiting for a CPU, stolen
 */
function busiestThread({ startMs, endMs }, samples) {
  const seen = samples.flatMap((sample, i) => {
    const before = samples[i - 1];
    if (!sample.busiest || !before || sample.t <= before.t) return [];
    const length = sample.t - before.t;
    const inside = Math.min(sample.t, endMs) - Math.max(before.t, startMs);
    return inside / length < MOSTLY ? [] : [{ before, sample, length }];
  });
  const ms = seen.reduce((sum, s) => sum + s.length, 0);
  if (ms === 0) return null;
  const wanted = seen.reduce((sum, { before, sample, length }) => {
    const { run, wait } = /** @type {NonNullable<ResourceSample['busiest']>} */ (sample.busiest);
    return sum + (run + wait + stolenShareOf(hostBetween(before.host, sample.host))) * length;
  }, 0);
  return round(wanted / ms, 3);
}

/**
 * @param {Pick<HistogramWindow, 'startMs' | 'endMs'>} window
 * @param {NonNullable<HistogramExport['loops']>} loops
 * @returns {number | null} of the event loop that ran and waited most; null without marks at the window's edges
 */
export function busiestLoop({ startMs, endMs }, loops) {
  const shares = loops.flatMap((loop) => loopBetween(loop, [startMs, endMs])?.busy ?? []);
  return shares.length > 0 ? round(Math.max(...shares), 3) : null;
}
