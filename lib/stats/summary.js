import { createRng } from './rng.js';

/** @import { Interval } from '../types.d.ts' */

/** Resamples of a bootstrap interval. More change the third digit only. */
const RESAMPLES = 4000;

/**
 * @param {readonly number[]} values not empty
 * @returns {number}
 */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * @param {ArrayLike<number>} sorted ascending, not empty
 * @param {number} q 0 … 1
 * @returns {number} by straight line between neighbours (type 7 of Hyndman and Fan 1996)
 */
export function quantile(sorted, q) {
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

/**
 * 95 % percentile bootstrap of the median (Efron 1979). For five values it is nearly their range:
 * few repeats give a wide interval, as they should.
 * @param {readonly number[]} values not empty
 * @param {number} seed of the profile: one for all figures of a run
 * @returns {Interval}
 */
export function medianInterval(values, seed) {
  const estimate = median(values);
  if (values.length === 1) return { estimate, low: estimate, high: estimate };
  const draws = resampledMedians(values, seed);
  return { estimate, low: quantile(draws, 0.025), high: quantile(draws, 0.975) };
}

/**
 * @param {readonly number[]} values at least two
 * @param {number} seed
 * @returns {Float64Array} the median of every resample, ascending
 */
function resampledMedians(values, seed) {
  const n = values.length;
  const order = values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
  const medians = resamplesOf(n, seed).map(({ times, count }) => {
    let [rank, seen] = [0, times[order[0]]];
    while (seen <= (n - 1) >> 1) seen += times[order[++rank]];
    const lower = values[order[rank]];
    while (seen <= n >> 1) seen += times[order[++rank]];
    return { value: n % 2 === 1 ? lower : (lower + values[order[rank]]) / 2, count };
  });
  const draws = new Float64Array(RESAMPLES);
  let filled = 0;
  for (const { value, count } of medians.sort((a, b) => a.value - b.value)) {
    draws.fill(value, filled, filled + count);
    filled += count;
  }
  return draws;
}

/**
 * How often each value is drawn in a resample, and how many resamples are alike in that.
 * @typedef {{times: Uint32Array, count: number}} Resample
 */

/** @type {{n: number, seed: number, resamples: Resample[]}} */
let last = { n: 0, seed: 0, resamples: [] };

/**
 * A report asks for thousands of intervals, most of them of as many values and from the same seed: what is drawn for
 * one is drawn for all, and of five values there are only 126 resamples.
 * @param {number} n
 * @param {number} seed
 * @returns {Resample[]}
 */
function resamplesOf(n, seed) {
  if (last.n === n && last.seed === seed) return last.resamples;
  const random = createRng(seed);
  /** @type {Map<string, Resample>} */
  const unlike = new Map();
  for (let i = 0; i < RESAMPLES; i++) {
    const times = new Uint32Array(n);
    for (let k = 0; k < n; k++) times[Math.floor(random() * n)]++;
    const key = times.join();
    const same = unlike.get(key);
    if (same) same.count++;
    else unlike.set(key, { times, count: 1 });
  }
  last = { n, seed, resamples: [...unlike.values()] };
  return last.resamples;
}

/**
 * Ratio of two systems from pairs measured in the same repeat: what both suffered cancels out.
 * @param {readonly {a: number, b: number}[]} pairs positive values
 * @param {number} seed of the profile: one for all figures of a run
 * @returns {Interval} a / b: median of the pairs' ratios, with the bootstrap interval of their logarithms
 */
export function pairedRatio(pairs, seed) {
  const { estimate, low, high } = medianInterval(
    pairs.map(({ a, b }) => Math.log(a / b)),
    seed,
  );
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high) };
}

/**
 * Ratio of two independent sets (two runs): no pairs, so each side is resampled alone.
 * @param {readonly number[]} a
 * @param {readonly number[]} b
 * @param {number} seed of the profile: one for all figures of a run
 * @returns {Interval} median(a) / median(b)
 */
export function unpairedRatio(a, b, seed) {
  const random = createRng(seed);
  const resample = (/** @type {readonly number[]} */ v) =>
    median(v.map(() => v[Math.floor(random() * v.length)]));
  const draws = Array.from({ length: RESAMPLES }, () => resample(a) / resample(b)).sort((x, y) => x - y);
  return { estimate: median(a) / median(b), low: quantile(draws, 0.025), high: quantile(draws, 0.975) };
}
