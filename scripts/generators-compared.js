import { intervalOf as intervalOfLogs } from '../lib/stats/interval.js';

/**
 * What several generators measured of a load, against what one measured of it.
 * @import { CellRecord, Interval } from '../lib/types.d.ts'
 */

const QUANTILES = /** @type {const} */ (['p50', 'p90', 'p99']);
/** @typedef {Record<string, number>} Percentiles ms, by `step latency quantile`: the geometric mean of its operations */

/**
 * @param {CellRecord[]} records of one run of one system
 * @returns {Percentiles}
 * @throws {Error} where one of them was not measured, or not by all of its generators
 */
export function percentilesOf(records) {
  /** @type {Record<string, number[]>} */
  const logs = {};
  // What stands beside the system keeps no state.
  const own = records.filter((r) => r.role === 'system');
  for (const { cell, step, status, reason, generators, oracle, operations } of own) {
    if (status !== 'ok') throw new Error(`${cell}: ${status}, ${reason}`);
    const missing = generators?.missing[0];
    if (missing) throw new Error(`${cell}: generator ${missing.runner}: ${missing.problem}`);
    if (!oracle?.ok) throw new Error(`${cell}: the state does not hold`);
    for (const { serviceMs, responseMs } of Object.values(operations))
      for (const [latency, summary] of Object.entries({ service: serviceMs, response: responseMs }))
        for (const q of QUANTILES) {
          const ms = summary?.[q];
          if (!ms) continue;
          const key = `${step.id} ${latency} ${q}`;
          logs[key] = [...(logs[key] ?? []), Math.log(ms)];
        }
  }
  return Object.fromEntries(
    Object.entries(logs).map(([key, all]) => [key, Math.exp(all.reduce((a, b) => a + b, 0) / all.length)]),
  );
}

/**
 * @typedef {object} Compared
 * @property {string} key of `Percentiles`
 * @property {Interval} ratio several to one, 95 %
 * @property {Interval} noise one to one, of the same rounds
 * @property {boolean} within whether the two intervals overlap, or the first holds 1
 */

/**
 * @param {{several: Percentiles, ones: [Percentiles, Percentiles]}[]} rounds one, several, one: in a row
 * @returns {Compared[]}
 */
export function compared(rounds) {
  return Object.keys(rounds[0].several).map((key) => {
    const ratio = intervalOf(
      rounds.map(({ several, ones: [a, b] }) => several[key] / Math.sqrt(a[key] * b[key])),
    );
    const noise = intervalOf(rounds.map(({ ones: [a, b] }) => b[key] / a[key]));
    const overlap = ratio.low <= noise.high && noise.low <= ratio.high;
    return { key, ratio, noise, within: overlap || (ratio.low <= 1 && 1 <= ratio.high) };
  });
}

/** @param {number[]} ratios one for each round @returns {Interval} */
function intervalOf(ratios) {
  const { mean, low, high } = /** @type {NonNullable<ReturnType<typeof intervalOfLogs>>} */ (
    intervalOfLogs(ratios.map(Math.log))
  );
  return { estimate: Math.exp(mean), low: Math.exp(low), high: Math.exp(high) };
}
