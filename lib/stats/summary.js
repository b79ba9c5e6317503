/** @import { Interval } from '../types.d.ts' */

/**
 * @param {readonly number[]} values not empty
 * @returns {number}
 */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @param {readonly (number | null | undefined)[]} values @returns {number | null} median of those that are known; null without any */
export function medianOfKnown(values) {
  const known = values.filter((v) => v !== null && v !== undefined);
  return known.length > 0 ? median(known) : null;
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
  const value = sorted[low] + (sorted[high] - sorted[low]) * (at - low);
  // Between two infinities there is no line.
  return Number.isNaN(value) ? sorted[Math.round(at)] : value;
}

/**
 * Interval of the median that holds for any distribution: between the k-th lowest and the k-th highest value, where k is
 * the largest one for which it covers 95 % (order statistics and the binomial distribution; David and Nagaraja 2003, 7.1).
 * Of fewer than six values it is their range.
 * @param {readonly number[]} values not empty
 * @returns {Interval}
 */
export function medianInterval(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  let [k, term, below] = [0, 0.5 ** n, 0.5 ** n];
  // P(fewer than k + 1 of n values lie below the median), twice, is what the interval leaves out.
  while (2 * below <= 0.05 && k < n >> 1) {
    k++;
    term *= (n - k + 1) / k;
    below += term;
  }
  const at = Math.max(0, k - 1);
  return { estimate: median(values), low: sorted[at], high: sorted[n - 1 - at] };
}
