import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { htmlFile, scriptOf } from '../html/page.js';

/** @import { ResultsIndex } from '../../types.d.ts' */

const read = (/** @type {string} */ name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const BODY = read('page.html');
const STYLE = read('site.css');
const SCRIPT = scriptOf(['../format.js', 'charts/draw.js', 'site/client.js']);

/**
 * The results site: one file, which loads nothing from elsewhere.
 * @param {ResultsIndex} index
 * @returns {string} HTML; the same bytes for the same index
 */
export function siteHtml(index) {
  // Packed: a hundred runs are some 100 kB then; and no text of a run can be taken for HTML.
  const data = gzipSync(JSON.stringify(index), { level: 9 }).toString('base64');
  const body = `${BODY}<template id="data">${data}</template>\n`;
  return htmlFile({ title: 'Results', body, style: STYLE, script: SCRIPT });
}
