/**
 * Counters after a load, each against what was sent to it and acknowledged. Pure, so that Node tests it.
 * @import { WorkloadContext } from './types.d.ts'
 */

/**
 * A sum hides increments that went to another counter.
 * @param {number[]} values by key
 * @param {WorkloadContext['tally']} tally
 * @returns {{over: number, under: number, missing?: number, surplus?: number}} counters above what was sent to them, and
 *   below what was acknowledged; by how much, all counters together, where that is known
 */
export function strayed(values, tally) {
  if (!tally) return { over: 0, under: 0 };
  const { start, sent, acked } = tally.counts();
  const above = values.map((value, key) => Math.max(0, value - start[key] - sent[key]));
  const below = values.map((value, key) => Math.max(0, acked[key] - (value - start[key])));
  return {
    over: above.filter((n) => n > 0).length,
    under: below.filter((n) => n > 0).length,
    missing: sumOf(below),
    surplus: sumOf(above),
  };
}

/** @param {number[]} values */
export function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}
