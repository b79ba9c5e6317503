import { hostBetween } from './processes.js';

/** @import { CpuPoint, HostUse, ProcessSample, ResourceSample, ResourceUse } from '../types.d.ts' */

/**
 * How far beyond the last sample a value is still drawn out: the generator ends soon after its last window, and an
 * engine's API answers no more than once a second.
 */
const BEYOND_MS = 1500;
/** How far before the first sample: a window may open as soon as the generator has begun. */
const BEFORE_MS = 500;

/** What is counted from the start of a process on. @typedef {'cpuSec' | `${'ioRead' | 'ioWrite' | 'netRx' | 'netTx'}Bytes`} Counter */
/** @typedef {{t: number} & Partial<Record<Counter, number | null>>} CounterPoint of a moment, epoch ms */

/**
 * @param {ResourceSample[]} samples in order of time
 * @param {'system' | 'generator'} who
 * @returns {(CounterPoint & CpuPoint)[]} of the moments at which it could be sampled
 */
export function counterPoints(samples, who) {
  return samples.flatMap((s) => (s[who] ? [{ ...s[who], t: s.t }] : []));
}

/**
 * What had been counted by moment `t`: between two points, or a little before the first or beyond the last, by straight
 * line.
 * @param {CounterPoint[]} points in order of time
 * @param {number} t epoch ms
 * @param {Counter} counter
 * @returns {number | null} null when no two points are near enough, or one of them does not know
 */
export function countedAt(points, t, counter) {
  if (points.length < 2 || t < points[0].t - BEFORE_MS || t > points[points.length - 1].t + BEYOND_MS)
    return null;
  const after = points.findIndex((p) => p.t >= t);
  const end = after === -1 ? points.length - 1 : Math.max(1, after);
  const [a, b] = [points[end - 1], points[end]];
  const last = b[counter] ?? null;
  // A container's bytes are unknown until there are some.
  const first = a[counter] ?? last;
  if (first === null || last === null) return null;
  if (b.t === a.t) return last;
  return Math.max(0, first + ((last - first) * (t - a.t)) / (b.t - a.t));
}

/**
 * @param {CounterPoint[]} points in order of time
 * @param {number} fromMs epoch
 * @param {number} toMs epoch
 * @param {Counter} [counter]
 * @returns {number | null} CPU seconds, or bytes, in between; null where no points are near, or none lies in between
 */
export function countedBetween(points, fromMs, toMs, counter = 'cpuSec') {
  // Between two neighbours only their mean is known, and less than their distance may have been all of the load.
  if (!points.some((p) => p.t > fromMs && p.t < toMs)) return null;
  const from = countedAt(points, fromMs, counter);
  const to = countedAt(points, toMs, counter);
  return from === null || to === null ? null : Math.max(0, to - from);
}

/**
 * @param {ResourceSample[]} samples
 * @param {'system' | 'generator'} who
 * @param {{from: number, to: number}[]} spans epoch ms, in order: the measured windows, or one over all of them
 * @returns {ResourceUse | null} null when it was not sampled (an external system)
 */
export function resourceUse(samples, who, spans) {
  const inside = spans.flatMap(({ from, to }) => samples.filter((s) => s.t >= from && s.t <= to));
  const rows = inside.map((s) => s[who]).filter((s) => s !== null);
  const points = counterPoints(samples, who);
  const within = (/** @type {Counter} */ counter) =>
    spans.map(({ from, to }) => countedBetween(points, from, to, counter));
  const bytes = (/** @type {Counter} */ counter) => {
    const counted = within(counter);
    if (counted.includes(null)) return null;
    return Math.round(counted.reduce((/** @type {number} */ sum, n) => sum + Number(n), 0));
  };
  const cpuSecs = within('cpuSec');
  if (rows.length < 2 || cpuSecs.includes(null)) return null;
  return {
    ...useOver(spans, cpuSecs, rows),
    ioReadBytes: bytes('ioReadBytes'),
    ioWriteBytes: bytes('ioWriteBytes'),
    threadsPeak: Math.max(...rows.map((r) => r.threads)),
    processes: Math.max(...rows.map((r) => r.processes)),
    // Only a container's own network tells.
    ...(points.some((p) => p.netRxBytes !== undefined)
      ? { netRxBytes: bytes('netRxBytes'), netTxBytes: bytes('netTxBytes') }
      : {}),
  };
}

/**
 * @param {{from: number, to: number}[]} spans epoch ms
 * @param {(number | null)[]} cpuSecs used in each
 * @param {{rssBytes: number}[]} rows within them
 */
export function useOver(spans, cpuSecs, rows) {
  const cpuSec = cpuSecs.reduce((/** @type {number} */ sum, s) => sum + Number(s), 0);
  const lengthMs = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const rss = rows.map((r) => r.rssBytes).sort((a, b) => a - b);
  return {
    cpuSec: round(cpuSec, 3),
    cpuCores: round(cpuSec / (lengthMs / 1000), 4),
    rssPeakBytes: rss[rss.length - 1],
    rssSteadyBytes: rss[Math.floor(rss.length / 2)],
  };
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
  const { busySec, stealSec, totalSec: total } = hostBetween(first, last);
  const elapsedSec = (inside[inside.length - 1].t - inside[0].t) / 1000;
  return {
    // The ratios are over every CPU of the machine, which may be more than a run may use.
    cores: Math.max(cores, Math.round(total / elapsedSec)),
    busyRatio: round(busySec / total, 4),
    stealRatio: round(stealSec / total, 4),
  };
}

/** A busy machine delays a sample by a second or two; who was not looked at for so long was asleep, or its clock was set. */
const GAP_MS = 10_000;

/**
 * @param {ResourceSample[]} samples in the order in which they were taken
 * @param {number} fromMs epoch
 * @param {number} toMs epoch
 * @returns {number | null} seconds by which the clock moved on, or back, from one sample to the next: the most in this
 *   time, where that is more than a sampler can be late; otherwise null
 */
export function clockGapSec(samples, fromMs, toMs) {
  const gapsMs = samples.slice(1).flatMap(({ t }, i) => {
    const touches = Math.max(samples[i].t, t) > fromMs && Math.min(samples[i].t, t) < toMs;
    return touches ? [t - samples[i].t] : [];
  });
  const mostMs = gapsMs.reduce((most, gap) => (Math.abs(gap) > Math.abs(most) ? gap : most), 0);
  return Math.abs(mostMs) > GAP_MS ? round(mostMs / 1000, 3) : null;
}

/**
 * @param {number} value
 * @param {number} digits
 * @returns {number}
 */
export function round(value, digits) {
  return Number(value.toFixed(digits));
}
