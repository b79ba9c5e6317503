import { significant } from '../../format.js';
import { AXIS, frameOf, newChart, renderOf, short, THEME, WIDTH } from './svg.js';

/** Bars further apart than this many times are drawn on a logarithmic scale. */
const LOG_FROM = 25;
const GAPS = Object.freeze({ barGap: '25%', barCategoryGap: '28%' });
const WHISKER = 5;
const MOST_LABELS = 9;
const [TEXT] = THEME.text;
const [BACK] = THEME.back;

/**
 * One bar, hollow where it may not be ranked.
 * @typedef {Pick<import('../../record/figure.js').Figure, 'median' | 'low' | 'high' | 'rankable'> & {n?: number}} Bar
 * @typedef {{name: string, color: string, bars: (Bar | null)[]}} BarSeries by category
 */

/** Of the chart, without its axis of values: px. */
const PLOT = WIDTH - 85;

/**
 * Bars in groups with their intervals as whiskers, or points where the axis is logarithmic; the same input gives the same bytes.
 * @param {{title: string, unit: string, categories: string[], xName?: string, series: BarSeries[]}} chart
 * @returns {string} SVG that reads on light and on dark pages, and has an accessible name
 */
export function drawBars({ title, unit, categories, xName = '', series }) {
  const chart = newChart();
  const scale = scaleOf(series);
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
      data: categories,
      name: xName,
      nameLocation: 'middle',
      nameGap: 32,
      splitLine: { show: false },
      // Names that would run into each other take a second line.
      axisLabel: { ...AXIS.axisLabel, interval: 0, overflow: 'break', width: PLOT / categories.length - 6 },
    },
    yAxis: {
      ...AXIS,
      ...scale,
      name: scale.type === 'log' ? `${unit}, log` : unit,
      nameGap: 12,
      axisLabel: { ...AXIS.axisLabel, formatter: short },
    },
    series: [
      ...series.map((s) => barsOf(s, scale.type === 'log')),
      ...series.map((s, i) => whiskersOf(s, i, series.length, scale.type === 'log')),
    ],
  });
  return renderOf(chart).replace(
    '<svg ',
    `<svg role="img" aria-label="${nameOf(title, unit, categories, series)}" `,
  );
}

/**
 * @param {BarSeries[]} series
 * @returns {{type: 'value' | 'log', min?: number, startValue?: number}} a logarithmic axis, and its bars, begin at a
 *   power of ten below all of them
 */
function scaleOf(series) {
  const all = series.flatMap((s) => s.bars.flatMap((b) => (b && b.median > 0 ? [b] : [])));
  const lowest = Math.min(...all.map((b) => b.median));
  const highest = Math.max(...all.map((b) => b.median));
  if (all.length === 0 || highest / lowest < LOG_FROM) return { type: 'value' };
  const min = 10 ** Math.floor(Math.log10(Math.min(...all.map((b) => b.low || b.median))));
  return { type: 'log', min, startValue: min };
}

/**
 * @param {BarSeries} series
 * @param {boolean} points a bar on a logarithmic axis would have no length that means anything
 */
function barsOf({ name, color, bars }, points) {
  return {
    name,
    type: 'bar',
    ...GAPS,
    itemStyle: { color },
    data: bars.map((bar) =>
      bar === null
        ? '-'
        : {
            value: bar.median,
            itemStyle: points
              ? { color: 'transparent' }
              : bar.rankable
                ? { color }
                : { color: BACK, borderColor: color, borderWidth: 2 },
          },
    ),
  };
}

/**
 * The interval of each bar, and its figure above.
 * @param {BarSeries} series
 * @param {number} index
 * @param {number} count of all series: the bars of a group stand beside each other
 * @param {boolean} points to be drawn in place of bars
 */
function whiskersOf({ name, color, bars }, index, count, points) {
  // Figures that would lie on each other stand in the table only.
  const crowded = bars.length * count > MOST_LABELS;
  return {
    name,
    type: 'custom',
    silent: true,
    z: 10,
    data: bars.flatMap((bar, category) => (bar ? [[category, bar.low, bar.high, bar.median]] : [])),
    encode: { x: 0, y: [1, 2] },
    renderItem: (/** @type {any} */ _params, /** @type {any} */ api) => {
      const [category, low, high, estimate] = [0, 1, 2, 3].map((d) => api.value(d));
      const place = api.barLayout({ ...GAPS, count })[index];
      const [middle, top] = api.coord([category, high]);
      const bottom = api.coord([category, low])[1];
      const x = middle + place.offsetCenter;
      const stroke = { stroke: TEXT, lineWidth: 1.2 };
      const line = (/** @type {number[]} */ [x1, y1, x2, y2]) => ({
        type: 'line',
        shape: { x1, y1, x2, y2 },
        style: stroke,
      });
      const whisker =
        high > low
          ? [
              line([x, top, x, bottom]),
              line([x - WHISKER, top, x + WHISKER, top]),
              line([x - WHISKER, bottom, x + WHISKER, bottom]),
            ]
          : [];
      const label = {
        type: 'text',
        style: {
          text: significant(estimate),
          x,
          y: top - 4,
          align: 'center',
          verticalAlign: 'bottom',
          fontSize: 11,
          fill: TEXT,
        },
      };
      const point = {
        type: 'circle',
        shape: { cx: x, cy: api.coord([category, estimate])[1], r: 4.5 },
        style: bars[category]?.rankable ? { fill: color } : { fill: BACK, stroke: color, lineWidth: 2 },
      };
      return {
        type: 'group',
        children: [...whisker, ...(points ? [point] : []), ...(crowded ? [] : [label])],
      };
    },
  };
}

/**
 * What the chart shows, for whoever hears it read.
 * @param {string} title
 * @param {string} unit
 * @param {string[]} categories
 * @param {BarSeries[]} series
 */
function nameOf(title, unit, categories, series) {
  const groups = categories.map((category, c) => {
    const figures = series.flatMap(({ name, bars }) => {
      const bar = bars[c];
      return bar ? [`${name} ${significant(bar.median)}`] : [];
    });
    return `${category}: ${figures.join(', ') || 'no figure'}`;
  });
  return `${title}, ${unit}. ${groups.join('. ')}.`
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;');
}
