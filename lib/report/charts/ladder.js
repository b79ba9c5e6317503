import { TOGETHER } from '../../record/figures.js';
import { marksOf } from './marks.js';

/**
 * @import { Figure } from '../../record/figure.js'
 * @import { Row } from '../../record/figures.js'
 * @import { Load } from '../matrix/families.js'
 * @import { Plan } from '../../types.d.ts'
 * @import { Model } from './draw.js'
 */

/** @typedef {{file: string, model: Model}} Chart */

/** Numbers further apart than this many times stand on a logarithmic scale. */
export const LOG_FROM = 25;

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
  const systems = plan.systems.map((s) => s.id).filter((id) => rows.some((r) => r.system === id));
  const places = [...new Set(rows.map((r) => r.step.vus))].sort((a, b) => a - b);
  return overUsers(plan, {
    title: [`${operation} over ${transport}`, which],
    name: [facts.id, transport, operation, which],
    ...{ systems, places },
    rowAt: (id, place) => rows.find((r) => r.system === id && r.step.vus === places[place]),
  })
    .filter(({ what }) => !(paused && what === 'throughput'))
    .filter(({ model }) => model.series.some(({ points }) => points.filter(Boolean).length > 1));
}

/** What is drawn of a ladder. */
const DRAWN = Object.freeze([
  { what: 'throughput', unit: 'op/s', read: (/** @type {Row} */ r) => r.ratePerSec },
  { what: 'p99', unit: 'ms', read: (/** @type {Row} */ r) => r.serviceMs.p99 },
]);

/**
 * @param {Plan} plan
 * @param {{title: (string | undefined)[], name: (string | undefined)[], systems: string[], places: number[],
 *   rowAt: (system: string, place: number) => Row | undefined}} ladder `places`: numbers of users, of which `rowAt` is given
 *   the index; parts of title and name that are not there are left out
 * @returns {(Chart & {what: string})[]}
 */
function overUsers(plan, { title, name, systems, places, rowAt }) {
  const markOf = marksOf(plan);
  const parts = name.filter(Boolean).join('-').toLowerCase();
  return DRAWN.map(({ what, unit, read }) => ({
    what,
    file: `${parts.replace(/[^a-z0-9]+/g, '-')}-${what}.svg`,
    model: {
      kind: /** @type {const} */ ('lines'),
      title: `${title.filter(Boolean).join(', ')}: ${what}`,
      unit,
      log: true,
      name: 'users',
      places,
      series: systems.map((id) => ({
        ...markOf(id),
        points: places.map((_, place) => {
          const row = rowAt(id, place);
          return row ? read(row) : null;
        }),
      })),
    },
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
