import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { drawChart, markOf } from './chart.js';

/** @import { Chart } from '../charts/ladder.js' */

/** Turns the page of a run into one file that needs nothing else: its Markdown, its charts to be asked, its details. */

const read = (/** @type {string} */ name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const STYLE = read('style.css').replace(/\s*\n\s*/g, ' ');
/** A script of the page has nothing to import from: both files stand in it, one after the other. */
const SCRIPT = ['chart.js', 'client.js']
  .map((name) =>
    read(name)
      .replace(/^import .*;\n/gm, '')
      .replace(/^export (?=function)/gm, '')
      .replace(/^ *\/\*\*.*?\*\/\n/gms, ''),
  )
  .join('');

/**
 * @param {{title: string, page: string, details?: string, charts: Pick<Chart, 'file' | 'model' | 'wide'>[]}} run `page` and
 *   `details`: its Markdown
 * @returns {string} HTML; the same bytes for the same run
 */
export function renderHtml({ title, page, details, charts }) {
  // Nothing is loaded, and nothing runs but our own script, whatever a name in the run says.
  const policy = `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${bodyOf(page, '', charts)}
${foldedOf(details, charts)}</main>
<script type="module">${SCRIPT}</script>
</body>
</html>
`;
}

/**
 * @param {string | undefined} details
 * @param {Pick<Chart, 'file' | 'model' | 'wide'>[]} charts
 */
function foldedOf(details, charts) {
  if (details === undefined) return '';
  return `<details id="details">
<summary>Every figure behind it</summary>
${bodyOf(details, 'details-', charts)}
</details>
`;
}

/**
 * @param {string} markdown
 * @param {string} prefix of the names of its headings
 * @param {Pick<Chart, 'file' | 'model' | 'wide'>[]} charts
 * @returns {string} HTML
 */
function bodyOf(markdown, prefix, charts) {
  const names = new Set();
  const marked = new Marked({
    renderer: {
      // Ours are the pictures; whatever else looks like HTML is text.
      html({ text }) {
        const files = [
          ...text.matchAll(/^<img src="charts\/([^"/]+)" alt="[^"]*"(?: width="\d+"| align="right")?>$/gm),
        ].map((m) => m[1]);
        const own = files.flatMap((file) => charts.find((c) => c.file === file) ?? []);
        if (own.length === 0 || own.length !== text.trim().split('\n').length) return escaped(text);
        return `<div class="charts">${own.map(figureOf).join('\n')}</div>\n`;
      },
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${prefix}${slugOf(inner, names)}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const to = targetOf(href, prefix);
        return to === null ? inner : `<a href="${escaped(to)}">${inner}</a>`;
      },
      // A picture from elsewhere would have to be loaded.
      image({ text }) {
        return escaped(text);
      },
    },
  });
  const html = /** @type {string} */ (marked.parse(markdown, { async: false }));
  return (
    html
      .replaceAll('<table>', '<div class="scroll" tabindex="0" role="region" aria-label="table"><table>')
      .replaceAll('</table>', '</table></div>')
      .replace(/<th(?=[ >])/g, '<th scope="col"')
      // As a sign, not by its name: the data of a chart is no HTML.
      .replace(/(?<=\d) %/g, '\u00a0%')
  );
}

/**
 * @param {string} href
 * @param {string} prefix of the page that it stands on
 * @returns {string | null} where it leads within this file, a file beside it, or the web; null where it may not lead
 */
function targetOf(href, prefix) {
  const [, file, place] = /^([^#]*)#?(.*)$/s.exec(href) ?? [];
  if (file === 'details.md') return place ? `#details-${place}` : '#details';
  if (file === 'README.md') return place ? `#${place}` : '#';
  if (file === '') return `#${prefix}${place}`;
  return /^https?:\/\//.test(href) || /^(?:\.\.?\/)*[\w@-][\w@./-]*(?:#[\w-]*)?$/.test(href) ? href : null;
}

/**
 * @param {string} html
 * @param {Set<string>} names that are taken
 * @returns {string} as GitHub names a heading
 */
function slugOf(html, names) {
  const plain = html
    .replace(/<[^>]*>|&\w+;|&#\d+;/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
  let name = plain;
  for (let i = 1; names.has(name); i++) name = `${plain}-${i}`;
  names.add(name);
  return name;
}

/** @param {Pick<Chart, 'model' | 'wide'>} chart @returns {string} drawn as it begins, with what it is drawn from */
function figureOf({ model, wide }) {
  const buttons = model.series.map(
    ({ name, color }, i) =>
      `<button type="button" data-series="${i}" aria-pressed="true"><svg width="14" height="12" aria-hidden="true">${markOf(i, 7, 6, color)}</svg> ${escaped(name)}</button>`,
  );
  const data = JSON.stringify(model).replaceAll('<', '\\u003c');
  return `<figure${wide ? ' class="wide"' : ''} aria-label="${escaped(model.title)}"><figcaption>${escaped(model.title)}</figcaption>
<div>${buttons.join('')}<button type="button" class="scale" aria-pressed="${model.log}" hidden>log scale</button></div>
<div class="plot">${drawChart(model)}</div>
<script type="application/json">${data}</script></figure>`;
}

/** @param {string} text */
function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** @param {string} text */
function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
