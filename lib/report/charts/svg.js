// All of it in one file: the package's own entry is five hundred of them, half a second of every command.
import * as echarts from 'echarts/dist/echarts.esm.min.mjs';

export const SYMBOLS = Object.freeze(['circle', 'rect', 'triangle', 'diamond', 'pin', 'arrow']);
/** Two stand beside each other in the column of a page. */
export const WIDTH = 470;
const HEIGHT = 300;
/** Pixels of the legend: its margin, between items, of an item's symbol and of a character, its top, and from line to line. */
const LEGEND = Object.freeze({ left: 12, gap: 34, symbol: 30, character: 7, top: 38, line: 20 });
/** Of a title: its margin and the sizes of its type, px; width of a character for each px of that. */
const TITLE = Object.freeze({ left: 16, most: 14, least: 11, characterEm: 0.55 });
/** Colours of a light page, and what they become on a dark one. */
export const THEME = Object.freeze({
  text: ['#1f2328', '#e6edf3'],
  line: ['#d1d9e0', '#3d444d'],
  back: ['#ffffff', '#0d1117'],
});

const [TEXT] = THEME.text;
export const AXIS = Object.freeze({
  axisLabel: { color: TEXT, fontSize: 12 },
  nameTextStyle: { color: TEXT, fontSize: 12 },
  axisLine: { lineStyle: { color: THEME.line[0] } },
  splitLine: { lineStyle: { color: THEME.line[0] } },
  minorTick: { show: false },
});

/**
 * @param {string} title
 * @param {string[]} names of the legend
 * @returns {object} title, legend, and the plot's place below them
 */
export function frameOf(title, names) {
  const lines = legendLines(names);
  return {
    title: {
      text: title,
      left: TITLE.left,
      top: 10,
      textStyle: { fontSize: titleSize(title), fontWeight: 600, color: TEXT },
    },
    legend: lines.map((data, i) => ({
      data,
      itemGap: LEGEND.gap,
      top: LEGEND.top + i * LEGEND.line,
      left: LEGEND.left,
      textStyle: { color: TEXT },
      inactiveColor: TEXT,
    })),
    grid: { left: 62, right: 20, top: 86 + (lines.length - 1) * LEGEND.line, bottom: 50 },
  };
}

/**
 * @param {string} title
 * @returns {number} px of its type: a long title is smaller, so that it ends well before the edge
 */
export function titleSize(title) {
  const fits = Math.floor((WIDTH - 4 * TITLE.left) / (title.length * TITLE.characterEm));
  return Math.max(TITLE.least, Math.min(TITLE.most, fits));
}

/** @returns {echarts.ECharts} an empty one, half as wide as a page */
export function newChart() {
  return echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
}

/**
 * @param {echarts.ECharts} chart
 * @returns {string} the chart, which is disposed of
 */
export function renderOf(chart) {
  const svg = chart.renderToSVGString();
  chart.dispose();
  return adaptToDark(withoutCounters(svg));
}

/**
 * The library would break a legend by itself: with an empty line in between, and without telling how many lines it takes.
 * @param {string[]} names
 * @returns {string[][]} names of each line, by the usual width of a character
 */
export function legendLines(names) {
  /** @type {string[][]} */
  const lines = [[]];
  let x = LEGEND.left;
  for (const name of names) {
    const width = LEGEND.symbol + name.length * LEGEND.character;
    if (x > LEGEND.left && x + width > WIDTH - LEGEND.left) {
      lines.push([]);
      x = LEGEND.left;
    }
    lines[lines.length - 1].push(name);
    x += width + LEGEND.gap;
  }
  return lines;
}

/**
 * @param {number} value
 * @returns {string} `120 k`, `9 k`, `0.5`: all numbers of an axis in one way
 */
export function short(value) {
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 1000 ? `${value / 1000} k` : String(value);
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
