import { median } from '../stats/summary.js';
import { theilSen } from '../stats/theil-sen.js';

/** @import { HistogramWindow, Interval, Reason, ResourceSample, SoakResult } from '../types.d.ts' */

/** Limits of a soak. A change of any of them is a change of method. */
export const SOAK = Object.freeze({
  /** Shortest that says anything, s. */
  minSec: 60,
  /** The beginning, which caches and heaps take to fill, is left out. */
  skippedShare: 1 / 6,
  /** Growth of memory beyond this is a leak, bytes a minute. */
  rssBytesPerMin: 256 * 1024,
  /** Growth of the p99 over the whole soak beyond this is a drift, share of its median. */
  p99Growth: 0.25,
  /** At most so many points of time: readings that follow each other closely are not independent. */
  bins: 90,
});

/**
 * What happens to memory and latency over time. Pure.
 * @param {ResourceSample[]} samples
 * @param {Pick<HistogramWindow, 'startMs' | 'endMs' | 'series'>} window
 * @returns {SoakResult}
 */
export function soakOf(samples, { startMs, endMs, series }) {
  const from = startMs + (endMs - startMs) * SOAK.skippedShare;
  const minutes = (/** @type {number} */ t) => (t - from) / 60_000;
  const memory = samples.flatMap(({ t, system }) =>
    t >= from && t <= endMs && system ? [{ x: minutes(t), y: system.rssBytes }] : [],
  );
  const latency = series.flatMap(({ t, count, p99Ms }) =>
    startMs + t * 1000 >= from && count > 0 && p99Ms !== null
      ? [{ x: minutes(startMs + t * 1000), y: p99Ms }]
      : [],
  );
  const rss = binned(memory);
  const slope = theilSen(rss);
  const p99 = binned(latency);
  const p99Slope = theilSen(p99);
  const sec = Math.round((endMs - from) / 1000);
  const secondHalf = theilSen(rss.slice(rss.length >> 1))?.estimate ?? null;
  const result = {
    sec,
    rssBytesPerMin: slope,
    rssSecondHalfBytesPerMin: secondHalf,
    detectableBytesPerMin: slope ? SOAK.rssBytesPerMin + slope.estimate - slope.low : null,
    p99MsPerMin: p99Slope,
    p99Growth: p99Slope && p99.length > 0 ? growth(p99Slope, median(p99.map((p) => p.y)), sec) : null,
  };
  return { ...result, verdict: verdictOfSoak(result) };
}

/**
 * @param {Omit<SoakResult, 'verdict'>} soak
 * @returns {SoakResult['verdict']} `leaking` needs growth in the second half too: what only fills up ends there
 */
export function verdictOfSoak({ sec, rssBytesPerMin, rssSecondHalfBytesPerMin, p99Growth }) {
  const limit = SOAK.rssBytesPerMin;
  if (rssBytesPerMin === null || sec < SOAK.minSec * (1 - SOAK.skippedShare)) return 'unclear';
  if (rssBytesPerMin.low > limit && (rssSecondHalfBytesPerMin ?? 0) > limit) return 'leaking';
  if (p99Growth !== null && p99Growth.low > SOAK.p99Growth) return 'drifting';
  if (rssBytesPerMin.high > limit && (rssSecondHalfBytesPerMin ?? 0) > limit) return 'unclear';
  return 'steady';
}

/**
 * @param {SoakResult | undefined} soak
 * @returns {Reason[]}
 */
export function soakReasons(soak) {
  if (soak?.verdict === 'leaking') {
    return [
      {
        code: 'leaking',
        measured: Math.round(soak.rssBytesPerMin?.estimate ?? 0),
        limit: SOAK.rssBytesPerMin,
      },
    ];
  }
  if (soak?.verdict === 'drifting') {
    return [{ code: 'drifting', measured: soak.p99Growth?.estimate, limit: SOAK.p99Growth }];
  }
  return soak?.verdict === 'unclear' ? [{ code: 'soak_unclear' }] : [];
}

/**
 * @param {{x: number, y: number}[]} points in order of time
 * @returns {{x: number, y: number}[]} medians of equally long stretches
 */
function binned(points) {
  if (points.length <= SOAK.bins) return points;
  const size = points.length / SOAK.bins;
  return Array.from({ length: SOAK.bins }, (_, i) => {
    const own = points.slice(Math.floor(i * size), Math.floor((i + 1) * size));
    return { x: median(own.map((p) => p.x)), y: median(own.map((p) => p.y)) };
  });
}

/**
 * @param {Interval} perMin
 * @param {number} middle
 * @param {number} sec
 * @returns {Interval} share of the middle by which it grew over all the time
 */
function growth({ estimate, low, high }, middle, sec) {
  const share = (/** @type {number} */ v) => Number(((v * sec) / 60 / middle).toFixed(4));
  return { estimate: share(estimate), low: share(low), high: share(high) };
}
