import { cellsOf, plainText } from './table.js';
import { linesOfText, markdownWidth, textWidth } from './text-width.js';

/**
 * @import { Section } from './view.js'
 * @import { Table } from './table.js'
 */

/** Height of a screen, px, and how many of them a reader goes through; what is beyond goes into the details. */
export const SCREEN = 900;
export const SCREENS = 6;
/** Charts of a report. */
const MOST_CHARTS = 12;
/** Of GitHub's column and type, measured: px. */
export const COLUMN = 948;
const LINE = 24;
const ROW = 37;
const PADDING = 27;
/** Lines that are broken between words are not filled. */
const RAGGED = 1.15;
/** Of the items of a list. */
const INDENT = 32;
/** Between a picture and the words beside it, and between two paragraphs. */
const BESIDE = 20;
const APART = 16;

/**
 * What fits on the page stays there, in its order; the rest moves into the details, part by part.
 * @param {Section[]} page wanted on it, most important first
 * @param {Section[]} details
 * @returns {{page: Section[], details: Section[]}}
 */
export function fitted(page, details) {
  // A paragraph that leads to the rest.
  let room = SCREENS * SCREEN - 300;
  let charts = MOST_CHARTS;
  /** @type {Section[]} */
  const kept = [];
  /** @type {Section[]} */
  const moved = [];
  const place = (
    /** @type {Section} */ section,
    /** @type {Section[]} */ into,
    /** @type {Section[]} */ out,
  ) => {
    const drawn = { ...section, charts: (section.charts ?? []).slice(0, charts) };
    const parts = (section.parts ?? []).flatMap((p) => p ?? []);
    const own = heightOf({ ...drawn, parts: [] });
    if (own > room) {
      out.push({ ...section, charts: [] });
      return;
    }
    room -= own;
    charts -= drawn.charts.length + (drawn.beside ? 1 : 0);
    /** @type {Section[]} */
    const stay = [];
    /** @type {Section[]} */
    const leave = [];
    for (const part of parts) place(part, stay, leave);
    into.push({ ...drawn, parts: stay });
    if (leave.length > 0) out.push({ title: section.title, parts: leave });
  };
  for (const section of page) place(section, kept, moved);
  return { page: kept, details: [...moved, ...details] };
}

/**
 * @param {Section} section
 * @returns {number} px that it takes, a little more rather than less
 */
export function heightOf({ title, beside, intro = [], charts = [], tables = [], notes = [], parts = [] }) {
  const halves = charts.filter((c) => !c.wide).length;
  return (
    (title === undefined ? 0 : 70) +
    introHeight(intro, beside) +
    Math.ceil(halves / 2) * 310 +
    charts.filter((c) => c.wide).reduce((sum, chart) => sum + sizeOf(chart).height + 10, 0) +
    tables.reduce((sum, t) => sum + tableHeight(t), 0) +
    notes.reduce(
      (sum, text) => sum + linesOfText(text, COLUMN - INDENT) * LINE + 4,
      notes.length > 0 ? 16 : 0,
    ) +
    parts.reduce((sum, part) => sum + (part ? heightOf(part) : 0), 0)
  );
}

/**
 * @param {string[]} paragraphs
 * @param {Section['beside']} chart that they flow around
 * @returns {number}
 */
function introHeight(paragraphs, chart) {
  const picture = chart ? sizeOf(chart) : { width: 0, height: 0 };
  const narrow = COLUMN - picture.width - BESIDE;
  const height = paragraphs.reduce((above, text) => {
    const widthOf = (/** @type {number} */ line) => (above + line * LINE < picture.height ? narrow : COLUMN);
    return above + linesOfText(text, widthOf) * LINE + APART;
  }, 0);
  return Math.max(height, picture.height);
}

/** @param {{svg: string}} chart @returns {{width: number, height: number}} px */
export function sizeOf({ svg }) {
  const [width, height] = ['width', 'height'].map((name) =>
    Number(new RegExp(` ${name}="(\\d+)"`).exec(svg)?.[1]),
  );
  return { width, height };
}

/**
 * As a browser lays it out.
 * @param {Table} table
 * @returns {number}
 */
function tableHeight(table) {
  const lines = [
    table.columns.map(({ head }) => `**${head}**`),
    ...cellsOf(table).map((cells) => cells.map(markedText)),
  ];
  const widest = (/** @type {(markdown: string) => number} */ read) =>
    table.columns.map((_, i) => Math.max(...lines.map((l) => read(l[i]))) + PADDING);
  const least = widest((markdown) => {
    const bold = markdown.startsWith('**');
    const words = markdown.replaceAll('**', '').split(/[ -]/);
    return Math.max(...words.map((word) => textWidth(word, bold)));
  });
  const most = widest(markdownWidth);
  const sum = (/** @type {number[]} */ all) => all.reduce((x, y) => x + y, 0);
  // Each column has room for its longest word; what is left is shared by what else stands in it.
  const share = Math.min(1, Math.max(0, (COLUMN - sum(least)) / Math.max(1, sum(most) - sum(least))));
  const widths = least.map((w, i) => w + (most[i] - w) * share);
  const linesOf = (/** @type {number} */ text, /** @type {number} */ room) =>
    text <= room + 0.1 ? 1 : Math.ceil((text * RAGGED) / room);
  const rowLines = (/** @type {string[]} */ cells) =>
    Math.max(...cells.map((markdown, i) => linesOf(markdownWidth(markdown), widths[i] - PADDING)), 1);
  return (
    (table.caption ? 40 : 0) + lines.reduce((sum, cells) => sum + ROW + (rowLines(cells) - 1) * LINE, 0) + 16
  );
}

/**
 * @param {import('./table.js').Cell} cell
 * @returns {string} its words, with marks for the bold ones
 */
function markedText(cell) {
  return typeof cell === 'object' && 'markdown' in cell ? cell.markdown : plainText(cell);
}
