import { MISSING, percent, ratioWithInterval } from '../../../format.js';
import { REASONS } from '../../../judge/verdict.js';
import { groupBy } from '../../group-by.js';
import { stepText } from '../../steps.js';
import { backgroundView } from './background.js';
import { suiteCharts } from './charts.js';
import { federationView } from './federation.js';
import { failuresOf, intervalOf, isUserRung, ofFewestUsers, rateOf, shown, wholesOf } from './figures.js';
import { degradationOf } from './ratios.js';
import { tradeOffView } from './trade-off.js';
import { DOUBTFUL, headOf, usersText, withInterval } from './words.js';

/**
 * @import { CellRecord, Interval, LifecycleRecord, Plan, WorkloadFacts } from '../../../types.d.ts'
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Row } from '../../rows.js'
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
 * @param {{plan: Plan, rows: Row[], measured: CellRecord[], lifecycle: LifecycleRecord[]}} run
 * @returns {{title: string, transport: string, charts: Chart[], [part: string]: any}[]}
 */
export function suiteViews({ plan, rows, measured, lifecycle }) {
  const suiteOf = (/** @type {string} */ id) => plan.workloads.find((w) => w.id === id)?.suite;
  const own = measured.filter((r) => suiteOf(r.workload) !== undefined);
  return groupBy(own, (r) => `${suiteOf(r.workload)}\n${r.transport}`).map((cells) => {
    const [{ workload, transport }] = cells;
    const title = /** @type {string} */ (suiteOf(workload));
    const ids = new Set(cells.map((c) => c.workload));
    return viewOfSuite({
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

/** @param {Suite} suite */
function viewOfSuite(suite) {
  const { title, transport, systems } = suite;
  const federation = federationView(suite);
  return {
    title,
    transport,
    heads: systems.map((id) => headOf(suite, id)),
    baseline: baselineView(suite),
    queries: queryRows(suite),
    concurrency: concurrencyTables(suite),
    federation,
    background: backgroundView(suite),
    tradeOff: tradeOffView(suite, federation),
    doubts: doubtsOf(suite),
    charts: suiteCharts(suite),
  };
}

/** @param {Suite} suite */
function baselineView(suite) {
  const rungs = ofFewestUsers(suite.wholes);
  return {
    users: rungs.length > 0 ? usersText(rungs[0].step.vus) : MISSING,
    rows: suite.workloads.map((w) => ({
      workload: w.title,
      cells: suite.systems.map((id) => wholeText(rungs.find((r) => r.workload === w.id && r.system === id))),
    })),
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
 * p95 of each kind of query, by the fewest users.
 * @param {Suite} suite
 * @returns {{query: string, cells: string[]}[]}
 */
function queryRows({ workloads, systems, rows }) {
  return workloads.flatMap((w) =>
    Object.entries(w.queries ?? {}).map(([operation, query]) => {
      const rungs = ofFewestUsers(rows.filter((r) => r.workload === w.id && r.operation === operation));
      return { query, cells: systems.map((id) => queryText(rungs.find((r) => r.system === id))) };
    }),
  );
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
 * @returns {{title: string, rows: object[]}[]} one for each workload; none where there is one rung only
 */
function concurrencyTables(suite) {
  const rungs = suite.wholes.filter(isUserRung);
  if (new Set(rungs.map((w) => w.step.vus)).size < 2) return [];
  return suite.workloads.map((w) => ({
    title: w.title,
    rows: suite.systems.flatMap((id) =>
      rungs
        .filter((r) => r.workload === w.id && r.system === id)
        .sort((a, b) => a.step.vus - b.step.vus)
        .map((r) => concurrencyRow(suite, r)),
    ),
  }));
}

/**
 * @param {Suite} suite
 * @param {Whole} whole
 */
function concurrencyRow(suite, whole) {
  const of = (/** @type {(cell: CellRecord) => number | undefined} */ read) => intervalOf(whole.usable, read);
  const failed = whole.cells.map(failuresOf);
  const sum = (/** @type {'failed' | 'all'} */ key) => failed.reduce((n, f) => n + f[key], 0);
  const bound = whole.codes.includes('generator_bound') ? '≥ ' : '';
  const alone = (/** @type {Interval | null} */ interval) => withInterval(interval, { several: false });
  const ran = whole.cells.some((c) => c.status === 'ok');
  return {
    system: headOf(suite, whole.system),
    users: String(whole.step.vus),
    mean: alone(of((c) => c.wholeMs?.mean)),
    p50: alone(of((c) => c.wholeMs?.p50)),
    p95: wholeText(whole),
    max: alone(of((c) => c.wholeMs?.max)),
    rate: whole.failure === null ? `${bound}${alone(of(rateOf))}` : MISSING,
    errors: ran ? `${sum('failed')} (${percent(sum('failed') / Math.max(1, sum('all')))})` : MISSING,
    degradation: degradationText(suite, whole),
  };
}

/**
 * @param {Suite} suite
 * @param {Whole} whole
 */
function degradationText(suite, whole) {
  const found = degradationOf(suite.wholes, whole);
  if (!found) return MISSING;
  return `${ratioWithInterval(found.ratio, found.pairs)}${found.doubtful ? DOUBTFUL : ''}`;
}

/**
 * @param {Suite} suite
 * @returns {string[]} what † stands for here
 */
function doubtsOf({ plan, wholes }) {
  const doubtful = wholes.filter((w) => w.doubts.length > 0);
  const codes = [...new Set(doubtful.flatMap((w) => w.doubts))];
  return codes.sort().map((code) => {
    const where = doubtful.filter((w) => w.doubts.includes(code));
    const rungs = where.map((w) => `${w.title}, ${w.workload}, ${stepText(plan, w.step.id)}`);
    const shownRungs = rungs.slice(0, 4).join('; ');
    const more = rungs.length > 4 ? ` and ${rungs.length - 4} more` : '';
    return `${code.replaceAll('_', '-')}: ${REASONS[code].text} (${shownRungs}${more})`;
  });
}
