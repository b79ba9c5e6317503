import { TOGETHER } from '../../record/figures.js';
import { titleOf } from '../words.js';
import { colorsOf } from './colors.js';
import { drawLines, USERS } from './lines.js';
import { linesModel } from './model.js';

/**
 * @import { Figure } from '../../record/figure.js'
 * @import { Row } from '../../record/figures.js'
 * @import { Load } from '../matrix/families.js'
 * @import { Plan } from '../../types.d.ts'
 */

/** `model`: what an interactive page draws it from. @typedef {{file: string, alt: string, svg: string, model: import('../html/chart.js').Model, wide?: boolean}} Chart */

/**
 * Throughput and p99 of a workload by its users, beside each other.
 * @param {Plan} plan
 * @param {Load} load
 * @param {Row[]} ladder its steps of users
 * @param {boolean} [paused] whether pauses set the throughput, which is then no picture of a system
 * @returns {Chart[]}
 */
export function chartPair(plan, { facts, transport, which, main }, ladder, paused = false) {
  const rows = ladder.filter((r) => r.ratePerSec !== null && !isRepeated(plan, r.step));
  const operation = main[0].operation === TOGETHER ? facts.title.split(',')[0] : main[0].operation;
  const title = [`${operation} over ${transport}`, which].filter(Boolean).join(', ');
  const name = [facts.id, transport, operation, which]
    .filter(Boolean)
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const colors = colorsOf(plan);
  const systems = plan.systems.map((s) => s.id).filter((id) => rows.some((r) => r.system === id));
  const seriesOf = (/** @type {(row: Row) => Figure | null} */ read) =>
    systems.map((id) => ({
      name: titleOf(plan, id),
      color: String(colors.get(id)),
      points: rows
        .filter((r) => r.system === id)
        .flatMap((r) => {
          const figure = read(r);
          return figure ? [{ x: r.step.vus, figure }] : [];
        }),
    }));
  const charts = [
    {
      what: 'throughput',
      unit: 'op/s',
      scale: /** @type {const} */ ('value'),
      series: seriesOf((r) => r.ratePerSec),
    },
    {
      what: 'p99',
      unit: 'ms, log',
      scale: /** @type {const} */ ('log'),
      series: seriesOf((r) => r.serviceMs.p99),
    },
  ];
  return charts
    .filter(
      ({ what, series }) => !(paused && what === 'throughput') && series.some((s) => s.points.length > 1),
    )
    .map(({ what, unit, scale, series }) => ({
      file: `${name}-${what}.svg`,
      alt: `${title}: ${what} by users`,
      svg: drawLines({ title: `${title}: ${what}`, unit, scale, series }),
      model: linesModel({
        ...{ title: `${title}: ${what}`, unit: unit.replace(', log', ''), log: scale === 'log', series },
        name: USERS,
      }),
    }));
}

/**
 * Of two steps by count with as many users only the last is a point: a line cannot have two at one place.
 * @param {Plan} plan
 * @param {Row['step']} step
 */
function isRepeated(plan, step) {
  const { steps } = plan.profile;
  const later = steps.slice(steps.findIndex((s) => s.id === step.id) + 1);
  return step.operations !== undefined && later.some((s) => s.operations !== undefined && s.vus === step.vus);
}
