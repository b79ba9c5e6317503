import Handlebars from 'handlebars';
import { placeText, shapeOf, shapeText, stepText } from '../config/step-text.js';
import * as format from '../format.js';
import { gravestText, reasonText } from '../judge/method.js';
import { operationText } from '../record/figures.js';
import { answerText } from './matrix/labels.js';
import { times, timesText } from './matrix/times.js';
import { left, linkTo, plainText, right, table } from './table.js';
import * as words from './words.js';

/**
 * @import { Plan } from '../types.d.ts'
 * @import { Chart } from './charts/ladder.js'
 * @import { Cell, Column, Table } from './table.js'
 */

const { figureText, MISSING, mebibytes, percent, significant, wholeNumber } = format;
const { figureRange, listed } = words;

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
 * that the first one has. With `across` each of them is a column, headed by its first cell; what none has is no line.
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
  if (hash.across !== undefined) return data.place(acrossOf(lines, hash.across));
  const columns = lines[0].map(({ column }, i) => ({
    ...column,
    cell: (/** @type {typeof lines[0]} */ own) => own[i].cell,
  }));
  return data.place(table(lines, columns, hash.caption));
}

/**
 * @param {{column: Column<any>, cell: Cell}[][]} lines
 * @param {string} head
 * @returns {Table} the same with rows and columns changed
 */
function acrossOf(lines, head) {
  const [names, ...rest] = lines[0].map((_, i) => lines.map((cells) => cells[i]));
  const known = rest.filter((cells) => cells.some(({ cell }) => plainText(cell) !== MISSING));
  return table(known, [
    left(head, ([first]) => first.column.head),
    ...names.map((name, i) =>
      right(plainText(name.cell), (/** @type {typeof names} */ cells) => cells[i].cell),
    ),
  ]);
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
  return data.place(table(facts, [left('', ({ name }) => name), left('', markdown)]));
}

/** @param {any} context @param {Options} options @returns {string} what stands in a block, as one line */
function lineOf(context, { fn, data }) {
  return String(fn(context, { data }))
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

/** @param {number} value bytes, or a share @param {'MiB' | '%'} unit @returns {string} with its sign: a change */
function signed(value, unit) {
  if (unit === '%') return value === 0 ? '0 %' : `${value < 0 ? '−' : '+'}${percent(Math.abs(value))}`;
  const rounded = Number((value / 2 ** 20).toFixed(3));
  return rounded > 0 ? `+${significant(rounded)}` : significant(rounded).replace('-', '−');
}

/** @param {number} factor @returns {number} per cent that the smaller is below the larger */
const lessIn = (factor) => Math.round((1 - 1 / factor) * 100);

/**
 * @param {Record<string, unknown>} all
 * @returns {Record<string, (...args: any[]) => unknown>} functions among them, called without what Handlebars adds to the arguments
 */
function plainly(all) {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, own]) =>
      typeof own === 'function' ? [[name, (/** @type {any[]} */ ...args) => own(...args.slice(0, -1))]] : [],
    ),
  );
}

/**
 * @param {(plan: Plan, of: any) => string} text
 * @returns {(of: any, options: Options) => string} of the plan that the template is about
 */
function ofPlan(text) {
  return (of, { data }) => text(data.plan, of);
}

/** By name, as templates call them: that of the function where it is one, so that no field has it. */
export const HELPERS = {
  ...plainly({ ...format, ...words, gravestText, reasonText, answerText, times, timesText, linkTo }),
  ...plainly({ operationText }),
  titleOf: ofPlan(words.titleOf),
  workloadTitleOf: ofPlan(words.workloadTitleOf),
  stepText: ofPlan(stepText),
  placeText: ofPlan(placeText),
  shapeText: ofPlan((plan, step) => shapeText(shapeOf(plan, step))),
  // Numbers
  fixed: (/** @type {number | null} */ value, /** @type {number} */ digits) =>
    value?.toFixed(digits) ?? MISSING,
  // Nobody has counted a tenth of a request.
  countRange: (/** @type {any} */ figure) =>
    figureRange(figure, (n) => (Number.isInteger(n) ? wholeNumber(n) : significant(n))),
  millions: (/** @type {number} */ n) => (n >= 1e6 ? `${significant(n / 1e6)} million` : wholeNumber(n)),
  medianText: (/** @type {any} */ figure) => significant(figure?.median),
  roundPercent: (/** @type {number} */ share) => `${Math.round(share * 100)} %`,
  shortPercent: (/** @type {number} */ share) => `${Number((share * 100).toPrecision(2))} %`,
  // One repeat has no interval.
  spreadText(
    /** @type {any} */ { estimate, low, high },
    /** @type {number} */ n,
    /** @type {number} */ digits,
  ) {
    const f = (/** @type {number} */ v) => (Number.isFinite(v) ? significant(v, digits) : '∞');
    return n < 2 ? f(estimate) : `${f(estimate)} (${f(low)} – ${f(high)})`;
  },
  figureMib: (/** @type {any} */ figure) => figureText(figure, mebibytes),
  figureCount: (/** @type {any} */ figure) => figureText(figure, String),
  figurePercent: (/** @type {any} */ figure) => figureText(figure, percent),
  changeOf: (/** @type {any} */ { estimate }) => `${Math.round(Math.abs(estimate - 1) * 100)} %`,
  changeSpan(/** @type {any} */ { low, high, estimate }) {
    const [a, b] = [low, high].map((v) => Math.round((estimate > 1 ? v - 1 : 1 - v) * 100));
    return `${Math.min(a, b)}–${Math.max(a, b)} %`.replaceAll('-', '−');
  },
  kindOf: (/** @type {any} */ of) => of?.kind,
  lessText: (/** @type {number} */ factor) => `${lessIn(factor)} %`,
  lessSpan: (/** @type {any} */ { low, high }) => `${lessIn(low)}–${lessIn(high)} %`,
  growthOf: (/** @type {any} */ { estimate }, /** @type {'MiB' | '%'} */ unit) => signed(estimate, unit),
  growthText: (/** @type {any} */ of, /** @type {'MiB' | '%'} */ unit) =>
    of ? `${signed(of.estimate, unit)} (${signed(of.low, unit)} to ${signed(of.high, unit)})` : MISSING,
  // `25 → 25`, and the most where there were more in between.
  countsText(/** @type {{first: number, last: number, most: number} | null} */ count) {
    if (!count) return MISSING;
    const { first, last, most } = count;
    return `${first} → ${last}${most > Math.max(first, last) ? ` (max ${most})` : ''}`;
  },
  // Names and lists
  joined: (/** @type {string[]} */ names, /** @type {string} */ by) => names.join(by),
  capital: (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1),
  distinctReasons: (/** @type {{why: import('../types.d.ts').Why[]}[]} */ of) =>
    [...new Set(of.map(({ why }) => gravestText(why)))].join('; '),
  kindsText: (/** @type {[string, number][]} */ kinds) =>
    kinds.map(([kind, n]) => `\`${kind}\` ${n}`).join(', '),
  array: (/** @type {any[]} */ ...items) => items.slice(0, -1),
  concat: (/** @type {any[]} */ ...items) => items.slice(0, -1).join(''),
  codeSpan: (/** @type {string} */ text) => `\`${text}\``,
  settingsOf: (/** @type {[string, string][]} */ all) => all.map((pair) => pair.join(' ')).join(', '),
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
  placed: (/** @type {Table} */ own, /** @type {Options} */ { data }) => data.place(own),
  chart: (/** @type {Chart} */ chart, /** @type {Options} */ { data }) => data.place([chart]),
  // Beside each other where there is room.
  charts: (/** @type {Chart[]} */ charts, /** @type {Options} */ { data }) =>
    charts.length > 0 ? data.place(charts) : '',
};
