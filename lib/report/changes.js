import { usersText } from '../config/step-text.js';
import { MISSING, significant } from '../format.js';
import { ACROSS_CONDITIONS, whyText } from '../judge/method.js';
import { isJudged } from '../record/gate.js';
import { METRICS, OF_LOADS } from '../record/metrics.js';
import { csvText } from './csv.js';
import { junitXml } from './junit.js';
import { templateBeside } from './template.js';
import { undecidedText } from './words.js';

/**
 * @import { ChangedRow } from '../record/changes.js'
 * @import { Crossing, Limit } from '../record/gate.js'
 * @import { Comparison, Plan } from '../types.d.ts'
 */

/**
 * Two runs, or two systems of one, load by load: what `compare` prints.
 * @typedef {object} Changes
 * @property {Plan} plan of the later one
 * @property {string} before
 * @property {string} after
 * @property {string[]} notes what a reader must know before the figures
 * @property {ChangedRow[]} rows
 * @property {Comparison[]} [ratios] of systems that were loaded at once, in both runs: after / before
 * @property {Limit[]} limits
 * @property {Crossing[]} crossings
 */

const write = templateBeside(import.meta.url, 'templates/changes.hbs');

/** The metrics of the table for people; the other formats have all of them. */
const SHOWN = /** @type {const} */ (['throughput', 'p99', 'cpu']);

/**
 * @param {Changes} changes
 * @returns {string} Markdown
 */
export function changesMarkdown({ plan, rows, ratios = [], limits, crossings, ...changes }) {
  const kinds = /** @type {const} */ (['tie', 'winner', 'inconclusive', 'too few', 'not comparable']);
  const { text } = write(plan, {
    ...{ ...changes, ratios, limits: limits.map((limit) => limit.text) },
    counts: kinds.flatMap((kind) => {
      const count = ratios.filter(({ outcome }) => outcome === kind).length;
      return count > 0 ? [`${count} ${kind === 'winner' ? 'changed' : kind}`] : [];
    }),
    edge: Math.round(ACROSS_CONDITIONS * 100),
    rows: rows.map((row) => ({
      ...row,
      figures: SHOWN.map((metric) => ({
        head: `${METRICS[metric].title}, ${METRICS[metric].unit}`,
        text: changeText(row.changes[metric]),
      })),
      crossed: crossings.filter((c) => c.row === row).map((c) => c.what),
      judged: limits.some(({ metric }) => isJudged(row.changes[metric])),
    })),
    refused: [...new Set(rows.flatMap((r) => r.refusal.map(whyText)))],
    worse: new Set(crossings.map((c) => c.row)).size,
  });
  return `${text}\n`;
}

/** @param {Comparison} comparison that names nobody @returns {string} of ratios another difference is a tie */
function openText(comparison) {
  return comparison.outcome === 'tie' ? 'tie' : undecidedText(comparison);
}

/**
 * The name of a series elsewhere, which must stay.
 * @param {{operation: string, step: string, connections: number, depth: number}} load
 */
export function loadText({ operation, step, connections, depth }) {
  return `${operation}, ${usersText({ users: connections, depth, notes: [] })} (${step})`;
}

/** @param {Comparison | undefined} change @returns {string} Markdown */
function changeText(change) {
  if (!change || (change.medians.a === null && change.medians.b === null)) return MISSING;
  const { metric, medians, why, outcome, better, ratio } = change;
  const bound = METRICS[metric].moreIsBetter ? '≥ ' : '≤ ';
  const sign = ratio && why.length > 0 ? bound : '';
  const word = outcome !== 'winner' ? openText(change) : better === 'a' ? 'better' : '**worse**';
  return `${sign}${significant(medians.b)} → ${sign}${significant(medians.a)} ${percentText(change)}${word}`;
}

/** @param {Comparison} change */
function percentText({ ratio, n, why }) {
  if (!ratio || why.length > 0) return '';
  const text = (/** @type {number} */ value) =>
    `${value >= 1 ? '+' : '−'}${significant(Math.abs(value - 1) * 100, 2)}`;
  const interval = n > 1 ? ` (${text(ratio.low)} … ${text(ratio.high)})` : '';
  return `${text(ratio.estimate)} %${interval} `;
}

/** @param {Changes} changes @returns {string} a line for each load and metric */
export function changesCsv({ rows, crossings }) {
  const heads = [
    ...['system', 'workload', 'transport', 'step', 'operation', 'connections', 'depth', 'metric', 'unit'],
    ...['before', 'after', 'ratio', 'ratio_low', 'ratio_high', 'n', 'outcome', 'better', 'why'],
    'limit_crossed',
  ];
  const lines = rows.flatMap((r) => {
    const load = [r.system, r.workload, r.transport, r.step, r.operation, r.connections, r.depth];
    const none = Array(6).fill(null);
    if (r.refusal.length > 0)
      return [
        [...load, '', '', ...none, 'not comparable', '', r.refusal.map(whyText).join('; '), r.lost !== null],
      ];
    return Object.values(r.changes).map((c) => {
      const [low, high] = c.n > 1 ? [c.ratio?.low, c.ratio?.high] : [];
      return [
        ...[...load, c.metric, METRICS[c.metric].unit, c.medians.b, c.medians.a],
        ...[c.ratio?.estimate, low, high, c.n, c.outcome],
        c.outcome === 'winner' ? (c.better === 'a' ? 'after' : 'before') : '',
        c.why.map(whyText).join('; '),
        crossings.some((x) => x.row === r && x.limit?.metric === c.metric),
      ];
    });
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
    schemaVersion: 2,
    ...{ before, after, notes, exitCode, ratios },
    limits: limits.map(({ text }) => text),
    rows: rows.map((row) => ({
      ...row,
      crossed: crossings.filter((c) => c.row === row).map((c) => c.what),
      changes: Object.values(row.changes),
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
        : row.refusal.length > 0
          ? { skipped: row.refusal.map(whyText).join('; ') }
          : {}),
      out: figuresText(row),
    };
  });
  return junitXml(`compare ${before} ${after}`, cases, {
    before,
    after,
    limits: limits.map(({ text }) => text).join(','),
    notes: notes.join(' ').replaceAll('**', ''),
  });
}

/** @param {ChangedRow} row */
function figuresText({ changes }) {
  return OF_LOADS.filter((metric) => changes[metric])
    .map(
      (metric) =>
        `${METRICS[metric].title}, ${METRICS[metric].unit}: ${changeText(changes[metric]).replaceAll('**', '')}`,
    )
    .join('\n');
}
