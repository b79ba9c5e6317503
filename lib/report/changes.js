import { MISSING, ratioWithInterval, significant } from '../format.js';
import { ACROSS_CONDITIONS, MIN_REPEATS } from '../judge/method.js';
import { METRICS } from '../record/changes.js';
import { isJudged } from '../record/gate.js';
import { csvText } from './csv.js';
import { junitXml } from './junit.js';
import { left, markdownTable, right, table } from './table.js';
import { apartText } from './words.js';

/**
 * @import { Change, ChangedRow } from '../record/changes.js'
 * @import { Crossing } from '../record/gate.js'
 * @import { RatioChange } from '../record/ratio-changes.js'
 */

/**
 * Two runs, or two systems of one, load by load: what `compare` prints.
 * @typedef {object} Changes
 * @property {string} before
 * @property {string} after
 * @property {string[]} notes what a reader must know before the figures
 * @property {ChangedRow[]} rows
 * @property {RatioChange[]} [ratios] of systems side by side, in both runs
 * @property {string[]} limits as they were given
 * @property {Crossing[]} crossings
 */

/** The metrics of the table for people; the other formats have all of them. */
const SHOWN = Object.freeze(['throughput', 'p99', 'cpu']);

/**
 * @param {Changes} changes
 * @returns {string} Markdown
 */
export function changesMarkdown({ before, after, notes, rows, ratios = [], limits, crossings }) {
  const crossed = (/** @type {ChangedRow} */ row) => crossings.filter((c) => c.row === row);
  const columns = [
    left('system', (/** @type {ChangedRow} */ r) => r.system),
    left('workload', (/** @type {ChangedRow} */ r) => r.workload),
    left('load', loadText),
    ...SHOWN.map((metric) =>
      right(`${METRICS[metric].title}, ${METRICS[metric].unit}`, (/** @type {ChangedRow} */ r) => ({
        markdown: changeText(r, metric),
      })),
    ),
    ...(limits.length > 0
      ? [
          left('limits', (/** @type {ChangedRow} */ r) =>
            crossed(r).length > 0
              ? {
                  strong: crossed(r)
                    .map((c) => c.what)
                    .join(', '),
                }
              : limits.some((l) => isJudged(r.changes[metricOf(l)]?.ratio ?? null))
                ? 'kept'
                : 'not judged',
          ),
        ]
      : []),
  ];
  const refused = [...new Set(rows.flatMap((r) => r.refusal ?? []))];
  return `${[
    `# ${after} against ${before}`,
    '',
    ...notes,
    '',
    ...ratiosText(ratios),
    markdownTable(table(rows, columns)),
    ...(refused.length > 0 ? ['', `Not compared: ${refused.join('; ')}.`] : []),
    '',
    'Change with its 95 % interval. *better*, *worse*: the whole interval lies beyond ±5 %; *tie*: within it; *open*: neither.',
    ...(limits.length > 0 ? ['', verdictText(rows, limits, crossings)] : []),
  ].join('\n')}\n`;
}

/**
 * What two runs of systems side by side can be held against each other by: the ratios of the systems.
 * @param {RatioChange[]} ratios
 * @returns {string[]} Markdown; none where there are none
 */
function ratiosText(ratios) {
  if (ratios.length === 0) return [];
  const of = (/** @type {RatioChange['word']} */ word) => ratios.filter((r) => r.word === word).length;
  const counts = /** @type {const} */ (['tie', 'changed', 'open', 'too few starts', 'loaded otherwise'])
    .filter((word) => of(word) > 0)
    .map((word) => `${of(word)} ${word}`);
  const f = (/** @type {number | null} */ value) => (value === null ? MISSING : `${value.toFixed(2)}×`);
  const columns = [
    left('workload', (/** @type {RatioChange} */ r) => r.workload),
    left('load', (/** @type {RatioChange} */ r) => r.cell),
    left('systems', (/** @type {RatioChange} */ r) => `${r.a} / ${r.b}`),
    right('before', (/** @type {RatioChange} */ r) => f(r.before)),
    right('after', (/** @type {RatioChange} */ r) => f(r.after)),
    right('after / before', (/** @type {RatioChange} */ r) => ratioWithInterval(r.ratio)),
    left('finding', (/** @type {RatioChange} */ r) =>
      r.word === 'changed' ? { strong: r.word } : findingText(r),
    ),
  ];
  const edge = Math.round(ACROSS_CONDITIONS * 100);
  return [
    `Systems against each other, operations per CPU-second side by side: ${counts.join(', ')} of ${ratios.length}. *tie*: the whole interval lies within ±${edge} %, which is how far a ratio is good across conditions; *changed*: beyond it; *open*: neither.`,
    '',
    markdownTable(table(ratios, columns)),
    '',
    'Each system against itself; the machine of the day is in these:',
    '',
  ];
}

/** @param {RatioChange} change */
function findingText({ word, ratio, n }) {
  if (word === 'too few starts') return `${word} (${n} of ${MIN_REPEATS})`;
  return word === 'open' && ratio ? `open: ${apartText(ratio)}` : word;
}

/**
 * @param {ChangedRow[]} rows
 * @param {string[]} limits
 * @param {Crossing[]} crossings
 * @returns {string} the gate's own sentence
 */
function verdictText(rows, limits, crossings) {
  const worse = new Set(crossings.map((c) => c.row)).size;
  const loads = rows.length === 1 ? '1 load' : `${rows.length} loads`;
  return worse === 0
    ? `Limits ${limits.join(', ')}: none crossed for certain on ${loads}.`
    : `Limits ${limits.join(', ')}: **crossed on ${worse} of ${loads}**.`;
}

/** @param {string} limit as it was given */
function metricOf(limit) {
  return limit.split(/[<>]/)[0];
}

/** @param {{operation: string, step: string, connections: number, depth: number}} load */
export function loadText({ operation, step, connections, depth }) {
  const users = `${connections} ${connections === 1 ? 'connection' : 'connections'}`;
  return `${operation}, ${users}${depth > 1 ? ` × pipeline ${depth}` : ''} (${step})`;
}

/**
 * @param {ChangedRow} row
 * @param {string} metric
 */
function changeText({ changes }, metric) {
  const change = changes[metric];
  if (!change || (change.before === null && change.after === null)) return MISSING;
  return `${arrowText(change)} ${percentText(change)}${wordText(change)}`;
}

/** @param {Change} change @returns {string} Markdown: the finding, and why there is none */
function wordText({ word, why, ratio }) {
  if (word === 'worse') return `**${word}**`;
  if (word === 'open' && ratio) return `open: ${apartText(ratio)}`;
  return why === null ? word : `${word} (${why})`;
}

/** @param {Change} change */
function arrowText({ metric, before, after, ratio }) {
  const bound = METRICS[metric].moreIsBetter ? '≥ ' : '≤ ';
  const sign = ratio && !ratio.rankable ? bound : '';
  return `${sign}${significant(before)} → ${sign}${significant(after)}`;
}

/** @param {Change} change */
function percentText({ ratio }) {
  if (!ratio?.rankable) return '';
  const text = (/** @type {number} */ value) =>
    `${value >= 1 ? '+' : '−'}${significant(Math.abs(value - 1) * 100, 2)}`;
  const interval = ratio.pairs > 1 ? ` (${text(ratio.low)} … ${text(ratio.high)})` : '';
  return `${text(ratio.estimate)} %${interval} `;
}

/**
 * @param {Change['ratio']} ratio
 * @param {'low' | 'high'} end
 * @returns {number | null} one repeat has no interval
 */
function endOf(ratio, end) {
  return ratio && ratio.pairs > 1 ? ratio[end] : null;
}

/** @param {Changes} changes @returns {string} a line for each load and metric */
export function changesCsv({ rows, crossings }) {
  const heads = [
    ...['system', 'workload', 'transport', 'step', 'operation', 'connections', 'depth', 'metric', 'unit'],
    ...['before', 'after', 'ratio', 'ratio_low', 'ratio_high', 'n', 'finding', 'why', 'limit_crossed'],
  ];
  const lines = rows.flatMap((r) => {
    const load = [r.system, r.workload, r.transport, r.step, r.operation, r.connections, r.depth];
    if (r.refusal)
      return [
        [...load, '', '', null, null, null, null, null, null, 'not compared', r.refusal, r.lost !== null],
      ];
    return Object.values(r.changes).map((c) => [
      ...load,
      ...[c.metric, METRICS[c.metric].unit, c.before, c.after],
      ...[c.ratio?.estimate, endOf(c.ratio, 'low'), endOf(c.ratio, 'high'), c.n, c.word, c.why],
      crossings.some((x) => x.row === r && x.limit?.metric === c.metric),
    ]);
  });
  return csvText(heads, lines);
}

/**
 * @param {Changes} changes
 * @param {number} exitCode
 * @returns {object} as lib/schema/compare.schema.json has it
 */
export function changesJson({ before, after, notes, rows, ratios = [], limits, crossings }, exitCode) {
  return {
    schemaVersion: 1,
    before,
    after,
    notes,
    limits,
    exitCode,
    ratios,
    rows: rows.map(({ changes, ...row }) => ({
      ...row,
      crossed: crossings
        .filter((c) => c.row.system === row.system && c.row.changes === changes)
        .map((c) => c.what),
      changes: Object.values(changes).map(({ ratio, ...change }) => ({
        ...change,
        ratio: ratio && {
          estimate: ratio.estimate,
          low: endOf(ratio, 'low'),
          high: endOf(ratio, 'high'),
          rankable: ratio.rankable,
        },
      })),
    })),
  };
}

/** @param {Changes} changes @returns {string} a case for each load */
export function changesJunit({ before, after, notes, rows, limits, crossings }) {
  const cases = rows.map((row) => {
    const own = crossings.filter((c) => c.row === row);
    return {
      classname: `${row.workload}.${row.system}`,
      name: loadText(row),
      ...(own.length > 0
        ? { failure: { message: own.map((c) => c.what).join(', '), text: figuresText(row) } }
        : row.refusal
          ? { skipped: row.refusal }
          : {}),
      out: figuresText(row),
    };
  });
  return junitXml(`compare ${before} ${after}`, cases, {
    before,
    after,
    limits: limits.join(','),
    notes: notes.join(' ').replaceAll('**', ''),
  });
}

/** @param {ChangedRow} row */
function figuresText(row) {
  return Object.keys(row.changes)
    .map(
      (metric) =>
        `${METRICS[metric].title}, ${METRICS[metric].unit}: ${changeText(row, metric).replaceAll('**', '')}`,
    )
    .join('\n');
}
