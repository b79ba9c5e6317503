import { groupBy } from '../../../group-by.js';
import { LOG_FROM } from '../../charts/ladder.js';
import { marksOf } from '../../charts/marks.js';
import { ofFewestUsers } from '../../steps.js';
import { counted } from '../../words.js';
import { baseStepOf, chainOf, depthsOf, isUnpausedOnly, meanOf } from '../promises/relations.js';

/**
 * @import { Point, Series } from '../../charts/draw.js'
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan, WorkloadFacts } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 */

/**
 * Workloads that belong together: all of a page that compares storages of one API.
 * @typedef {object} Suite
 * @property {Plan} plan
 * @property {string} title
 * @property {string} transport
 * @property {WorkloadFacts[]} workloads in the order of the plan
 * @property {string[]} systems ids, in the order of the plan
 * @property {Row[]} wholes all operations of a step together
 * @property {Row[]} rows of single operations
 */

/**
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes'>} run
 * @returns {Suite[]} one for each transport
 */
export function suitesOf({ plan, rows, wholes }) {
  const suiteOf = new Map(plan.workloads.map((w) => [w.id, w.shown?.suite]));
  const own = wholes.filter((r) => suiteOf.get(r.workload) !== undefined);
  return groupBy(own, (r) => `${suiteOf.get(r.workload)}\n${r.transport}`).map((steps) => {
    const [{ workload, transport }] = steps;
    const ids = new Set(steps.map((c) => c.workload));
    return {
      ...{ plan, title: String(suiteOf.get(workload)), transport, wholes: steps },
      workloads: plan.workloads.filter((w) => ids.has(w.id)),
      systems: plan.systems.map((s) => s.id).filter((id) => steps.some((c) => c.system === id)),
      rows: rows.filter((r) => ids.has(r.workload) && r.transport === transport),
    };
  });
}

/**
 * The bar charts of a suite: p95 of each workload, latency by depth.
 * @param {Suite} suite
 * @returns {Chart[]}
 */
export function suiteCharts(suite) {
  return [baselineChart(suite), ...depthCharts(suite)].flatMap((chart) => chart ?? []);
}

/**
 * @param {Suite} suite
 * @param {(id: string) => (Point | null)[]} read
 * @returns {Series[]}
 */
function seriesOf({ plan, systems }, read) {
  const markOf = marksOf(plan);
  return systems.map((id) => ({ ...markOf(id), points: read(id) }));
}

/**
 * @param {string} file
 * @param {{title: string, name: string, places: string[], series: Series[]}} chart
 * @returns {Chart | null} null where nothing has a figure
 */
function chartOf(file, chart) {
  const values = chart.series.flatMap(({ points }) =>
    points.flatMap((p) => (p && p.median > 0 ? [p.median] : [])),
  );
  if (values.length === 0) return null;
  const log = Math.max(...values) / Math.min(...values) >= LOG_FROM;
  return { file, model: { ...chart, kind: 'bars', unit: 'ms', log } };
}

/** @param {Suite} suite @param {string} part */
function fileOf({ title, transport }, part) {
  return `suite-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-${transport}-${part}.svg`;
}

/** @param {Suite} suite */
function baselineChart(suite) {
  const steps = ofFewestUsers(suite.wholes);
  // One bar compares nothing.
  if (steps.length === 0 || suite.workloads.length * suite.systems.length < 2) return null;
  const users = counted(steps[0].step.vus, 'user');
  return chartOf(fileOf(suite, 'baseline'), {
    title: `p95 of each workload, ${users}`,
    name: '',
    places: suite.workloads.map((w) => w.title.split(',')[0]),
    series: seriesOf(suite, (id) =>
      suite.workloads.map(
        (w) => steps.find((r) => r.workload === w.id && r.system === id)?.serviceMs.p95 ?? null,
      ),
    ),
  });
}

/** @param {Suite} suite */
function depthCharts(suite) {
  return suite.workloads
    .filter((w) => chainOf(w) !== null)
    .map((w) => {
      const base = baseStepOf(suite.wholes, w.id);
      const depths = depthsOf(w);
      return chartOf(fileOf(suite, `${w.id}-depths`), {
        title: `${w.title}: mean latency, ${counted(base?.vus ?? 1, 'user')}${base && isUnpausedOnly(base) ? ', without a pause' : ''}`,
        name: '',
        places: depths.map(([, d]) => `${d.depth} levels of relations${d.beside ? ` + ${d.beside}` : ''}`),
        series: seriesOf(suite, (id) =>
          depths.map(([operation]) => base && meanOf(suite.rows, w.id, id, base, operation)),
        ),
      });
    });
}
