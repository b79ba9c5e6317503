import { colorsOf } from '../../charts/colors.js';
import { drawLines } from '../../charts/lines.js';
import { linesModel } from '../../charts/model.js';
import { titleOf } from '../../words.js';
import { MIB } from './table.js';

/**
 * @import { Plan, SoakResult } from '../../../types.d.ts'
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Soaked } from '../../../record/soaks.js'
 */

const NAME = 'minutes';

/**
 * Memory, and the p99, of all systems over the time of the soak, beside each other.
 * @param {Plan} plan
 * @param {Soaked[]} soaks of one workload
 * @returns {Chart[]}
 */
export function soakCharts(plan, soaks) {
  const { workload } = soaks[0].cell;
  const ways = [
    { what: 'memory', unit: 'MiB', value: (/** @type {Point} */ p) => p.rssBytes && p.rssBytes / MIB },
    { what: 'p99', unit: 'ms', value: (/** @type {Point} */ p) => p.p99Ms },
  ];
  return ways.flatMap(({ what, unit, value }) => {
    const title = `${workload}: ${what} during the soak`;
    const series = seriesOf(plan, soaks, value);
    if (series.every((s) => s.points.length < 2)) return [];
    return [
      {
        file: `${workload}-${what}-over-time.svg`,
        alt: title,
        svg: drawLines({ title, unit, scale: 'value', series, name: NAME }),
        model: linesModel({ title, unit, log: false, name: NAME, series }),
      },
    ];
  });
}

/** @typedef {NonNullable<SoakResult['points']>[number]} Point */

/**
 * @param {Plan} plan
 * @param {Soaked[]} soaks
 * @param {(point: Point) => number | null} value
 * @returns {import('../../charts/lines.js').LineSeries[]} medians of some stretches that follow each other
 */
function seriesOf(plan, soaks, value) {
  const colors = colorsOf(plan);
  return soaks.map(({ cell, soak: { points = [] } }) => ({
    name: titleOf(plan, cell.system),
    color: String(colors.get(cell.system)),
    points: points.flatMap((p) => {
      const found = value(p);
      if (found === null) return [];
      const middle = Number(found.toFixed(3));
      return [
        {
          x: Number(p.minute.toFixed(2)),
          figure: { median: middle, low: middle, high: middle, bound: null },
        },
      ];
    }),
  }));
}
