import { MISSING, percent } from '../../../format.js';
import { REASONS } from '../../../judge/verdict.js';
import { groupBy } from '../../group-by.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { backgroundPart } from './background.js';
import { suiteCharts } from './charts.js';
import { federationPart } from './federation.js';
import { failuresOf, intervalOf, isUserRung, ofFewestUsers, rateOf, shown, wholesOf } from './figures.js';
import { degradationOf } from './ratios.js';
import { tradeOffPart } from './trade-off.js';
import { across, boundText, headOf, ownRatioText, usersText, withInterval } from './words.js';

/**
 * @import { CellRecord, LifecycleRecord, Plan, WorkloadFacts } from '../../../types.d.ts'
 * @import { Row } from '../../rows.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 * @import { Whole } from './figures.js'
 */

/**
 * What the tables of a suite are made from.
 * @typedef {object} Suite
 * @property {Plan} plan
 * @property {string} title
 * @property {string} transport
 * @property {WorkloadFacts[]} workloads in the order of the plan
 * @property {string[]} systems ids, in the order of the plan
 * @property {Whole[]} wholes
 * @property {Row[]} rows of single operations
 * @property {CellRecord[]} measured
 * @property {LifecycleRecord[]} lifecycle
 */

/**
 * The workloads that belong together, side by side: all of a page that compares storages of one API.
 * @param {Pick<Run, 'plan' | 'rows' | 'measured' | 'lifecycle'>} run
 * @returns {Section[]}
 */
export function section({ plan, rows, measured, lifecycle }) {
  const suiteOf = new Map(plan.workloads.map((w) => [w.id, w.shown?.suite]));
  const own = measured.filter((r) => suiteOf.get(r.workload) !== undefined);
  return groupBy(own, (r) => `${suiteOf.get(r.workload)}\n${r.transport}`).map((cells) => {
    const [{ workload, transport }] = cells;
    const title = String(suiteOf.get(workload));
    const ids = new Set(cells.map((c) => c.workload));
    return sectionOf({
      plan,
      title,
      transport,
      workloads: plan.workloads.filter((w) => ids.has(w.id)),
      systems: plan.systems.map((s) => s.id).filter((id) => cells.some((c) => c.system === id)),
      wholes: wholesOf(cells),
      rows: rows.filter((r) => ids.has(r.workload) && r.transport === transport),
      measured: cells,
      lifecycle,
    });
  });
}

/**
 * @param {Suite} suite
 * @returns {Section}
 */
function sectionOf(suite) {
  const rungs = ofFewestUsers(suite.wholes);
  const users = rungs.length > 0 ? usersText(rungs[0].step.vus) : MISSING;
  return {
    title: `${suite.title} over ${suite.transport}, workloads side by side`,
    intro: [
      'All operations of a workload together; medians of the repeats with their 95 % intervals. Times are service times in ms. † marks a figure that may be shown and is not ranked; why is said below.',
    ],
    parts: [
      {
        title: `p95 of each workload, ${users}`,
        tables: [
          table(suite.workloads, [
            left('workload', (w) => w.title),
            ...across(suite, (/** @type {WorkloadFacts} */ w, id) =>
              wholeText(rungs.find((r) => r.workload === w.id && r.system === id)),
            ),
          ]),
        ],
      },
      { charts: suiteCharts(suite) },
      queriesPart(suite, users),
      concurrencyPart(suite, users),
      federationPart(suite),
      backgroundPart(suite),
      tradeOffPart(suite),
      doubtsPart(suite),
    ],
  };
}

/** @param {Whole | undefined} whole */
function wholeText(whole) {
  if (!whole) return MISSING;
  if (whole.failure !== null) return `n/a: ${whole.failure}`;
  return withInterval(
    intervalOf(whole.usable, (c) => c.wholeMs?.p95),
    { doubtful: whole.status === 'DEGRADED' },
  );
}

/**
 * @param {Suite} suite
 * @param {string} users the fewest
 * @returns {Section | null} null where no workload tells kinds of queries apart
 */
function queriesPart(suite, users) {
  const queries = suite.workloads.flatMap((w) =>
    Object.entries(w.operations).flatMap(([operation, { shown }]) => {
      if (shown?.query === undefined) return [];
      const own = suite.rows.filter((r) => r.workload === w.id && r.operation === operation);
      return [{ title: shown.query, rungs: ofFewestUsers(own) }];
    }),
  );
  if (queries.length === 0) return null;
  return {
    title: `p95 of each kind of query, ${users}`,
    tables: [
      table(queries, [
        left('query', (q) => q.title),
        ...across(suite, (/** @type {(typeof queries)[number]} */ { rungs }, id) =>
          queryText(rungs.find((r) => r.system === id)),
        ),
      ]),
    ],
  };
}

/** @param {Row | undefined} row */
function queryText(row) {
  if (!row) return MISSING;
  if (row.failure !== null) return `n/a: ${row.failure}`;
  const p95 = intervalOf(row.cells, (c) => shown(c, row.operation)?.serviceMs?.p95);
  return withInterval(p95, { doubtful: row.status === 'DEGRADED' });
}

/**
 * @param {Suite} suite
 * @param {string} users the fewest
 * @returns {Section | null} a table for each workload; null where all steps have as many users
 */
function concurrencyPart(suite, users) {
  const rungs = suite.wholes.filter(isUserRung).sort((a, b) => a.step.vus - b.step.vus);
  if (new Set(rungs.map((w) => w.step.vus)).size < 2) return null;
  const alone =
    (/** @type {(cell: CellRecord) => number | undefined} */ read) => (/** @type {Whole} */ whole) =>
      withInterval(intervalOf(whole.usable, read), { several: false });
  return {
    title: 'What users at once do',
    intro: [`The last column divides the p95 by that of ${users} of the same system and repeat.`],
    tables: suite.workloads.map((w) =>
      table(
        suite.systems.flatMap((id) => rungs.filter((r) => r.workload === w.id && r.system === id)),
        [
          left('system', (whole) => headOf(suite, whole.system)),
          right('users', (whole) => whole.step.vus),
          right(
            'mean',
            alone((c) => c.wholeMs?.mean),
          ),
          right(
            'median',
            alone((c) => c.wholeMs?.p50),
          ),
          right('p95', wholeText),
          right(
            'max',
            alone((c) => c.wholeMs?.max),
          ),
          right('op/s', (whole) =>
            whole.failure === null ? `${boundText(whole)}${alone(rateOf)(whole)}` : MISSING,
          ),
          right('failed', failuresText),
          right(`p95 against ${users}`, (whole) => ownRatioText(degradationOf(suite.wholes, whole))),
        ],
        `**${w.title}**`,
      ),
    ),
  };
}

/** @param {Whole} whole */
function failuresText({ cells }) {
  if (!cells.some((c) => c.status === 'ok')) return MISSING;
  const counts = cells.map(failuresOf);
  const failed = counts.reduce((n, f) => n + f.failed, 0);
  const all = counts.reduce((n, f) => n + f.all, 0);
  return `${failed} (${percent(failed / Math.max(1, all))})`;
}

/**
 * @param {Suite} suite
 * @returns {Section | null} what † stands for here
 */
function doubtsPart({ plan, wholes }) {
  const doubtful = wholes.filter((w) => w.doubts.length > 0);
  const codes = [...new Set(doubtful.flatMap((w) => w.doubts))].sort();
  if (codes.length === 0) return null;
  const notes = codes.map((code) => {
    const where = doubtful.filter((w) => w.doubts.includes(code));
    const rungs = where.map((w) => `${w.title}, ${w.workload}, ${stepText(plan, w.step.id)}`);
    const more = rungs.length > 4 ? ` and ${rungs.length - 4} more` : '';
    return `${code.replaceAll('_', '-')}: ${REASONS[code].text} (${rungs.slice(0, 4).join('; ')}${more})`;
  });
  return { intro: ['† stands for:'], notes };
}
