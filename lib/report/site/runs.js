import { representative } from '../../../k6/schedule/facts.js';
import { loadStacks } from '../../config/stacks.js';
import { measuredOf } from '../../figures/changes.js';
import { comparisonsAt, keyOf } from '../../figures/comparisons.js';
import { outcomeOf } from '../../figures/lead.js';
import { operationText, TOGETHER } from '../../figures/rows.js';
import { groupBy } from '../../group-by.js';
import { marksOf } from '../charts/marks.js';
import { indexedLosses } from '../sections/losses/answer.js';
import { contenders, isOurs, systemsIn } from '../systems.js';
import { markdownLine } from '../table.js';
import { counted, questionOf, topicOf, workloadTitleOf } from '../words.js';

/**
 * What `reports/index.json` says of a run: enough to list, sort and draw what every run measured, and no more.
 * @import { Measured } from '../../figures/changes.js'
 * @import { Comparison, IndexedRun, MetricName, Plan } from '../../types.d.ts'
 * @import { Run } from '../run.js'
 */

/** What the results site can be sorted by. @type {readonly MetricName[]} */
export const SHOWN = Object.freeze(['throughput', 'p99', 'cpu', 'hitRatio', 'memory']);
/** Sentences of an answer: the report has the rest. */
const SENTENCES = 2;
/** To as many significant digits as anybody is shown. @param {number} value */
const rounded = (value) => Number(value.toPrecision(3));

/**
 * @param {string} name of the run
 * @param {Run} run
 * @param {string | null} archive SHA-256 of its archive
 * @returns {IndexedRun}
 */
export function indexedRun(name, run, archive) {
  const { plan, verdicts, sideBySide } = run;
  const { measured, comparisons } = measuredOf(run);
  const markOf = marksOf(plan);
  const { cpuModel, cores, memoryBytes } = run.environment.host;
  // What could not be compared names nobody, however often it ran.
  const compared = comparisons.filter(({ outcome }) => outcome !== 'not comparable');
  const starts = sideBySide.reduce((n, s) => n + s.starts, 0);
  const systems = systemsIn(plan);
  const shown = measured
    .map((load) => ({ ...load, operation: operationText(load.operation) }))
    .filter(({ workload, operation }) => isShown(plan, workload, operation));
  const loads = groupBy(shown, keyOf).flatMap((own) => indexedLoad(plan, own, comparisons));
  return {
    ...{ run: name, archive, date: name.slice(0, 10), profile: plan.profileId, engine: plan.engine },
    ...{ topic: topicOf(plan), question: questionOf(plan), losses: indexedLosses(run) },
    answer: run.answers.slice(0, SENTENCES).map(markdownLine).join(' '),
    valid: verdicts.total > 0 ? `${verdicts.valid} / ${verdicts.total}` : counted(starts, 'start'),
    machine: `${cpuModel}, ${cores} cores, ${Math.round(memoryBytes / 2 ** 30)} GiB`,
    trials: Math.max(plan.repeats, ...compared.map(({ n }) => n)),
    workloads: plan.workloads.map(({ id }) => ({ id, title: workloadTitleOf(plan, id) })),
    systems: systems.map(({ id }) => ({ ...markOf(id), id, title: markOf(id).name, ours: isOurs(plan, id) })),
    loads: loads.sort((a, b) => b.users * b.depth - a.users * a.depth),
  };
}

/** @typedef {IndexedRun['loads'][number]} IndexedLoad */

/**
 * @param {Plan} plan
 * @param {Measured[]} own of each system
 * @param {Comparison[]} comparisons of all loads
 * @returns {IndexedLoad[]} none without a figure
 */
function indexedLoad(plan, own, comparisons) {
  const [{ workload, transport, step, operation, connections: users, depth }] = own;
  const load = { workload, transport, step, operation };
  const metrics = SHOWN.flatMap((metric) => {
    const figures = own.flatMap(({ system, figures: { [metric]: figure } }) => {
      if (!figure) return [];
      const [median, low, high] = [figure.median, figure.low, figure.high].map(rounded);
      return [[system, { median, low, high, n: figure.n, bound: figure.bound, rankable: figure.rankable }]];
    });
    const able = contenders(plan, [...new Set(figures.map(([system]) => String(system)))]);
    // Who was loaded at the same moment is compared by operations of a CPU-second: CPU of an operation, turned upside down.
    const pairs = /** @type {MetricName[]} */ (metric === 'cpu' ? ['efficiency', 'cpu'] : [metric])
      .flatMap((by) => comparisonsAt(comparisons, load, by))
      .filter(({ a, b }) => able.includes(a) && able.includes(b));
    const { factors, interval, ...who } = outcomeOf(able, pairs);
    const by = { factors: [...new Set(factors.map(rounded))], interval: interval.map(rounded) };
    const measured = { figures: Object.fromEntries(figures), ...who, ...by };
    return figures.length > 0 ? [[metric, measured]] : [];
  });
  return metrics.length > 0 ? [{ ...load, users, depth, metrics: Object.fromEntries(metrics) }] : [];
}

/**
 * @param {Plan} plan
 * @param {string} workload
 * @param {string} operation
 * @returns {boolean} whether it is what the workload is known by: its main operation, or all of one window together
 */
function isShown({ workloads }, workload, operation) {
  const facts = workloads.find((w) => w.id === workload);
  return operation === TOGETHER || (facts !== undefined && representative(facts) === operation);
}

/**
 * @param {IndexedRun[]} runs
 * @returns {import('../../types.d.ts').UnmeasuredSystem[]} systems of this checkout that no run has, and how each is measured
 */
export function unmeasured(runs) {
  const seen = new Set(runs.flatMap(({ systems }) => systems.map(({ id }) => id)));
  return loadStacks()
    .stacks.filter(({ id }) => !id.startsWith('_') && !id.includes('@') && !seen.has(id))
    .map(({ id, manifest }) => ({
      ...{ id, title: manifest.title, workloads: Object.keys(manifest.workloads) },
      endpoint: manifest.endpoint.url
        .replace('{host}', 'HOST')
        .replace('{port}', 'PORT')
        .replace('{transport}', Object.values(manifest.workloads)[0].transports[0]),
    }));
}
