import { LOG_FROM } from '../../charts/ladder.js';
import { marksOf } from '../../charts/marks.js';
import { ofFewestUsers } from '../../steps.js';
import { baseStepOf, chainOf, depthsOf, isUnpausedOnly, meanOf } from './federation.js';
import { usersText } from './words.js';

/**
 * @import { Point, Series } from '../../charts/draw.js'
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Suite } from './section.js'
 */

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
  const users = usersText(steps[0].step.vus);
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
        title: `${w.title}: mean latency, ${usersText(base?.vus ?? 1)}${base && isUnpausedOnly(base) ? ', without a pause' : ''}`,
        name: '',
        places: depths.map(([, d]) => `${d.depth} levels of relations${d.beside ? ` + ${d.beside}` : ''}`),
        series: seriesOf(suite, (id) =>
          depths.map(([operation]) => base && meanOf(suite.rows, w.id, id, base, operation)),
        ),
      });
    });
}
