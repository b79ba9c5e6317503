import { median } from '../stats/summary.js';
import { theilSen } from '../stats/theil-sen.js';

/**
 * @import { HistogramWindow, Interval, ResourceSample, SoakCount, SoakResult } from '../types.d.ts'
 * @import { Found } from './rules.js'
 */

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
  /** As many more open files, or threads, than at its beginning are too many where they become more all the time. */
  counted: 8,
  /** At most so many points of time: readings that follow each other closely are not independent. */
  bins: 90,
  /** Stretches of which a chart shows the medians. */
  stretches: 15,
});

/**
 * What happens to memory, latency, open files, threads and the data on disk over time. Pure.
 * @param {ResourceSample[]} samples
 * @param {Pick<HistogramWindow, 'startMs' | 'endMs' | 'series'>} window
 * @returns {SoakResult}
 */
export function soakOf(samples, { startMs, endMs, series }) {
  const from = startMs + (endMs - startMs) * SOAK.skippedShare;
  const within = samples.filter(({ t }) => t >= startMs && t <= endMs);
  const readings = {
    rssBytes: pointsOf(within, startMs, (s) => s.system?.rssBytes),
    p99Ms: series.flatMap(({ t, count, p99Ms }) =>
      count > 0 && p99Ms !== null ? [{ x: t / 60, y: p99Ms }] : [],
    ),
    openFiles: pointsOf(within, startMs, (s) => s.openFiles),
    // Zero is what is said where threads cannot be counted.
    threads: pointsOf(within, startMs, (s) => s.system?.threads || null),
    diskBytes: pointsOf(within, startMs, (s) => s.disk?.bytes),
  };
  const fromMinute = (from - startMs) / 60_000;
  const later = (/** @type {Point[]} */ points) => points.filter(({ x }) => x >= fromMinute);
  const rss = binned(later(readings.rssBytes));
  const slope = theilSen(rss);
  const p99 = binned(later(readings.p99Ms));
  const p99Slope = theilSen(p99);
  const sec = Math.round((endMs - from) / 1000);
  const secondHalf = theilSen(rss.slice(rss.length >> 1))?.estimate ?? null;
  const [firstDisk, lastDisk] = [readings.diskBytes[0], readings.diskBytes.at(-1)];
  const result = {
    sec,
    rssBytesPerMin: slope,
    rssSecondHalfBytesPerMin: secondHalf,
    detectableBytesPerMin: slope ? SOAK.rssBytesPerMin + slope.estimate - slope.low : null,
    p99MsPerMin: p99Slope,
    p99Growth: p99Slope && p99.length > 0 ? growth(p99Slope, median(p99.map((p) => p.y)), sec) : null,
    openFiles: countOf(later(readings.openFiles)),
    threads: countOf(later(readings.threads)),
    disk: firstDisk && lastDisk ? { firstBytes: firstDisk.y, lastBytes: lastDisk.y } : null,
  };
  return { ...result, points: stretchesOf(readings, endMs - startMs), verdict: verdictOfSoak(result) };
}

/** @typedef {{x: number, y: number}} Point `x`: minutes from the beginning */

/**
 * @param {ResourceSample[]} samples
 * @param {number} startMs
 * @param {(sample: ResourceSample) => number | null | undefined} value
 * @returns {Point[]}
 */
function pointsOf(samples, startMs, value) {
  return samples.flatMap((s) => {
    const y = value(s) ?? null;
    return y === null ? [] : [{ x: (s.t - startMs) / 60_000, y }];
  });
}

/**
 * @param {Point[]} points in order of time
 * @returns {SoakCount | null}
 */
function countOf(points) {
  if (points.length === 0) return null;
  const tenth = Math.ceil(points.length / 10);
  const values = points.map((p) => p.y);
  const slope = theilSen(binned(points));
  return {
    first: median(values.slice(0, tenth)),
    last: median(values.slice(-tenth)),
    // A soak of days has more values than a call takes arguments.
    most: values.reduce((most, value) => Math.max(most, value)),
    perHour: slope && eachOf(slope, (perMin) => Number((perMin * 60).toFixed(2))),
  };
}

/**
 * @typedef {'rssBytes' | 'p99Ms' | 'openFiles' | 'threads' | 'diskBytes'} Reading
 * @param {Record<Reading, Point[]>} readings
 * @param {number} lengthMs
 * @returns {SoakResult['points']} medians of equally long stretches; null where there was no reading
 */
function stretchesOf(readings, lengthMs) {
  const minutes = lengthMs / 60_000 / SOAK.stretches;
  return Array.from({ length: SOAK.stretches }, (_, i) => {
    const medians = Object.entries(readings).map(([name, points]) => {
      const own = points.filter(({ x }) => x >= i * minutes && x < (i + 1) * minutes);
      return [name, own.length > 0 ? Number(median(own.map((p) => p.y)).toFixed(3)) : null];
    });
    const minute = Number(((i + 0.5) * minutes).toFixed(3));
    return { minute, .../** @type {Record<Reading, number | null>} */ (Object.fromEntries(medians)) };
  });
}

/**
 * @param {Omit<SoakResult, 'verdict' | 'points'>} soak
 * @returns {SoakResult['verdict']} `leaking` needs growth in the second half too: what only fills up ends there
 */
function verdictOfSoak({ sec, rssBytesPerMin, rssSecondHalfBytesPerMin, p99Growth, openFiles, threads }) {
  const limit = SOAK.rssBytesPerMin;
  if (rssBytesPerMin === null || sec < SOAK.minSec * (1 - SOAK.skippedShare)) return 'unclear';
  if (rssBytesPerMin.low > limit && (rssSecondHalfBytesPerMin ?? 0) > limit) return 'leaking';
  if (clings(openFiles) || clings(threads)) return 'clinging';
  if (p99Growth !== null && p99Growth.low > SOAK.p99Growth) return 'drifting';
  if (rssBytesPerMin.high > limit && (rssSecondHalfBytesPerMin ?? 0) > limit) return 'unclear';
  return p99Growth && openFiles && threads ? 'steady' : 'unclear';
}

/** @param {SoakCount | null | undefined} count */
function clings(count) {
  return count?.perHour != null && count.perHour.low > 0 && count.last - count.first >= SOAK.counted;
}

/** @typedef {{soak?: SoakResult}} Soaked a record, maybe of a soak */

/** @param {Soaked} record @returns {Found[]} */
export function leaks({ soak }) {
  if (soak?.verdict !== 'leaking') return [];
  return [{ measured: Math.round(soak.rssBytesPerMin?.estimate ?? 0), limit: SOAK.rssBytesPerMin }];
}

/** @param {Soaked} record @returns {Found[]} */
export function drifts({ soak }) {
  return soak?.verdict === 'drifting' ? [{ measured: soak.p99Growth?.estimate, limit: SOAK.p99Growth }] : [];
}

/** @param {Soaked} record @returns {Found[]} */
export function handlesKept({ soak }) {
  if (soak?.verdict !== 'clinging') return [];
  const more = [soak.openFiles, soak.threads].flatMap((c) => (c && clings(c) ? [c.last - c.first] : []));
  return [{ measured: Math.max(...more), limit: SOAK.counted }];
}

/**
 * @param {Point[]} points in order of time
 * @returns {Point[]} medians of equally long stretches
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
function growth(perMin, middle, sec) {
  return eachOf(perMin, (v) => Number(((v * sec) / 60 / middle).toFixed(4)));
}

/** @param {Interval} interval @param {(value: number) => number} of @returns {Interval} */
function eachOf({ estimate, low, high }, of) {
  return { estimate: of(estimate), low: of(low), high: of(high) };
}
