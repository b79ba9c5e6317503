import Handlebars from 'handlebars';
import { duration, figureText, mebibytes, percent, significant, wholeNumber } from '../format.js';
import { gravestText } from '../judge/method.js';
import { times, timesText } from './matrix/times.js';
import { placeText, shapeOf, shapeText, stepText } from './steps.js';
import { left, linkTo, right, table } from './table.js';
import {
  codesText,
  counted,
  errorsText,
  listed,
  rateText,
  ratioText,
  setByText,
  shareText,
  titleOf,
  undecidedText,
  verdictText,
  workloadTitleOf,
} from './words.js';

/**
 * @import { Plan } from '../types.d.ts'
 * @import { Chart } from './charts/ladder.js'
 * @import { Cell, Column, Table } from './table.js'
 */

/** What a template may ask for: numbers with their units, names, lists, plurals, tables and charts. One set for all of them. */

/**
 * What a template makes beside its text.
 * @typedef {{plan: Plan, charts: Chart[], tables: Table[]}} Made
 */

/** The last argument of every helper. @typedef {{hash: any, data: any, fn: (context: any, options?: any) => string}} Options */

/** A cell that has not been told otherwise is printed as it is. */
const CELLS = { left, right };

/**
 * @param {'left' | 'right'} align
 * @returns {(head: string, value: Cell | null | undefined, options: Options) => string}
 */
function columnOf(align) {
  return (head, value, { data, hash }) => {
    const text = value ?? '–';
    const cell = hash.strong ? { strong: String(text) } : hash.markdown ? { markdown: String(text) } : text;
    data.cells.push({ column: CELLS[align](head, (/** @type {any} */ x) => x), cell });
    return '';
  };
}

/**
 * `{{#table rows}}{{left "system" title}}{{right "start-up, ms" start}}{{/table}}`: a row for each of them, of the columns
 * that the first one has.
 * @param {any[]} rows
 * @param {Options} options
 */
function tableOf(rows, { fn, data, hash }) {
  const lines = rows.map((row) => {
    /** @type {{column: Column<any>, cell: Cell}[]} */
    const cells = [];
    fn(row, { data: { ...Handlebars.createFrame(data), cells }, blockParams: [row] });
    return cells;
  });
  if (lines.length === 0) return '';
  const columns = lines[0].map(({ column }, i) => ({
    ...column,
    cell: (/** @type {typeof lines[0]} */ own) => own[i].cell,
  }));
  return data.placed.table(table(lines, columns, hash.caption));
}

/**
 * `{{#facts}}{{#fact "engine"}}native{{/fact}}{{/facts}}`: a table of names and values; one without a value is left out.
 * @param {Options} options
 */
function factsOf({ fn, data }) {
  /** @type {{name: string, value: string}[]} */
  const facts = [];
  fn(data.root, { data: { ...Handlebars.createFrame(data), facts } });
  const markdown = (/** @type {typeof facts[0]} */ { value }) => ({ markdown: value });
  return data.placed.table(table(facts, [left('', ({ name }) => name), left('', markdown)]));
}

/** @param {any} context @param {Options} options @returns {string} what stands in a block, as one line */
function lineOf(context, { fn, data }) {
  return String(fn(context, { data }))
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

/** By name, as templates call them: that of the function where it is one, so that no field has it. */
export const HELPERS = {
  // Numbers
  significant: (/** @type {number | null} */ value, /** @type {unknown} */ digits) =>
    significant(value, typeof digits === 'number' ? digits : undefined),
  wholeNumber: (/** @type {number} */ value) => wholeNumber(value),
  fixed: (/** @type {number} */ value, /** @type {number} */ digits) => value.toFixed(digits),
  percent: (/** @type {number | null} */ value) => percent(value),
  mebibytes: (/** @type {number | null} */ bytes) => mebibytes(bytes),
  duration: (/** @type {number} */ seconds) => duration(seconds),
  figureText: (/** @type {any} */ figure) => figureText(figure),
  figureRange: (/** @type {any} */ figure) =>
    figure && figure.n > 1
      ? `${figureText(figure)} (${significant(figure.low)}–${significant(figure.high)})`
      : figure && figureText(figure),
  millions: (/** @type {number} */ n) => (n >= 1e6 ? `${significant(n / 1e6)} million` : wholeNumber(n)),
  figureMib: (/** @type {any} */ figure) => figureText(figure, mebibytes),
  figureCount: (/** @type {any} */ figure) => figureText(figure, String),
  figurePercent: (/** @type {any} */ figure) => figureText(figure, percent),
  ratioText: (/** @type {any} */ comparison) => ratioText(comparison),
  times: (/** @type {number} */ ratio) => times(ratio),
  timesText: (/** @type {any} */ ratio) => timesText(ratio),
  changeOf: (/** @type {any} */ { estimate }) => `${Math.round(Math.abs(estimate - 1) * 100)} %`,
  changeSpan(/** @type {any} */ { low, high, estimate }) {
    const [a, b] = [low, high].map((v) => Math.round((estimate > 1 ? v - 1 : 1 - v) * 100));
    return `${Math.min(a, b)}–${Math.max(a, b)} %`.replaceAll('-', '−');
  },
  kindOf: (/** @type {any} */ of) => of?.kind,
  lessText: (/** @type {number} */ factor) => `${Math.round((1 - 1 / factor) * 100)} %`,
  undecidedText: (/** @type {any} */ comparison) => undecidedText(comparison),
  // Names and lists
  counted: (/** @type {number} */ n, /** @type {string} */ noun) => counted(n, noun),
  shareText: (/** @type {number} */ n, /** @type {number} */ of, /** @type {string} */ noun) =>
    shareText(n, of, noun),
  listed: (/** @type {string[]} */ names, /** @type {Options | 'and' | 'or'} */ word) =>
    listed(names, word === 'or' ? 'or' : 'and'),
  joined: (/** @type {string[]} */ names, /** @type {string} */ by) => names.join(by),
  capital: (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1),
  codesText: (/** @type {string[]} */ codes) => codesText(codes),
  gravestText: (/** @type {import('../types.d.ts').Why[]} */ why) => gravestText(why),
  linkTo: (/** @type {string} */ text, /** @type {string} */ path) => linkTo(text, path),
  titleOf: (/** @type {string} */ id, /** @type {Options} */ { data }) => titleOf(data.plan, id),
  workloadTitleOf: (/** @type {string} */ id, /** @type {Options} */ { data }) =>
    workloadTitleOf(data.plan, id),
  stepText: (/** @type {string} */ id, /** @type {Options} */ { data }) => stepText(data.plan, id),
  placeText: (/** @type {any} */ row, /** @type {Options} */ { data }) => placeText(data.plan, row),
  kindsText: (/** @type {[string, number][]} */ kinds) =>
    kinds.map(([kind, n]) => `\`${kind}\` ${n}`).join(', '),
  array: (/** @type {any[]} */ ...items) => items.slice(0, -1),
  concat: (/** @type {any[]} */ ...items) => items.slice(0, -1).join(''),
  verdictText: (/** @type {any} */ row) => verdictText(row),
  setByText: (/** @type {any} */ row) => setByText(row),
  errorsText: (/** @type {any} */ row) => errorsText(row),
  spanText: (/** @type {any} */ of) => of && `${significant(of.low)} – ${significant(of.high)}`,
  extremesText: (/** @type {any} */ of) => of && `${significant(of.least)} – ${significant(of.most)}`,
  codeSpan: (/** @type {string} */ text) => `\`${text}\``,
  rateText: (/** @type {any} */ row) => rateText(row),
  settingsOf: (/** @type {[string, string][]} */ all) => all.map((pair) => pair.join(' ')).join(', '),
  shapeText: (/** @type {any} */ step, /** @type {Options} */ { data }) =>
    shapeText(shapeOf(data.plan, step)),
  strongList: (/** @type {string[]} */ names) => listed(names.map((name) => `**${name}**`)),
  errorsOf: (/** @type {Record<string, number>} */ errors) =>
    Object.entries(errors)
      .map(([kind, n]) => `${kind} ${wholeNumber(n)}`)
      .join(', '),
  // Conditions
  unless_: (/** @type {string | null} */ failure, /** @type {any} */ value) =>
    failure === null ? value : `n/a: ${failure}`,
  choose: (/** @type {unknown} */ test, /** @type {any} */ a, /** @type {any} */ b) => (test ? a : b),
  any: (/** @type {any[]} */ items, /** @type {string} */ field) =>
    items.some((item) => item[field]?.length > 0),
  eq: (/** @type {unknown} */ a, /** @type {unknown} */ b) => a === b,
  gt: (/** @type {number} */ a, /** @type {number} */ b) => a > b,
  and: (/** @type {unknown} */ a, /** @type {unknown} */ b) => a && b,
  or: (/** @type {unknown} */ a, /** @type {unknown} */ b) => a || b,
  not: (/** @type {unknown} */ a) => !a,
  // Cells, tables and charts
  markdown: (/** @type {string} */ text) => ({ markdown: text }),
  code: (/** @type {string} */ text) => ({ code: text }),
  left: columnOf('left'),
  right: columnOf('right'),
  table: tableOf,
  facts: factsOf,
  fact(/** @type {string} */ name, /** @type {Options} */ options) {
    const value = lineOf(this, options);
    if (value !== '') options.data.facts.push({ name, value });
  },
  leftText(/** @type {string} */ head, /** @type {Options} */ options) {
    columnOf('left')(head, { markdown: lineOf(this, options) }, options);
  },
  rightText(/** @type {string} */ head, /** @type {Options} */ options) {
    columnOf('right')(head, { markdown: lineOf(this, options) }, options);
  },
  placed: (/** @type {Table} */ own, /** @type {Options} */ { data }) => data.placed.table(own),
  chart: (/** @type {Chart} */ chart, /** @type {Options} */ { data }) => data.placed.chart(chart),
};
