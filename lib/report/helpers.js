import Handlebars from 'handlebars';
import { placeText, shapeOf, shapeText, stepText } from '../config/step-text.js';
import { extremesOf } from '../figures/figure.js';
import { METRICS } from '../figures/metrics.js';
import { errorRatio, operationText } from '../figures/rows.js';
import * as format from '../format.js';
import { groupBy } from '../group-by.js';
import * as method from '../judge/method.js';
import { answerText } from './matrix/labels.js';
import { inOneLine, linkTo, plainText } from './table.js';
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

/**
 * A column of a table: of a value, or of a block, which is Markdown.
 * @param {'left' | 'right'} align
 * @returns {(this: any, head: string, ...rest: any[]) => void}
 */
function columnOf(align) {
  return function column(head, ...rest) {
    const { fn, data, hash } = rest.pop();
    const text = fn ? { markdown: inOneLine(String(fn(this, { data }))).trim() } : (rest[0] ?? MISSING);
    const cell = hash.strong ? { strong: String(text) } : text;
    data.cells.push({ head, align, cell });
  };
}

/**
 * `{{#table rows}}{{left "system" title}}{{right "start-up, ms" start}}{{/table}}`: a row for each of them, of the columns
 * that the first one has. With `across` each of them is a column, headed by its first cell; what none has is no line. So
 * names and values of one thing are a table, too.
 * @param {any[]} rows
 * @param {Options} options
 */
function tableOf(rows, { fn, data, hash }) {
  const lines = rows.map((row) => {
    /** @type {(Column & {cell: Cell})[]} */
    const cells = [];
    fn(row, { data: { ...Handlebars.createFrame(data), cells }, blockParams: [row] });
    return cells;
  });
  if (lines.length === 0) return '';
  const made = { columns: lines[0], rows: lines.map((cells) => cells.map(({ cell }) => cell)) };
  if (hash.across !== undefined) return data.place(acrossOf(made, hash.across));
  return data.place({ ...made, caption: hash.caption });
}

/** @param {Table} table @param {string} head @returns {Table} the same with rows and columns changed */
function acrossOf({ columns, rows }, head) {
  const lines = columns.map((column, i) => [column.head, ...rows.map((cells) => cells[i])]);
  const [[, ...names], ...rest] = lines;
  const { align } = columns[columns.length - 1];
  return {
    columns: [{ head, align: 'left' }, ...names.map((name) => ({ head: plainText(name), align }))],
    rows: rest.filter(([, ...cells]) => cells.some((cell) => !['', MISSING].includes(plainText(cell)))),
  };
}

/** @param {number} value bytes, or a share @param {'MiB' | '%'} unit @returns {string} with its sign: a change */
function signed(value, unit) {
  if (unit === '%') return value === 0 ? '0 %' : `${value < 0 ? '−' : '+'}${percent(Math.abs(value))}`;
  const rounded = Number((value / 2 ** 20).toFixed(3));
  return rounded > 0 ? `+${significant(rounded)}` : significant(rounded).replace('-', '−');
}

/** How a figure is printed that is no number of three digits. @type {Record<string, (value: number) => string>} */
const TEXTS = Object.freeze({
  MiB: mebibytes,
  '%': percent,
  // Nobody has counted a tenth of a request.
  count: (n) => (Number.isInteger(n) ? wholeNumber(n) : significant(n)),
});

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

/**
 * By name, as templates call them: that of the function where it is one, so that no field has it. Templates have no types.
 * @type {Record<string, (...args: any[]) => any>}
 */
export const HELPERS = {
  ...plainly({ ...format, ...words, ...method, answerText, errorRatio, extremesOf, linkTo, operationText }),
  figureText: (figure, unit) => figureText(figure, TEXTS[unit]),
  figureRange: (figure, unit) => figureRange(figure, TEXTS[unit]),
  titleOf: ofPlan(words.titleOf),
  workloadTitleOf: ofPlan(words.workloadTitleOf),
  stepText: ofPlan(stepText),
  placeText: ofPlan(placeText),
  shapeText: ofPlan((plan, step) => shapeText(shapeOf(plan, step))),
  // Numbers
  fixed: (value, digits) => value?.toFixed(digits) ?? MISSING,
  // A ratio without its sign.
  multiple: (ratio) => (ratio < 10 ? ratio.toFixed(2) : significant(ratio)),
  millions: (n) => (n >= 1e6 ? `${significant(n / 1e6)} million` : wholeNumber(n)),
  medianText: (figure) => significant(figure?.median),
  roundPercent: (share) => `${Math.round(share * 100)} %`,
  shortPercent: (share) => `${Number((share * 100).toPrecision(2))} %`,
  orInfinite: (value, digits) => (Number.isFinite(value) ? significant(value, digits) : '∞'),
  changeOf: ({ estimate }) => `${Math.round(Math.abs(estimate - 1) * 100)} %`,
  changeSpan({ low, high, estimate }) {
    const [a, b] = [low, high].map((v) => Math.round((estimate > 1 ? v - 1 : 1 - v) * 100));
    return `${Math.min(a, b)}–${Math.max(a, b)} %`.replaceAll('-', '−');
  },
  // By what share the smaller is below the larger.
  lessIn: (factor) => 1 - 1 / factor,
  inPercent: (share) => Math.round(share * 100),
  signed,
  moreIsBetter: (metric) => METRICS[metric].moreIsBetter,
  signedPercent: (ratio) => `${ratio >= 1 ? '+' : '−'}${significant(Math.abs(ratio - 1) * 100, 2)}`,
  apartBy: ({ low, high }) => ({ estimate: Math.max(high, 1 / low) }),
  // What the method asks for
  minRepeats: () => method.MIN_REPEATS,
  tiePercent: () => method.EQUIVALENCE * 100,
  kubernetesMemory(quantity) {
    const kibibytes = /^(\d+)Ki$/.exec(quantity)?.[1];
    return kibibytes ? `${significant(Number(kibibytes) / 2 ** 20)} GiB` : quantity;
  },
  // Names and lists
  alike: (items) => groupBy(items, (item) => JSON.stringify(item)),
  joined: (names, by) => names.join(by),
  distinct: (/** @type {unknown[]} */ items) => [...new Set(items)],
  pluck: (/** @type {any[] | null} */ items, field) => items?.map((item) => item?.[field]) ?? [],
  slice: (text, from, to) => text.slice(from, to),
  capital: (text) => text[0].toUpperCase() + text.slice(1),
  distinctReasons: (/** @type {import('../types.d.ts').Comparison[]} */ of) =>
    [...new Set(of.map(({ why }) => method.gravestText(why)))].join('; '),
  withoutStatus: (failure) => failure.replace(/^failed: /, ''),
  array: (...items) => items.slice(0, -1),
  concat: (...items) => items.slice(0, -1).join(''),
  codeSpan: (text) => `\`${text}\``,
  settingsOf: (/** @type {[string, string][]} */ all) => all.map((pair) => pair.join(' ')).join(', '),
  strongList: (/** @type {string[]} */ names) => listed(names.map((name) => `**${name}**`)),
  // Conditions
  unless_: (failure, value) => (failure === null ? value : `n/a: ${failure}`),
  choose: (test, a, b) => (test ? a : b),
  any: (/** @type {any[]} */ items, field) => items.some((item) => item[field]?.length > 0),
  every: (/** @type {any[]} */ items, field, value) => items.every((item) => item[field] === value),
  eq: (a, b) => a === b,
  gt: (a, b) => a > b,
  and: (a, b) => a && b,
  or: (a, b) => a || b,
  not: (a) => !a,
  // Cells, tables and charts
  markdown: (text) => ({ markdown: text }),
  code: (text) => ({ code: text }),
  left: columnOf('left'),
  right: columnOf('right'),
  table: tableOf,
  placed: (own, { data }) => data.place(own),
  // Beside each other where there is room.
  charts: (charts, { data }) => (charts.length > 0 ? data.place(charts) : ''),
};
