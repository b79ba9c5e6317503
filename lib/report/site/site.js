import { gzipSync } from 'node:zlib';
import { htmlFile } from '../html/page.js';
import { compiledBeside } from '../template.js';

/** @import { ResultsIndex } from '../../types.d.ts' */

const BODY = compiledBeside(import.meta.url, 'page.hbs', { noEscape: false });

/**
 * @param {[value: string, text: string][]} all
 * @returns {{value: string, text: string}[]} each value once, by its text
 */
function choicesOf(all) {
  const sorted = [...new Map(all)].sort(([, a], [, b]) => a.localeCompare(b));
  return sorted.map(([value, text]) => ({ value, text }));
}

/**
 * The results site: one file, which loads nothing from elsewhere.
 * @param {ResultsIndex} index
 * @returns {string} HTML; the same bytes for the same index
 */
export function siteHtml(index) {
  const { runs, unmeasured } = index;
  const page = BODY({
    jobs: choicesOf(runs.flatMap((r) => r.workloads.map(({ id, title }) => [id, title]))),
    systems: choicesOf(runs.flatMap((r) => r.systems.map(({ id, title }) => [id, title]))),
    machines: choicesOf(runs.map(({ machine }) => [machine, machine])),
    engines: choicesOf(runs.map(({ engine }) => [engine, engine])),
    unmeasured: unmeasured.map((system) => ({ ...system, workloads: system.workloads.join(', ') })),
  });
  // Packed: a hundred runs are some 100 kB then; and no text of a run can be taken for HTML.
  const data = gzipSync(JSON.stringify(index), { level: 9 }).toString('base64');
  const body = `${page}<template id="data">${data}</template>\n`;
  return htmlFile({ title: 'Results', body, scripts: ['site/client.js'], styles: ['site/site.css'] });
}
