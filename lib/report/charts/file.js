import { readFileSync } from 'node:fs';
import { drawChart } from './draw.js';

/** @import { Model } from './draw.js' */

const CSS = readFileSync(new URL('chart.css', import.meta.url), 'utf8');
/** Style of every chart, as small as it gets: each file has it. */
export const CHART_STYLE = CSS.replace(/\s*([\s{}:;,])\s*/g, '$1').replaceAll(';}', '}');

/**
 * @param {Model} model
 * @returns {string} the chart as a file of its own
 */
export function chartFile(model) {
  const [open, rest] = drawChart(model).split(/(?<=^[^>]*>)/s);
  return `${open}<style>${CHART_STYLE}</style><rect class="back" width="100%" height="100%"/>${rest}\n`;
}
