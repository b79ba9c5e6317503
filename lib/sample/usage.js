/** @import { HostUse, ProcessSample, ResourceSample, ResourceUse } from '../types.d.ts' */

/**
 * How far beyond the last sample a value is still drawn out: the generator ends soon after its last window, and an
 * engine's API answers no more than once a second.
 */
const BEYOND_MS = 1500;

/**
 * A cumulative value at moment `t`: between two samples, or a little beyond the last, by straight line.
 * @param {ResourceSample[]} samples in order of time
 * @param {number} t epoch ms
 * @param {(sample: ResourceSample) => number | null | undefined} read cumulative value
 * @returns {number | null} null when no two samples are near enough
 */
export function valueAt(samples, t, read) {
  /** @type {{t: number, v: number}[]} */
  const points = samples.flatMap((s) => {
    const v = read(s);
    return v === null || v === undefined ? [] : [{ t: s.t, v }];
  });
  if (points.length < 2 || t < points[0].t || t > points[points.length - 1].t + BEYOND_MS) return null;
  const after = points.findIndex((p) => p.t >= t);
  const end = after === -1 ? points.length - 1 : Math.max(1, after);
  const [a, b] = [points[end - 1], points[end]];
  return a.v + ((b.v - a.v) * (t - a.t)) / (b.t - a.t);
}

/**
 * @param {ResourceSample[]} samples
 * @param {'system' | 'generator'} who
 * @param {number} fromMs epoch
 * @param {number} toMs epoch
 * @returns {number | null} CPU seconds used in between
 */
export function cpuSecBetween(samples, who, fromMs, toMs) {
  const read = (/** @type {ResourceSample} */ s) => s[who]?.cpuSec;
  const from = valueAt(samples, fromMs, read);
  const to = valueAt(samples, toMs, read);
  return from === null || to === null ? null : Math.max(0, to - from);
}

/**
 * @param {ResourceSample[]} samples
 * @param {'system' | 'generator'} who
 * @param {number} fromMs epoch, start of the first measured window
 * @param {number} toMs epoch, end of the last one
 * @returns {ResourceUse | null} null when it was not sampled (an external system)
 */
export function resourceUse(samples, who, fromMs, toMs) {
  const inside = samples.filter((s) => s.t >= fromMs && s.t <= toMs);
  const rows = inside.map((s) => s[who]).filter((s) => s !== null);
  const cpuSec = cpuSecBetween(samples, who, fromMs, toMs);
  if (rows.length < 2 || cpuSec === null) return null;
  const rss = rows.map((r) => r.rssBytes).sort((a, b) => a - b);
  return {
    cpuSec: round(cpuSec, 3),
    cpuCores: round(cpuSec / ((toMs - fromMs) / 1000), 4),
    rssPeakBytes: rss[rss.length - 1],
    rssSteadyBytes: rss[Math.floor(rss.length / 2)],
    ioReadBytes: difference(rows, 'ioReadBytes'),
    ioWriteBytes: difference(rows, 'ioWriteBytes'),
    threadsPeak: Math.max(...rows.map((r) => r.threads)),
    processes: Math.max(...rows.map((r) => r.processes)),
    ...ofContainers(rows),
  };
}

/**
 * @param {ProcessSample[]} rows
 * @returns {Partial<ResourceUse>} what only a container's own network and limits tell
 */
function ofContainers(rows) {
  if (rows[0].netRxBytes === undefined) return {};
  const throttledSec = difference(rows, 'throttledSec');
  return {
    netRxBytes: difference(rows, 'netRxBytes'),
    netTxBytes: difference(rows, 'netTxBytes'),
    throttledSec: throttledSec === null ? null : round(throttledSec, 3),
  };
}

/**
 * @param {ProcessSample[]} rows
 * @param {'ioReadBytes' | 'ioWriteBytes' | 'netRxBytes' | 'netTxBytes' | 'throttledSec'} field
 * @returns {number | null}
 */
function difference(rows, field) {
  const first = rows[0][field] ?? null;
  const last = rows[rows.length - 1][field] ?? null;
  return first === null || last === null ? null : Math.max(0, last - first);
}

/**
 * @param {ResourceSample[]} samples
 * @param {number} cores
 * @param {number} fromMs
 * @param {number} toMs
 * @returns {HostUse | null}
 */
export function hostUse(samples, cores, fromMs, toMs) {
  const inside = samples.filter((s) => s.t >= fromMs && s.t <= toMs);
  const first = inside[0]?.host;
  const last = inside[inside.length - 1]?.host;
  if (!first || !last || last.totalSec <= first.totalSec) return null;
  const total = last.totalSec - first.totalSec;
  return {
    cores,
    busyRatio: round((last.busySec - first.busySec) / total, 4),
    stealRatio: round((last.stealSec - first.stealSec) / total, 4),
  };
}

/**
 * @param {number} value
 * @param {number} digits
 * @returns {number}
 */
export function round(value, digits) {
  return Number(value.toFixed(digits));
}
