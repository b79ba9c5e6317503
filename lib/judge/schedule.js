/**
 * What of a load was due, and what of it failed.
 * @typedef {object} Due operations of a paced window
 * @property {number} count that were acknowledged
 * @property {number} dropped
 * @property {Record<string, number>} errors
 * @property {number | null} targetPerSec
 * @property {number} durationMs
 */

/**
 * @param {Due[]} parts windows that one schedule holds
 * @returns {number} what was sent, failed or dropped, against what the schedule holds; 0 where there is none
 */
export function dueRatioOf(parts) {
  const due = parts.reduce((n, p) => n + p.count + p.dropped + failedOf(p), 0);
  const planned = parts.reduce((n, p) => n + ((p.targetPerSec ?? 0) * p.durationMs) / 1000, 0);
  return planned > 0 ? Number((due / planned).toPrecision(4)) : 0;
}

/** @param {{errors?: Record<string, number>}} counted @returns {number} failures of all classes */
export function failedOf({ errors = {} }) {
  return Object.values(errors).reduce((sum, n) => sum + n, 0);
}

/** @param {Record<string, number>[]} all @returns {Record<string, number>} their sums, name by name */
export function sumsOf(all) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const [name, n] of all.flatMap(Object.entries)) sums[name] = (sums[name] ?? 0) + n;
  return sums;
}
