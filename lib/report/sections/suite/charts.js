import { drawBars } from '../../charts/bars.js';
import { colorsOf } from '../../charts/colors.js';
import { figuresModel } from '../../charts/model.js';
import { ofFewestUsers } from '../../steps.js';
import { titleOf } from '../../words.js';
import { baseStepOf, chainOf, depthsOf, isUnpausedOnly, meanOf } from './federation.js';
import { usersText } from './words.js';

/**
 * @import { Bar } from '../../charts/bars.js'
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
 * @param {(id: string) => (Bar | null)[]} bars
 */
function seriesOf(suite, bars) {
  const colors = colorsOf(suite.plan);
  return suite.systems.map((id) => ({
    name: titleOf(suite.plan, id),
    color: String(colors.get(id)),
    bars: bars(id),
  }));
}

/**
 * @param {string} file
 * @param {string} alt
 * @param {Parameters<typeof drawBars>[0]} chart
 * @returns {Chart | null} null where nothing has a figure
 */
function chartOf(file, alt, chart) {
  if (chart.series.every((s) => s.bars.every((b) => b === null))) return null;
  const { title, unit, categories, xName = '', series } = chart;
  const figures = series.map(({ name, color, bars }) => ({ name, color, figures: bars }));
  const model = figuresModel({
    title,
    unit,
    categories,
    name: xName,
    log: false,
    joined: false,
    series: figures,
  });
  return { file, alt, svg: drawBars(chart), model };
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
  return chartOf(fileOf(suite, 'baseline'), `p95 of each workload, ${users}`, {
    title: `p95 of each workload, ${users}`,
    unit: 'ms',
    categories: suite.workloads.map((w) => w.title.split(',')[0]),
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
      return chartOf(fileOf(suite, `${w.id}-depths`), `${w.title}: mean latency by depth`, {
        title: `${w.title}: mean latency, ${usersText(base?.vus ?? 1)}${base && isUnpausedOnly(base) ? ', without a pause' : ''}`,
        unit: 'ms',
        xName: 'levels of relations',
        categories: depths.map(([, d]) => `${d.depth}${d.beside ? ` + ${d.beside}` : ''}`),
        series: seriesOf(suite, (id) =>
          depths.map(([operation]) => base && meanOf(suite.rows, w.id, id, base, operation)),
        ),
      });
    });
}
