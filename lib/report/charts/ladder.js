import { isUserStep } from '../steps.js';
import { titleOf } from '../words.js';
import { drawSvg, PALETTE, THEME } from './svg.js';

/**
 * @import { Row } from '../../record/figures.js'
 * @import { Plan } from '../../types.d.ts'
 */

/**
 * @typedef {object} Chart
 * @property {string} file name under charts/
 * @property {string} alt what it shows, in words
 * @property {string} svg
 */

/**
 * Throughput, and p50 with p99, against virtual users: one pair of charts for each operation of each workload.
 * @param {Plan} plan
 * @param {Row[]} rows
 * @returns {Chart[]} none where fewer than two closed steps without pipelining have figures
 */
export function chartsOf(plan, rows) {
  const systems = plan.systems.filter((s) => s.role === 'system').map((s) => s.id);
  const drawable = rows.filter((r) => isLadderRow(plan, r) && r.ratePerSec !== null);
  const keyOf = (/** @type {Row} */ r) =>
    [r.workload, r.transport, r.operation, r.step.case ?? ''].join('\n');
  const keys = [...new Set(drawable.map(keyOf))];
  return keys.flatMap((key) => {
    const [workload, transport, operation, which] = key.split('\n');
    const own = drawable.filter((r) => keyOf(r) === key);
    if (new Set(own.map((r) => r.step.vus)).size < 2) return [];
    const name = [workload, transport, operation, which].filter(Boolean).join('-');
    const title = which ? `${operation}, ${which}` : operation;
    return [throughputChart(name, title, own, systems, plan), latencyChart(name, title, own, systems, plan)];
  });
}

/**
 * @param {Plan} plan
 * @param {Row} row
 */
function isLadderRow(plan, row) {
  return (
    isUserStep(row) &&
    isUsualDrive(plan, row) &&
    row.operation !== '' &&
    !row.received &&
    !isRepeated(plan, row.step)
  );
}

/**
 * @param {Plan} plan
 * @param {Row} row
 * @returns {boolean} the drive of the profile, or the workload's only one
 */
function isUsualDrive(plan, row) {
  const only = plan.workloads.find((w) => w.id === row.workload)?.drive;
  return [undefined, plan.profile.drive, only].includes(row.step.drive);
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

/**
 * @param {string} name
 * @param {string} operation
 * @param {Row[]} rows
 * @param {string[]} systems
 * @param {Plan} plan
 * @returns {Chart}
 */
function throughputChart(name, operation, rows, systems, plan) {
  const series = systems.flatMap((id) => {
    const own = rows.filter((r) => r.system === id);
    return own.length === 0
      ? []
      : [line(titleOf(plan, id), colour(systems, id), own, (r) => r.ratePerSec?.median)];
  });
  const ceiling = rows.filter(
    (r, i) => r.ceilingPerSec !== null && rows.findIndex((x) => x.step.id === r.step.id) === i,
  );
  if (ceiling.length > 1) {
    series.push({
      ...line('generator’s ceiling', THEME.text[0], ceiling, (r) => r.ceilingPerSec?.median),
      symbol: 'none',
    });
    series[series.length - 1].lineStyle = { type: 'dotted', width: 1.5, color: THEME.text[0] };
  }
  return {
    file: `${name}-throughput.svg`,
    alt: `${operation}: throughput against virtual users`,
    svg: drawSvg(`${operation}: throughput`, 'operations/s', 'value', series),
  };
}

/**
 * @param {string} name
 * @param {string} operation
 * @param {Row[]} rows
 * @param {string[]} systems
 * @param {Plan} plan
 * @returns {Chart}
 */
function latencyChart(name, operation, rows, systems, plan) {
  const series = systems.flatMap((id) => {
    const own = rows.filter((r) => r.system === id);
    if (own.length === 0) return [];
    const p99 = line(titleOf(plan, id), colour(systems, id), own, (r) => r.serviceMs.p99?.median);
    const p50 = line(titleOf(plan, id), colour(systems, id), own, (r) => r.serviceMs.p50?.median);
    p50.lineStyle = { type: 'dashed', width: 1.5, color: colour(systems, id) };
    return [p99, p50];
  });
  return {
    file: `${name}-latency.svg`,
    alt: `${operation}: p50 and p99 of the service time against virtual users`,
    svg: drawSvg(`${operation}: service time, p99 (solid) and p50 (dashed)`, 'ms', 'log', series),
  };
}

/**
 * A point whose figure is a lower bound, or doubtful in another way, is drawn hollow.
 * @param {string} name
 * @param {string} color
 * @param {Row[]} rows
 * @param {(row: Row) => number | null | undefined} read
 * @returns {any}
 */
function line(name, color, rows, read) {
  const data = [...rows]
    .sort((a, b) => a.step.vus - b.step.vus)
    .map((row) => ({
      value: [row.step.vus, read(row) ?? '-'],
      itemStyle: row.rankable ? { color } : { color: THEME.back[0], borderColor: color, borderWidth: 2 },
    }));
  return { name, type: 'line', data, symbolSize: 8, lineStyle: { width: 2, color }, itemStyle: { color } };
}

/**
 * @param {string[]} systems
 * @param {string} id
 */
function colour(systems, id) {
  return PALETTE[systems.indexOf(id) % PALETTE.length];
}
