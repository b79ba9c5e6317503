import { usersText } from '../config/step-text.js';
import { isJudged } from '../figures/gate.js';
import { METRICS, OF_LOADS } from '../figures/metrics.js';
import { ACROSS_CONDITIONS, whyText } from '../judge/method.js';
import { csvText } from './csv.js';
import { junitXml } from './junit.js';
import { phrase, templateBeside } from './template.js';

/**
 * @import { ChangedRow } from '../figures/changes.js'
 * @import { Crossing, Limit } from '../figures/gate.js'
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

/** Outcomes in the order in which they are told. */
const KINDS = /** @type {const} */ (['tie', 'winner', 'inconclusive', 'too few', 'not comparable']);
/** The metrics of the table for people; the other formats have all of them. */
const SHOWN = /** @type {const} */ (['throughput', 'p99', 'cpu']);

/**
 * @param {Changes} changes
 * @returns {string} Markdown
 */
export function changesMarkdown({ plan, ratios = [], crossings, ...changes }) {
  const { rows, limits } = told({ ...changes, crossings });
  const { text } = write(plan, {
    ...{ ...changes, ratios, limits },
    outcomes: KINDS.map((kind) => ratios.filter(({ outcome }) => outcome === kind)).filter((own) => own[0]),
    edge: Math.round(ACROSS_CONDITIONS * 100),
    metrics: SHOWN.map((name) => ({ ...METRICS[name], name })),
    rows: rows.map((row) => ({
      ...row,
      judged: changes.limits.some(({ metric }) => isJudged(row.changes[metric])),
    })),
    refused: [...new Set(rows.flatMap((r) => r.refusal.map(whyText)))],
    worse: new Set(crossings.map((c) => c.row)).size,
  });
  return `${text}\n`;
}

/** @param {Pick<Changes, 'rows' | 'limits' | 'crossings'>} changes @returns rows with the limits that they cross, and limits as written */
function told({ rows, limits, crossings }) {
  return {
    rows: rows.map((row) => ({ ...row, crossed: crossings.flatMap((c) => (c.row === row ? c.what : [])) })),
    limits: limits.map(({ text }) => text),
  };
}

/**
 * The name of a series elsewhere, which must stay.
 * @param {{operation: string, step: string, connections: number, depth: number}} load
 */
export function loadText({ operation, step, connections, depth }) {
  return `${operation}, ${usersText({ users: connections, depth, notes: [] })} (${step})`;
}

/** What tells a load from others. */
export const LOAD = Object.freeze(
  /** @type {const} */ (['system', 'workload', 'transport', 'step', 'operation', 'connections', 'depth']),
);
const COLUMNS = Object.freeze([
  ...[...LOAD, 'metric', 'unit', 'before', 'after', 'ratio', 'ratio_low', 'ratio_high'],
  ...['n', 'outcome', 'better', 'why', 'limit_crossed'],
]);

/** @param {Changes} changes @returns {string} a line for each load and metric */
export function changesCsv({ rows, crossings }) {
  const lines = rows.flatMap((r) => {
    const refused = { outcome: 'not comparable', why: reasonsOf(r.refusal), limit_crossed: r.lost !== null };
    if (r.refusal.length > 0) return [{ ...r, ...refused }];
    return Object.values(r.changes).map(({ metric, medians, ratio, n, outcome, better, why }) => ({
      ...{ ...r, metric, unit: METRICS[metric].unit, before: medians.b, after: medians.a },
      ...{ ratio: ratio?.estimate, n, outcome, why: reasonsOf(why) },
      ...(n > 1 ? { ratio_low: ratio?.low, ratio_high: ratio?.high } : {}),
      better: outcome === 'winner' ? (better === 'a' ? 'after' : 'before') : null,
      limit_crossed: crossings.some((x) => x.row === r && x.limit?.metric === metric),
    }));
  });
  return csvText(COLUMNS, lines);
}

/** @param {readonly import('../types.d.ts').Why[]} why */
function reasonsOf(why) {
  return why.map(whyText).join('; ');
}

/**
 * @param {Changes} changes
 * @param {number} exitCode
 * @returns {object} as lib/schema/compare.schema.json has it
 */
export function changesJson({ before, after, notes, ratios = [], ...changes }, exitCode) {
  const { rows, limits } = told(changes);
  return {
    schemaVersion: 2,
    ...{ before, after, notes, exitCode, ratios, limits },
    rows: rows.map((row) => ({ ...row, changes: Object.values(row.changes) })),
  };
}

/** @param {Parameters<typeof loadText>[0] & {workload: string, system: string}} load @returns {{classname: string, name: string}} */
export function caseOf(load) {
  return { classname: `${load.workload}.${load.system}`, name: loadText(load) };
}

/** @param {Changes} changes @returns {string} a case for each load */
export function changesJunit({ before, after, notes, ...changes }) {
  const { rows, limits } = told(changes);
  const cases = rows.map((row) => {
    const { crossed, refusal } = row;
    const out = OF_LOADS.filter((metric) => row.changes[metric])
      .map((metric) => {
        const text = phrase('differenceText', row.changes[metric]).replaceAll('**', '');
        return `${METRICS[metric].title}, ${METRICS[metric].unit}: ${text}`;
      })
      .join('\n');
    const skipped = refusal.length > 0 ? { skipped: reasonsOf(refusal) } : {};
    const failed = { failure: { message: crossed.join(', '), text: out } };
    return { ...caseOf(row), ...(crossed.length > 0 ? failed : skipped), out };
  });
  const properties = { before, after, limits: limits.join(','), notes: notes.join(' ').replaceAll('**', '') };
  return junitXml(`compare ${before} ${after}`, cases, properties);
}
