import { TOGETHER } from '../../figures/rows.js';
import { marksOf } from './marks.js';

/**
 * @import { Figure } from '../../figures/figure.js'
 * @import { Row } from '../../figures/rows.js'
 * @import { Load } from '../matrix/families.js'
 * @import { Plan } from '../../types.d.ts'
 * @import { Model, Point } from './draw.js'
 */

/** @typedef {{file: string, model: Model}} Chart */

/** Numbers further apart than this many times stand on a logarithmic scale. */
const LOG_FROM = 25;

/**
 * Every chart of systems over places: users, minutes, workloads.
 * @param {Plan} plan
 * @param {Omit<Model, 'series' | 'log'> & {file: string[], log?: boolean, systems: string[]}} chart `file`: what its name is
 *   made of; `log`: where it is not the figures that tell
 * @param {(system: string, place: number) => Point | null | undefined} read by the index of a place
 * @returns {Chart[]} none where fewer than `least` places of every system have a figure
 */
export function chartsOf(plan, { file, systems, log, ...model }, read, least = 1) {
  const markOf = marksOf(plan);
  const series = systems.map((id) => ({
    ...markOf(id),
    points: model.places.map((_, place) => read(id, place) ?? null),
  }));
  const known = series.map(({ points }) => points.flatMap((p) => p ?? []));
  if (known.every((points) => points.length < least)) return [];
  const values = known.flat().flatMap(({ median }) => (median > 0 ? [median] : []));
  const name = file.filter(Boolean).join('-').toLowerCase();
  return [
    {
      file: `${name.replace(/[^a-z0-9]+/g, '-')}.svg`,
      model: { ...model, log: log ?? Math.max(...values) / Math.min(...values) >= LOG_FROM, series },
    },
  ];
}

/**
 * Lines of several metrics over the same places, a chart each.
 * @template T
 * @param {Plan} plan
 * @param {readonly {what: string, unit: string, name?: string, read: (at: T) => Point | null}[]} drawn `name`: in that of
 *   the file, where it is another
 * @param {Pick<Model, 'title' | 'name' | 'places' | 'log'> & {file: string[], systems: string[]}} chart without what is drawn
 * @param {(system: string, place: number) => T | null | undefined} find by the index of a place
 * @returns {Chart[]}
 */
export function lineCharts(plan, drawn, { title, file, ...chart }, find) {
  return drawn.flatMap(({ what, unit, name = what, read }) => {
    const own = { ...chart, kind: /** @type {const} */ ('lines'), title: `${title}: ${what}`, unit };
    const readAt = (/** @type {string} */ id, /** @type {number} */ place) => {
      const at = find(id, place);
      return at && read(at);
    };
    return chartsOf(plan, { ...own, file: [...file, name] }, readAt, 2);
  });
}

/** What is drawn of a ladder. */
const DRAWN = Object.freeze([
  { what: 'throughput', unit: 'op/s', read: (/** @type {Row} */ r) => r.ratePerSec },
  { what: 'p99', unit: 'ms', read: (/** @type {Row} */ r) => r.serviceMs.p99 },
]);

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
  const own = main[0]?.operation ?? TOGETHER;
  const operation = own === TOGETHER ? facts.title : own;
  const systems = plan.systems.map((s) => s.id).filter((id) => rows.some((r) => r.system === id));
  const places = [...new Set(rows.map((r) => r.step.vus))].sort((a, b) => a - b);
  const title = [`${operation} over ${transport}`, which].filter(Boolean).join(', ');
  const file = [facts.id, transport, operation, which];
  return lineCharts(
    plan,
    paused ? DRAWN.slice(1) : DRAWN,
    { title, file, log: true, name: 'users', places, systems },
    (id, place) => rows.find((r) => r.system === id && r.step.vus === places[place]),
  );
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
