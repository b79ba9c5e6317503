import { markdownLine, markdownTable } from './table.js';
import { chartText } from './template.js';
import { titleOfRun } from './words.js';

/**
 * @import { Plan } from '../types.d.ts'
 * @import { Chart } from './charts/ladder.js'
 * @import { Run } from './run.js'
 * @import { Table } from './table.js'
 */

/**
 * A part of the report, in the order in which it is read. All text is Markdown.
 * @typedef {object} Section
 * @property {string} [title] one without is part of what stands before it
 * @property {boolean} [folded] whether a reader has to ask for it: its title is always seen
 * @property {string[]} [intro] paragraphs
 * @property {Chart[]} [charts]
 * @property {Table[]} [tables]
 * @property {string[]} [notes] items of a list
 * @property {(Section | null)[]} [parts] null: one that has nothing to show
 * @property {string} [pageTitle] of the page, where it is not who is compared
 * @property {string} [text] Markdown of a template, in which its charts and tables stand
 */

/**
 * What the templates place on the page.
 * @param {Run} run
 * @param {Section[]} sections
 * @param {string | null} [warning] Markdown, before all else
 */
export function viewOf({ plan }, sections, warning = null) {
  return {
    title: markdownLine(sections[0]?.pageTitle ?? titleOfRun(plan)),
    subtitle: warning,
    sections: sections.map((section) => sectionView(section, '##')),
  };
}

/**
 * @param {Section} section
 * @param {string} level `##`
 * @returns {any} the same with tables as text, and nothing missing
 */
function sectionView(section, level) {
  const { title, folded = false, text = null, parts = [] } = section;
  // What stands in the text of a template does not stand beside it, too.
  const { intro = [], charts = [], tables = [], notes = [] } = text === null ? section : {};
  const head = title === undefined ? null : markdownLine(title);
  return {
    text,
    summary: folded ? head : null,
    heading: head === null || folded ? null : `${level} ${head}`,
    intro: intro.map(markdownLine),
    charts: charts.map(chartText).join('\n'),
    tables: tables.map((t) => ({
      caption: t.caption ? markdownLine(t.caption) : null,
      text: markdownTable(t),
    })),
    notes: notes.map(markdownLine),
    parts: parts.flatMap((part) =>
      part ? sectionView(part, title === undefined ? level : `${level}#`) : [],
    ),
  };
}
