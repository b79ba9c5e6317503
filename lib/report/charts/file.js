import { drawChart } from './draw.js';

/** @import { Model } from './draw.js' */

/** Of a light page, and what they become on a dark one. */
const TEXT = ['#1f2328', '#e6edf3'];
const RULE = ['#d1d9e0', '#3d444d'];
const BACK = ['#ffffff', '#0d1117'];
const inTheme = (/** @type {0 | 1} */ i) =>
  `.chart text{fill:${TEXT[i]};stroke:${BACK[i]}}.chart .grid{stroke:${RULE[i]}}.chart .one{stroke:${TEXT[i]}}.chart .back{fill:${BACK[i]}}`;
/** Style of every chart. */
export const CHART_STYLE = `.chart{font:13px -apple-system,Segoe UI,Helvetica,Arial,sans-serif}.chart text{paint-order:stroke;stroke-width:3px}${inTheme(0)}.chart .hit{fill:transparent}@media (prefers-color-scheme:dark){${inTheme(1)}}`;

/**
 * @param {Model} model
 * @returns {string} the chart as a file of its own
 */
export function chartFile(model) {
  const [open, rest] = drawChart(model).split(/(?<=^[^>]*>)/s);
  return `${open}<style>${CHART_STYLE}</style><rect class="back" width="100%" height="100%"/>${rest}\n`;
}
