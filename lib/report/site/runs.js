import { representative } from '../../../k6/schedule/facts.js';
import { loadStacks } from '../../config/stacks.js';
import { measuredOf } from '../../figures/changes.js';
import { winnerOf } from '../../figures/compare.js';
import { operationText, TOGETHER } from '../../figures/rows.js';
import { marksOf } from '../charts/marks.js';
import { indexedLosses } from '../sections/losses/answer.js';
import { isOurs } from '../systems.js';
import { markdownLine } from '../table.js';
import { counted, questionOf, topicOf, workloadTitleOf } from '../words.js';

/**
 * What `reports/index.json` says of a run: enough to list, sort and draw what every run measured, and no more.
 * @import { IndexedRun, MetricName, Plan } from '../../types.d.ts'
 * @import { Run } from '../run.js'
 */

/** What the results site can be sorted by. @type {readonly MetricName[]} */
export const SHOWN = Object.freeze(['throughput', 'p99', 'cpu', 'hitRatio', 'memory']);
/** Pairs are compared by it: operations of a CPU-second are CPU time of an operation, turned upside down. */
const PAIRED = 'efficiency';
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
  const starts = sideBySide.reduce((n, s) => n + s.starts, 0);
  const systems = plan.systems.filter((s) => s.role === 'system');
  const shown = measured
    .map((load) => ({ ...load, operation: operationText(load.operation) }))
    .filter(({ workload, operation }) => isShown(plan, workload, operation));
  // Operations that share a window go at one pace: what is said of one is said of all.
  const together = new Set(shown.flatMap((load) => (load.operation === TOGETHER ? [placeOf(load)] : [])));
  return {
    ...{ run: name, archive, date: name.slice(0, 10), profile: plan.profileId, engine: plan.engine },
    ...{ topic: topicOf(plan), question: questionOf(plan), losses: indexedLosses(run) },
    answer: run.answers.slice(0, SENTENCES).map(markdownLine).join(' '),
    valid: verdicts.total > 0 ? `${verdicts.valid} / ${verdicts.total}` : counted(starts, 'start'),
    machine: `${cpuModel}, ${cores} cores, ${Math.round(memoryBytes / 2 ** 30)} GiB`,
    trials: Math.max(plan.repeats, ...comparisons.map(({ n }) => n)),
    workloads: plan.workloads.map(({ id }) => ({ id, title: workloadTitleOf(plan, id) })),
    systems: systems.map(({ id }) => ({ ...markOf(id), id, title: markOf(id).name, ours: isOurs(plan, id) })),
    loads: shown.map(({ workload, transport, step, operation, connections, depth, system, figures }) => ({
      ...{ workload, transport, step, operation, users: connections, depth, system },
      figures: SHOWN.flatMap((metric) => {
        const figure = figures[metric];
        if (!figure) return [];
        const [median, low, high] = [figure.median, figure.low, figure.high].map(rounded);
        return [{ metric, median, low, high, bound: figure.bound, rankable: figure.rankable }];
      }),
    })),
    comparisons: comparisons.flatMap((comparison) => {
      const { load, metric, kind, a, b, outcome, ratio } = comparison;
      const by = metric === PAIRED ? 'cpu' : metric;
      if (!load || kind !== 'rivals' || !SHOWN.includes(by)) return [];
      const named = operationText(load.operation);
      if (!isShown(plan, load.workload, named)) return [];
      const best = ratio && Math.max(ratio.estimate, 1 / ratio.estimate);
      const winner = winnerOf(comparison);
      const operation = together.has(placeOf(load)) ? TOGETHER : named;
      return [{ ...load, operation, metric: by, a, b, outcome, winner, factor: best && rounded(best) }];
    }),
  };
}

/** @param {{workload: string, transport: string, step: string}} load */
function placeOf({ workload, transport, step }) {
  return [workload, transport, step].join('\n');
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
