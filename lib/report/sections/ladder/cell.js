import { figureText, percent, significant } from '../../../format.js';
import { reasonText } from '../../../judge/method.js';

/** @import { Row } from '../../../record/figures.js' */

const LATENCIES = /** @type {const} */ (['mean', 'p50', 'p95', 'p99']);

/** What each cell of a ladder holds. */
export const CELL = `Throughput in op/s · latency in ms: ${LATENCIES.join(' · ')}. \`≥\`: the load generator may have set it, so the system does at least that.`;

/** @param {Row | undefined} row @returns {string} `4820 · 2.1 · 2.0 · 4.4 · 8.0`; why there is none, or why it is not ranked */
export function cellText(row) {
  if (!row) return '–';
  if (row.failure !== null) return `none: ${row.failure}`;
  const { done, failed } = row.tried;
  const parts = [
    figureText(row.ratePerSec),
    ...LATENCIES.map((key) => significant(row.serviceMs[key]?.median)),
    ...(failed > 0 ? [`${percent(failed / (failed + done))} failed`] : []),
  ];
  return `${parts.join(' · ')}${row.quotable ? '' : ` (${reasonText(row.why)})`}`;
}
