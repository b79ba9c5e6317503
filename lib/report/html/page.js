import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import GithubSlugger from 'github-slugger';
import { Marked } from 'marked';
import { drawChart, escaped } from '../charts/draw.js';
import { CHART_STYLE } from '../charts/file.js';
import { compiledBeside } from '../template.js';

/** @import { Chart } from '../charts/ladder.js' */

/** Turns the page of a run into one file that needs nothing else: its Markdown, with charts to be asked. */

const FILE = compiledBeside(import.meta.url, 'file.hbs');
/** What every page has. */
const STYLE = CHART_STYLE + styleOf('html/style.css');
const SCRIPT = ['../format.js', 'charts/draw.js', 'html/client.js'].map(scriptOf).join('');

/** @param {string} file below lib/report @returns {string} */
function read(file) {
  return readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
}

/** @param {string} file @returns {string} without what a page, in which all scripts stand one after the other, cannot import */
function scriptOf(file) {
  return read(file)
    .replace(/^import .*;\n/gm, '')
    .replace(/^export (?=function|const)/gm, '')
    .replace(/^ *\/\*\*(?:(?!\*\/).)*\*\/\n/gms, '');
}

/** @param {string} file @returns {string} on one line */
function styleOf(file) {
  return read(file).replace(/\s*\n\s*/g, ' ');
}

/**
 * @param {{title: string, page: string, charts: Chart[]}} run `page`: its Markdown
 * @returns {string} HTML; the same bytes for the same run
 */
export function renderHtml({ title, page, charts }) {
  return htmlFile({ title, body: bodyOf(page, charts) });
}

/**
 * @param {{title: string, body: string, scripts?: string[], styles?: string[]}} page files below lib/report, beyond those of
 *   every page
 * @returns {string} one file that loads nothing
 */
export function htmlFile({ title, body, scripts = [], styles = [] }) {
  const css = STYLE + styles.map(styleOf).join('');
  const script = SCRIPT + scripts.map(scriptOf).join('');
  const hashes = [css, script].map((text) => createHash('sha256').update(text).digest('base64'));
  return FILE({ title: escaped(title), css, body, script, hashes });
}

/**
 * @param {string} markdown
 * @param {Chart[]} charts
 * @returns {string} HTML
 */
function bodyOf(markdown, charts) {
  const slugger = new GithubSlugger();
  const marked = new Marked({
    renderer: {
      // Ours are the pictures and what is folded; whatever else looks like HTML is text.
      html({ text }) {
        if (/^<details>\n<summary><b>[^<]*<\/b><\/summary>\s*$|^<\/details>\s*$/.test(text)) return text;
        const files = [...text.matchAll(/^<img src="charts\/([^"/]+)" alt="[^"]*">$/gm)].map((m) => m[1]);
        const own = files.flatMap((file) => charts.find((c) => c.file === file) ?? []);
        if (own.length === 0 || own.length !== text.trim().split('\n').length) return escaped(text);
        return `<div class="charts">${own.map(figureOf).join('\n')}</div>\n`;
      },
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${slugger.slug(inner.replace(/<[^>]*>|&\w+;|&#\d+;/g, ''))}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const to = targetOf(href);
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
      .replace(/<th(?=[ >])/g, '<th scope=col')
      // What HTML lets be left out: most of a page are cells.
      .replace(/<\/t[dh]>\n/g, '')
      // As a sign, not by its name: the data of a chart is no HTML.
      .replace(/(?<=\d) %/g, '\u00a0%')
  );
}

/**
 * @param {string} href
 * @returns {string | null} where it leads within this file, a file beside it, or the web; null where it may not lead
 */
function targetOf(href) {
  const [, file, place] = /^([^#]*)#?(.*)$/s.exec(href) ?? [];
  if (file === 'README.md') return place ? `#${place}` : '#';
  if (file === '') return `#${place}`;
  // Of another run as well the page that a browser shows.
  const beside = /^(\.\.\/[\w@][\w@.-]*\/)README\.md(#[\w-]*)?$/.exec(href);
  if (beside) return `${beside[1]}report.html${beside[2] ?? ''}`;
  return /^https?:\/\//.test(href) || /^(?:\.\.?\/)*[\w@-][\w@./-]*(?:#[\w-]*)?$/.test(href) ? href : null;
}

/** @param {Chart} chart @returns {string} drawn as it begins, with what it is drawn from */
function figureOf({ model }) {
  // Of a figure what is drawn, as closely as anybody sees.
  const drawn = (/** @type {string} */ key, /** @type {unknown} */ value) => {
    if (key === 'why' || key === 'byRepeat') return undefined;
    return typeof value === 'number' ? Number(value.toPrecision(5)) : value;
  };
  const data = JSON.stringify(model, drawn).replaceAll('<', '\\u003c');
  const scale = `<button type="button" class="scale" aria-pressed="${model.log}" hidden>log scale</button>`;
  return `<figure aria-label="${escaped(model.title)}"><div class="plot">${drawChart(model)}</div>
${model.kind === 'ratios' ? '' : scale}<script type="application/json">${data}</script></figure>`;
}
