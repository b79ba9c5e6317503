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
 * @param {readonly number[]} sorted ascending, not empty
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
 * @param {number} [seed]
 * @returns {Interval}
 */
export function medianInterval(values, seed = 1) {
  const estimate = median(values);
  if (values.length === 1) return { estimate, low: estimate, high: estimate };
  const random = createRng(seed);
  const draws = Array.from({ length: RESAMPLES }, () =>
    median(values.map(() => values[Math.floor(random() * values.length)])),
  ).sort((a, b) => a - b);
  return { estimate, low: quantile(draws, 0.025), high: quantile(draws, 0.975) };
}

/**
 * Ratio of two systems from pairs measured in the same repeat: what both suffered cancels out.
 * @param {readonly {a: number, b: number}[]} pairs positive values
 * @param {number} [seed]
 * @returns {Interval} a / b: median of the pairs' ratios, with the bootstrap interval of their logarithms
 */
export function pairedRatio(pairs, seed = 1) {
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
 * @param {number} [seed]
 * @returns {Interval} median(a) / median(b)
 */
export function unpairedRatio(a, b, seed = 1) {
  const random = createRng(seed);
  const resample = (/** @type {readonly number[]} */ v) =>
    median(v.map(() => v[Math.floor(random() * v.length)]));
  const draws = Array.from({ length: RESAMPLES }, () => resample(a) / resample(b)).sort((x, y) => x - y);
  return { estimate: median(a) / median(b), low: quantile(draws, 0.025), high: quantile(draws, 0.975) };
}
