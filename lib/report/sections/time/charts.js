import { marksOf } from '../../charts/marks.js';
import { MIB } from './soak.js';

/**
 * @import { Plan, SoakResult } from '../../../types.d.ts'
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Soaked } from '../../../record/soaks.js'
 */

/**
 * Memory, and the p99, of all systems over the time of the soak, beside each other.
 * @param {Plan} plan
 * @param {Soaked[]} soaks of one workload
 * @returns {Chart[]}
 */
export function soakCharts(plan, soaks) {
  const { workload } = soaks[0].cell;
  const markOf = marksOf(plan);
  const ways = [
    { what: 'memory', unit: 'MiB', value: (/** @type {Point} */ p) => p.rssBytes && p.rssBytes / MIB },
    { what: 'p99', unit: 'ms', value: (/** @type {Point} */ p) => p.p99Ms },
  ];
  return ways.flatMap(({ what, unit, value }) => {
    const places = [...new Set(soaks.flatMap(({ soak }) => (soak.points ?? []).map(minuteOf)))].sort(
      (a, b) => a - b,
    );
    const series = soaks.map(({ cell, soak: { points = [] } }) => ({
      ...markOf(cell.system),
      points: places.map((minute) => {
        const point = points.find((p) => minuteOf(p) === minute);
        const found = point ? value(point) : null;
        return found === null ? null : pointOf(found);
      }),
    }));
    if (series.every(({ points }) => points.filter(Boolean).length < 2)) return [];
    const title = `${workload}: ${what} during the soak`;
    return [
      {
        file: `${workload}-${what}-over-time.svg`,
        model: { kind: 'lines', title, unit, log: false, name: 'minutes', places, series },
      },
    ];
  });
}

/** @typedef {NonNullable<SoakResult['points']>[number]} Point medians of a stretch */

/** @param {Point} point */
function minuteOf({ minute }) {
  return Number(minute.toFixed(2));
}

/** @param {number} value */
function pointOf(value) {
  const median = Number(value.toFixed(3));
  return { median, low: median, high: median };
}
