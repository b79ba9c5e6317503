import { AXIS, frameOf, newChart, renderOf, SYMBOLS, short, THEME } from './svg.js';

/**
 * @import { Figure } from '../../record/figure.js'
 */

/**
 * @typedef {object} LineSeries
 * @property {string} name
 * @property {string} color
 * @property {{x: number, figure: Pick<Figure, 'median' | 'low' | 'high' | 'bound'>}[]} points
 */

const [TEXT] = THEME.text;
const [BACK] = THEME.back;
const WHISKER = 4;
export const USERS = 'users (steps, not to scale)';

/**
 * Lines over users, or minutes, with the interval of each point as a whisker; a hollow point is a bound. The same input
 * gives the same bytes.
 * @param {{title: string, unit: string, scale: 'value' | 'log', series: LineSeries[], name?: string}} chart `name`: what
 *   runs along
 * @returns {string}
 */
export function drawLines({ title, unit, scale, series, name = USERS }) {
  const chart = newChart();
  const places = [...new Set(series.flatMap((s) => s.points.map((p) => p.x)))].sort((a, b) => a - b);
  const hollow = series.some((s) => s.points.some((p) => p.figure.bound !== null));
  chart.setOption({
    animation: false,
    backgroundColor: BACK,
    textStyle: { fontFamily: 'system-ui, sans-serif', color: TEXT },
    ...frameOf(
      title,
      series.map((s) => s.name),
    ),
    xAxis: {
      ...AXIS,
      type: 'category',
      data: places.map(String),
      name: `${name}${hollow ? '; hollow: a bound' : ''}`,
      nameLocation: 'middle',
      nameGap: 30,
      splitLine: { show: false },
    },
    yAxis: {
      ...AXIS,
      type: scale,
      name: unit,
      nameGap: 10,
      axisLabel: { ...AXIS.axisLabel, formatter: short },
    },
    series: [...series.map((s, i) => lineOf(s, i)), ...series.map(whiskersOf)],
  });
  return renderOf(chart);
}

/**
 * @param {LineSeries} series
 * @param {number} index
 */
function lineOf({ name, color, points }, index) {
  return {
    name,
    type: 'line',
    symbol: SYMBOLS[index % SYMBOLS.length],
    symbolSize: 8,
    lineStyle: { width: 2, color },
    itemStyle: { color },
    data: sorted(points).map(({ x, figure }) => ({
      value: [String(x), figure.median],
      itemStyle: figure.bound === null ? { color } : { color: BACK, borderColor: color, borderWidth: 2 },
    })),
  };
}

/** @param {LineSeries} series */
function whiskersOf({ name, color, points }) {
  return {
    name,
    type: 'custom',
    silent: true,
    data: sorted(points).flatMap(({ x, figure }) =>
      figure.high > figure.low ? [[String(x), figure.low, figure.high]] : [],
    ),
    encode: { x: 0, y: [1, 2] },
    renderItem: (/** @type {any} */ _params, /** @type {any} */ api) => {
      const [x, top] = api.coord([api.value(0), api.value(2)]);
      const bottom = api.coord([api.value(0), api.value(1)])[1];
      const line = (/** @type {number[]} */ [x1, y1, x2, y2]) => ({
        type: 'line',
        shape: { x1, y1, x2, y2 },
        style: { stroke: color, lineWidth: 1.2 },
      });
      return {
        type: 'group',
        children: [
          line([x, top, x, bottom]),
          line([x - WHISKER, top, x + WHISKER, top]),
          line([x - WHISKER, bottom, x + WHISKER, bottom]),
        ],
      };
    },
  };
}

/** @param {LineSeries['points']} points */
function sorted(points) {
  return [...points].sort((a, b) => a.x - b.x);
}
