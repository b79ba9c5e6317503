import { isBusy, isOpenStep, isPaused, isPlain, shapeOfStep } from '../../config/step-text.js';
import { cellsOf } from '../../config/trials.js';
import { compareSides, comparisonsAt, keyOf, loadOf } from '../../figures/comparisons.js';
import { largestOf } from '../../figures/figure.js';
import { leadsOf } from '../../figures/lead.js';
import { METRICS } from '../../figures/metrics.js';
import { TOGETHER } from '../../figures/rows.js';
import { operationOf } from '../../figures/side-by-side.js';
import { figureText } from '../../format.js';
import { groupBy } from '../../group-by.js';
import { contenders } from '../systems.js';
import { at, ladderSteps, stepsOf } from './families.js';

/**
 * @import { Figure } from '../../figures/figure.js'
 * @import { Row } from '../../figures/rows.js'
 * @import { Lead } from '../../figures/lead.js'
 * @import { Comparison, MetricName, Plan, Step } from '../../types.d.ts'
 * @import { Run } from '../run.js'
 * @import { Shape } from '../../config/step-text.js'
 * @import { Family, Load } from './families.js'
 */

/**
 * What one system answers. `value`: as a number in the unit of the question, where there is no figure over trials; `state`:
 * why there is none, or what stands beside it.
 * @typedef {{figure: Figure | null, value?: number | null, state?: 'failing' | 'no figure', note?: string}} Answer
 */

/**
 * What a chooser asks, with the answer of each system: fields, and no text.
 * @typedef {object} Question
 * @property {MetricName | 'latency' | 'failures'} dimension the metric; of times at one percentile or another what all of them tell
 * @property {MetricName | 'failures'} metric
 * @property {string} measure what the figures are of, where the unit does not say it: `p99`
 * @property {string} unit
 * @property {(Shape & {title: string, operation: string}) | null} load `title`: of the workload, where a run has several;
 *   `operation`: '' where the workload has but one; null of what is no load's
 * @property {ReadonlyMap<string, Answer>} answers by system
 * @property {readonly Comparison[]} comparisons by that metric on that load, those with a server of ours too
 * @property {Lead[]} leads what those of products come to
 * @property {number} weight the least of it is left out first
 */

/** More than the weight of any. */
const UNCOMPARED = 100;

/** Metrics of which one tells what the others do. @type {readonly MetricName[]} */
const LATENCIES = Object.freeze(['p95', 'p99', 'response']);

/** @typedef {Pick<Run, 'plan' | 'rows' | 'wholes' | 'lifecycle' | 'sideBySide' | 'comparisons' | 'beside'>} Asked */

/**
 * @param {Asked} run
 * @param {Family} family
 * @returns {Question[]} in the order in which they are read
 */
export function questionsOf(run, family) {
  const own = familyQuestions(run, family);
  const isFirst = family.loads.some((load) => load.main.some(isFailing));
  const failures = own.filter((q) => isFirst && q.dimension === 'failures');
  const ofLoads = family.loads.flatMap((load) => loadQuestions(run, family, load));
  const all = [...new Set([...failures, ...efficiencyQuestions(run, family), ...ofLoads, ...own])];
  // Among several systems a question that compares none of them comes last.
  const isLast = (/** @type {Question} */ q) => family.systems.length > 1 && q.leads.length === 0;
  return all.filter(isAnswered).map((q) => ({ ...q, weight: q.weight - (isLast(q) ? UNCOMPARED : 0) }));
}

/** @param {Row | null | undefined} row @returns {boolean} whether more of it failed than is tolerated */
function isFailing(row) {
  return row?.why.includes('errors') === true;
}

/** @param {Answer} answer @returns {boolean} whether it is a number */
function isKnown({ figure, value = null }) {
  return figure !== null || value !== null;
}

/** @param {Question} question */
function isAnswered({ answers, metric }) {
  return [...answers.values()].some((a) => (metric === 'failures' ? a.value !== 0 : isKnown(a)));
}

/**
 * @param {Pick<Asked, 'plan'>} run
 * @param {{metric: MetricName, load: Question['load'], weight: number, unit?: string, measure?: string}} what
 * @param {[string, Answer][]} answers by system
 * @param {Comparison[]} comparisons by that metric on that load
 * @returns {Question}
 */
function question({ plan }, { metric, ...what }, answers, comparisons) {
  const shown = answers.flatMap(([id, answer]) => (isKnown(answer) ? [id] : []));
  const able = contenders(plan, shown);
  return {
    ...{ metric, measure: '', unit: METRICS[metric].unit, ...what },
    dimension: LATENCIES.includes(metric) ? 'latency' : metric,
    answers: new Map(answers),
    comparisons,
    leads: leadsOf(able, comparisons),
  };
}

/**
 * A question that is compared between all who have a figure.
 * @param {Pick<Asked, 'plan'>} run
 * @param {{metric: MetricName, measure: string, unit?: string, weight: number, load?: Question['load']}} what `load`: absent of what is no load's
 * @param {{system: string, figure: Figure | null, row: Row | null}[]} sides
 * @param {(a: string, b: string) => boolean} [mayMeet] which two
 * @returns {Question}
 */
export function sidesQuestion(run, what, sides, mayMeet = () => true) {
  // Nothing is no multiple of anything.
  const known = sides.filter(({ figure }) => figure && figure.median !== 0);
  const pairs = known.flatMap((a, i) => known.slice(i + 1).map((b) => ({ a, b })));
  return question(
    run,
    { load: null, ...what },
    sides.map(({ system, figure }) => [system, { figure }]),
    pairs
      .filter(({ a, b }) => mayMeet(a.system, b.system))
      .map(({ a, b }) => compareSides(a, b, what.metric)),
  );
}

/** Loads of which all operations stand in the matrix. */
const FEW = 8;

/**
 * @param {Asked} run
 * @param {Family} family
 * @returns {Question[]} operations per CPU-second of systems that were loaded at the same moment, load by load
 */
function efficiencyQuestions(run, family) {
  return run.sideBySide.flatMap(({ group, starts, comparisons: paired }, trial) => {
    const load = family.loads.find(
      ({ facts, transport }) => facts.id === group.workload && transport === group.transport,
    );
    if (!load || starts === 0 || paired.length === 0) return [];
    const main = load.main[0]?.operation;
    const some = group.cells.filter((c) => group.cells.length <= FEW || c.operation === main);
    return (some.length > 0 ? some : group.cells).map((cell, i) => {
      const own = paired.filter((c) => c.cell === cell.id);
      const operation = operationOf(cell);
      const rows = [...run.rows, ...run.wholes].filter(
        (r) => r.paired === trial && r.step.id === cell.stepId && r.operation === operation,
      );
      const answers = family.systems.map((id) => {
        const figure = rows.find((r) => r.system === id)?.systemCpuUsPerOp;
        // What an operation costs alone is one figure for each; slices of two pairs are not of the same moment.
        const pair = own.find(({ a, b }) => a === id || b === id);
        const perSec = pair?.medians[pair.a === id ? 'a' : 'b'];
        const value = figure?.median ?? (perSec ? 1e6 / perSec : null);
        return /** @type {[string, Answer]} */ ([id, { figure: null, value }]);
      });
      const { title: measure, unit } = METRICS.cpu;
      const what = { measure, unit, load: namedLoad(run, family, load, operation, cell.stepId) };
      // The loads of a group grow, and the heaviest tells most.
      return question(run, { metric: 'efficiency', weight: 10 + i / 100, ...what }, answers, own);
    });
  });
}

/**
 * @param {Pick<Asked, 'plan'>} run
 * @param {Family} family
 * @param {Load} load
 * @param {string} operation
 * @param {string} stepId
 * @returns {Question['load']}
 */
function namedLoad({ plan }, { loads }, { facts, transport }, operation, stepId) {
  const transports = new Set(plan.trials.flatMap((t) => (t.workload === facts.id ? [t.transport] : [])));
  const over = transports.size > 1 ? ` over ${transport}` : '';
  const isWhole = operation === TOGETHER || Object.keys(facts.operations).length === 1;
  const isOne = new Set(loads.map((l) => l.facts.id)).size === 1;
  return {
    ...shapeOfStep(plan, stepId),
    title: isOne && !isWhole ? '' : `${facts.title}${isWhole ? over : ''}`,
    operation: isWhole ? '' : `${operation}${over}`,
  };
}

/**
 * @param {Asked} run
 * @param {Family} family
 * @param {Load} load
 * @returns {Question[]}
 */
function loadQuestions(run, family, load) {
  const { plan } = run;
  const steps = ladderSteps(plan, load.main);
  const plain = steps.filter((s) => (s.depth ?? 1) === 1);
  // The most that a system does is what it does before it fails.
  const sound = plain.filter((s) => !load.main.some((r) => r.step.id === s.id && isFailing(r)));
  const busiest = busiestOf(load.main, sound.length > 0 ? sound : plain);
  const piped = busiestOf(
    load.main,
    steps.filter((s) => (s.depth ?? 1) > 1),
  );
  const [fewest] = plain;
  const ask = asker(run, family, load);
  const isFew = fewest && fewest !== busiest;
  // What pauses set says nothing of a system.
  const asksRate = busiest && !isPaused(plan, load.facts, busiest);
  const fastest = stepsOf(load.main).filter(isOpenStep).at(-1);
  const turns = busiest ? turnsOf(load.main, busiest) : [];
  const [busy] = turns.filter(isBusy);
  const p = (/** @type {Step} */ step) =>
    load.main.some((r) => r.step.id === step.id && r.serviceMs.p99) ? 'p99' : 'p95';
  const isCache = load.main.some((r) => r.hitPercent);
  return [
    ...(isCache && busiest ? [ask('hitRatio', load.main, busiest, 12)] : []),
    ...(isFew && asksRate ? [ask('throughput', load.main, fewest, 6)] : []),
    ...(asksRate
      ? load.operations.map((rows) => {
          // What is no part of the busiest step has one of its own.
          const isThere = rows.some((r) => r.step.id === busiest.id);
          const step = isThere ? busiest : (busiestOf(rows, ladderSteps(plan, rows)) ?? busiest);
          return ask('throughput', rows, step, rows === load.main ? 10 : 4);
        })
      : []),
    // Of turns of one system the first screen has the strongest and the weakest: at rest and busy.
    ...turns.filter((s) => s !== busiest).map((s) => ask('throughput', load.main, s, s === busy ? 8.9 : 9)),
    ...(piped ? [ask('throughput', load.main, piped, 9)] : []),
    ...(busiest ? [ask(p(busiest), load.main, busiest, 8)] : []),
    ...(busy ? [ask(p(busy), load.main, busy, 8)] : []),
    ...(fastest ? [ask('response', load.main, fastest, 8.5)] : []),
    ...[piped ?? busiest].flatMap((step) => (step ? [ask('cpu', load.main, step, 5)] : [])),
    ...(fastest ? [ask('cpu', load.main, fastest, 5.5)] : []),
  ].filter((q) => q !== null);
}

/**
 * @param {Row[]} rows of one operation
 * @param {Step} rested
 * @returns {Step[]} the same load at rest and busy, in the order of the run; none where it was never busy
 */
function turnsOf(rows, rested) {
  const steps = stepsOf(rows).filter((s) => s.vus === rested.vus && (isPlain(s) || isBusy(s)));
  return steps.some(isBusy) ? steps : [];
}

/**
 * @param {Row[]} rows
 * @param {Step[]} steps
 * @returns {Step | undefined} the one on which the systems together do most
 */
export function busiestOf(rows, steps) {
  const sum = (/** @type {Step} */ { id }) =>
    rows.reduce((n, r) => n + (r.step.id === id ? (r.ratePerSec?.median ?? 0) : 0), 0);
  return [...steps].sort((a, b) => sum(b) - sum(a))[0];
}

/**
 * @param {Asked} run
 * @param {Family} family
 * @param {Load} load
 * @returns {(metric: MetricName, rows: Row[], step: Step, weight: number) => Question | null} null of CPU across trials where pairs answer it
 */
function asker(run, family, load) {
  return (metric, rows, step, weight) => {
    const atLoad = { ...loadOf(rows[0]), step: step.id };
    if (metric === 'cpu' && comparisonsAt(run.comparisons, atLoad, 'efficiency').length > 0) return null;
    const answers = family.systems.map((system) => {
      const row = at(rows, step.id, system);
      const isShown = row?.usable && !(LATENCIES.includes(metric) && isFailing(row));
      const figure = isShown ? (METRICS[metric].of?.(row) ?? null) : null;
      const state = figure ? isFailing(row) && 'failing' : row?.failure && 'no figure';
      return /** @type {[string, Answer]} */ ([system, { figure, ...(state ? { state } : {}) }]);
    });
    const reference = run.beside.find(
      (r) => r.role === 'calibration' && r.usable && keyOf(loadOf(r)) === keyOf(atLoad),
    );
    const title = metric === 'throughput' ? '' : METRICS[metric].title;
    const rate = metric === 'cpu' && isOpenStep(step) ? ' at that rate' : '';
    const what = {
      ...{ metric, weight, load: namedLoad(run, family, load, rows[0].operation, step.id) },
      measure:
        metric === 'response' && reference
          ? `${title} (null responder ${figureText(reference.responseP99Ms)} ms)`
          : `${title}${rate}`,
    };
    return question(run, what, answers, comparisonsAt(run.comparisons, atLoad, metric));
  };
}

/**
 * What is asked of a system whatever its load.
 * @param {Asked} run
 * @param {Family} family
 * @returns {Question[]}
 */
function familyQuestions(run, { systems, loads }) {
  const { wholes, lifecycle } = run;
  const ids = new Set(loads.map((l) => l.facts.id));
  const placeOf = (/** @type {Row} */ row) => keyOf(loadOf(row));
  const own = wholes.filter((w) => ids.has(w.workload) && w.paired === null);
  /**
   * @param {Parameters<typeof sidesQuestion>[1]} what
   * @param {(system: string) => Figure | null} read
   * @param {(system: string) => Row | null} [rowOf] under which promise it was measured, where that matters
   */
  const ask = (what, read, rowOf = () => null) => {
    const sides = systems.map((system) => ({ system, figure: read(system), row: rowOf(system) }));
    return sidesQuestion(run, what, sides);
  };
  const isOfAll = (/** @type {Row[]} */ same) => systems.every((id) => same.some((w) => w.system === id));
  const common = groupBy(own, placeOf).filter(isOfAll);
  // Who did more than the others needed memory for more.
  const loaded = common.length > 0 ? common.flat() : own;
  const peak = (/** @type {string} */ id) =>
    largestOf(loaded.filter((w) => w.system === id).map((w) => w.used.system.rssPeakBytes));
  // What a system keeps in memory and on disk depends on what it promises: of a step that all of them did.
  const promise = (/** @type {string} */ id) => common[0]?.find((w) => w.system === id) ?? null;
  const stored = (/** @type {string} */ id) =>
    own
      .filter((w) => w.system === id)
      .map(({ footprint: f }) => f?.after.ownBytes ?? f?.after.diskBytes ?? f?.before.diskBytes ?? null)
      .find((f) => f) ?? null;
  // Where repeats measure a system, too, its memory is that of a repeat.
  const starts = run.sideBySide.filter(
    ({ group }) =>
      !cellsOf(run.plan).some((c) => c.role === 'system' && c.workload === group.workload) &&
      loads.some((l) => l.facts.id === group.workload && l.facts.keys),
  );
  const afterLoads = (/** @type {string} */ id) =>
    starts.flatMap(({ memory }) => memory).find((m) => m.system === id)?.rssBytes ?? null;
  const ofStarts = (/** @type {string} */ id) =>
    run.rows.find((r) => r.system === id && starts.includes(run.sideBySide[r.paired ?? -1])) ?? null;
  const failed = (/** @type {string} */ id) => {
    const value = own.filter((w) => w.system === id).reduce((n, w) => n + w.tried.failed, 0);
    return { figure: null, value };
  };
  const startUp = (/** @type {string} */ id) => lifecycle.find((l) => l.system === id)?.start ?? null;
  return [
    ask({ metric: 'memory', measure: 'memory at its peak', unit: 'MiB', weight: 7.5 }, peak, promise),
    ask(
      { metric: 'memory', measure: 'memory after these loads', unit: 'MiB', weight: 9.5 },
      afterLoads,
      ofStarts,
    ),
    ask({ metric: 'startUp', measure: METRICS.startUp.title, weight: 7 }, startUp),
    ask({ metric: 'size', measure: 'stored data after compaction', unit: 'MiB', weight: 7 }, stored, promise),
    uncompared('failures', 'operations that failed', 6.5, failed, systems),
  ];
}

/**
 * @param {'failures' | 'cpu'} metric
 * @param {string} measure
 * @param {number} weight
 * @param {(id: string) => Answer} read
 * @param {Iterable<string>} systems
 * @returns {Question} of no load, which names nobody
 */
export function uncompared(metric, measure, weight, read, systems) {
  const answers = new Map([...systems].map((id) => [id, read(id)]));
  const nothing = { unit: '', load: null, comparisons: [], leads: [] };
  return { ...nothing, dimension: metric, metric, measure, weight, answers };
}
