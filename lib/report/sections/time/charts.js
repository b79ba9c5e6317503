import { chartsOf } from '../../charts/ladder.js';

/**
 * @import { Plan, SoakResult } from '../../../types.d.ts'
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Soaked } from '../../../record/soaks.js'
 */

/** @typedef {NonNullable<SoakResult['points']>[number]} Point medians of a stretch */

/** What is drawn of a soak. */
const DRAWN = Object.freeze([
  { what: 'memory', unit: 'MiB', read: (/** @type {Point} */ p) => p.rssBytes && p.rssBytes / 2 ** 20 },
  { what: 'p99', unit: 'ms', read: (/** @type {Point} */ p) => p.p99Ms },
]);

/** @param {Point} point */
function minuteOf({ minute }) {
  return Number(minute.toFixed(2));
}

/**
 * Memory, and the p99, of all systems over the time of the soak, beside each other.
 * @param {Plan} plan
 * @param {Soaked[]} soaks of one workload
 * @returns {Chart[]}
 */
export function soakCharts(plan, soaks) {
  const { workload } = soaks[0].cell;
  const minutes = new Set(soaks.flatMap(({ soak }) => (soak.points ?? []).map(minuteOf)));
  const places = [...minutes].sort((a, b) => a - b);
  const systems = soaks.map(({ cell }) => cell.system);
  return DRAWN.flatMap(({ what, unit, read }) =>
    chartsOf(
      plan,
      {
        ...{
          kind: 'lines',
          title: `${workload}: ${what} during the soak`,
          unit,
          log: false,
          name: 'minutes',
        },
        ...{ places, systems, file: [workload, what, 'over', 'time'] },
      },
      (id, place) => {
        const points = soaks.find(({ cell }) => cell.system === id)?.soak.points ?? [];
        const point = points.find((p) => minuteOf(p) === places[place]);
        const found = point ? read(point) : null;
        if (found === null) return null;
        const median = Number(found.toFixed(3));
        return { median, low: median, high: median };
      },
      2,
    ),
  );
}
