import * as echarts from 'echarts';

/**
 * @import { Plan } from '../types.d.ts'
 * @import { Row } from './rows.js'
 */

/** Okabe and Ito's palette for all kinds of colour vision, without its yellow, which is lost on white. */
const PALETTE = Object.freeze(['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#56B4E9', '#E69F00']);
const SYMBOLS = Object.freeze(['circle', 'rect', 'triangle', 'diamond', 'pin', 'arrow']);
const WIDTH = 640;
const HEIGHT = 380;
/** Colours of a light page, and what they become on a dark one. */
const THEME = Object.freeze({
  text: ['#1f2328', '#e6edf3'],
  line: ['#d1d9e0', '#3d444d'],
  back: ['#ffffff', '#0d1117'],
});

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
 * @returns {Chart[]} none where fewer than two closed rungs without pipelining have figures
 */
export function chartsOf(plan, rows) {
  const systems = plan.systems.filter((s) => s.role === 'system').map((s) => s.id);
  const drawable = rows.filter((r) => isLadderRow(plan, r) && r.ratePerSec !== null);
  const keys = [...new Set(drawable.map((r) => [r.workload, r.transport, r.operation].join('\n')))];
  return keys.flatMap((key) => {
    const [workload, transport, operation] = key.split('\n');
    const own = drawable.filter((r) => [r.workload, r.transport, r.operation].join('\n') === key);
    if (new Set(own.map((r) => r.step.vus)).size < 2) return [];
    const name = `${workload}-${transport}-${operation}`;
    return [
      throughputChart(name, operation, own, systems, plan),
      latencyChart(name, operation, own, systems, plan),
    ];
  });
}

/**
 * @param {Plan} plan
 * @param {Row} row
 */
function isLadderRow(plan, row) {
  return (
    row.step.model === 'closed' &&
    (row.step.depth ?? 1) === 1 &&
    (row.step.drive ?? plan.profile.drive) === plan.profile.drive &&
    row.operation !== ''
  );
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
      : [line(titleOf(plan, id), colour(systems, id), own, (r) => r.ratePerSec?.estimate)];
  });
  const ceiling = rows.filter(
    (r, i) => r.ceilingPerSec !== null && rows.findIndex((x) => x.step.id === r.step.id) === i,
  );
  if (ceiling.length > 1) {
    series.push({
      ...line('generator’s ceiling', THEME.text[0], ceiling, (r) => r.ceilingPerSec),
      symbol: 'none',
    });
    series[series.length - 1].lineStyle = { type: 'dotted', width: 1.5, color: THEME.text[0] };
  }
  return {
    file: `${name}-throughput.svg`,
    alt: `${operation}: throughput against virtual users`,
    svg: draw(`${operation}: throughput`, 'operations/s', 'value', series),
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
    const p99 = line(titleOf(plan, id), colour(systems, id), own, (r) => r.serviceMs?.p99);
    const p50 = line(titleOf(plan, id), colour(systems, id), own, (r) => r.serviceMs?.p50);
    p50.lineStyle = { type: 'dashed', width: 1.5, color: colour(systems, id) };
    return [p99, p50];
  });
  return {
    file: `${name}-latency.svg`,
    alt: `${operation}: p50 and p99 of the service time against virtual users`,
    svg: draw(`${operation}: service time, p99 (solid) and p50 (dashed)`, 'ms', 'log', series),
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
      value: [row.step.vus, read(row)],
      itemStyle:
        row.status === 'VALID' ? { color } : { color: THEME.back[0], borderColor: color, borderWidth: 2 },
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

/**
 * @param {Plan} plan
 * @param {string} id
 */
function titleOf(plan, id) {
  return plan.systems.find((s) => s.id === id)?.title ?? id;
}

/**
 * @param {string} title
 * @param {string} unit
 * @param {'value' | 'log'} scale
 * @param {any[]} series
 * @returns {string}
 */
function draw(title, unit, scale, series) {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  const [text] = THEME.text;
  const axis = {
    axisLabel: { color: text, fontSize: 12 },
    nameTextStyle: { color: text, fontSize: 12 },
    axisLine: { lineStyle: { color: THEME.line[0] } },
    splitLine: { lineStyle: { color: THEME.line[0] } },
    minorTick: { show: false },
  };
  const users = [...new Set(series.flatMap((s) => s.data.map((/** @type {any} */ d) => d.value[0])))].sort(
    (a, b) => a - b,
  );
  chart.setOption({
    animation: false,
    backgroundColor: THEME.back[0],
    textStyle: { fontFamily: 'system-ui, sans-serif', color: text },
    title: { text: title, left: 16, top: 10, textStyle: { fontSize: 15, fontWeight: 600, color: text } },
    legend: {
      data: [...new Set(series.map((s) => s.name))],
      itemGap: 34,
      top: 38,
      left: 12,
      textStyle: { color: text },
      inactiveColor: text,
    },
    grid: { left: 72, right: 28, top: 92, bottom: 56 },
    xAxis: {
      ...axis,
      type: 'category',
      data: users.map(String),
      name: 'virtual users',
      nameLocation: 'middle',
      nameGap: 32,
      splitLine: { show: false },
    },
    yAxis: {
      ...axis,
      type: scale,
      name: unit,
      nameGap: 12,
      axisLabel: { ...axis.axisLabel, formatter: short },
    },
    series: series.map((s) => ({
      symbol: SYMBOLS[PALETTE.indexOf(s.itemStyle.color) % SYMBOLS.length],
      ...s,
      data: s.data.map((/** @type {any} */ d) => ({ ...d, value: [String(d.value[0]), d.value[1]] })),
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return adaptToDark(withoutCounters(svg));
}

/**
 * @param {number} value
 * @returns {string} `120 k`, `0.5`
 */
function short(value) {
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 10_000 ? `${value / 1000} k` : String(value);
}

/**
 * The library numbers its charts and styles within a process; the same chart must be the same bytes.
 * @param {string} svg
 */
function withoutCounters(svg) {
  /** @type {Map<string, string>} */
  const names = new Map();
  return svg.replace(/zr\d+-[a-z]+-?\d*/g, (id) => {
    if (!names.has(id)) names.set(id, `chart-${names.size}`);
    return /** @type {string} */ (names.get(id));
  });
}

/**
 * @param {string} svg
 * @returns {string} with the colours that a dark page gets
 */
function adaptToDark(svg) {
  const rules = Object.values(THEME).flatMap(([light, dark]) =>
    [light, rgb(light)].flatMap((c) => [`[fill="${c}"]{fill:${dark}}`, `[stroke="${c}"]{stroke:${dark}}`]),
  );
  const style = `<style>@media (prefers-color-scheme: dark){${rules.join('')}}</style>`;
  return `${svg.replace(/(<svg[^>]*>)/, `$1\n${style}`)}\n`;
}

/** @param {string} hex */
function rgb(hex) {
  const n = Number.parseInt(hex.slice(1), 16);
  return `rgb(${n >> 16},${(n >> 8) & 255},${n & 255})`;
}
