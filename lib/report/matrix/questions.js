import { isBusy, isOpenStep, isPaused, isPlain, shapeOfLoad } from '../../config/step-text.js';
import { cellsOf } from '../../config/trials.js';
import { capacitiesOf } from '../../figures/capacity.js';
import { compareSides, comparisonsAt, keyOf, loadOf } from '../../figures/comparisons.js';
import { largestOf } from '../../figures/figure.js';
import { leadsOf } from '../../figures/lead.js';
import { METRICS } from '../../figures/metrics.js';
import { TOGETHER } from '../../figures/rows.js';
import { operationOf } from '../../figures/side-by-side.js';
import { groupBy } from '../../group-by.js';
import { contenders } from '../systems.js';
import { phrase } from '../template.js';
import { at, ladderRows, ladderSteps, stepsOf } from './families.js';
import { whatText } from './labels.js';

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
 * @property {MetricName | 'latency' | 'failures' | 'users'} dimension the metric; of times at one percentile or another what all of them tell
 * @property {MetricName | 'failures' | 'users'} metric
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
  const ofUsers = capacityQuestions(run, family);
  const all = [
    ...new Set([...failures, ...efficiencyQuestions(run, family), ...ofLoads, ...ofUsers, ...own]),
  ];
  // Among several systems a question that compares none of them comes last, but for what a ladder is climbed for.
  const isLast = (/** @type {Question} */ q) =>
    family.systems.length > 1 && q.leads.length === 0 && q.metric !== 'users';
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
 * `load`: absent of what is no load's; `unit`: where it is not that of the metric.
 * @template {Question['metric']} M
 * @typedef {{metric: M, weight: number, load?: Question['load'], unit?: string, measure?: string}} What
 */

/**
 * @param {Plan} plan
 * @param {What<Question['metric']>} what
 * @param {Iterable<string>} systems
 * @param {(id: string) => Answer} read
 * @param {Comparison[]} [comparisons] by that metric on that load; without any it names nobody
 * @returns {Question}
 */
export function asQuestion(plan, what, systems, read, comparisons = []) {
  const answers = new Map([...systems].map((id) => [id, read(id)]));
  const shown = [...answers].flatMap(([id, answer]) => (isKnown(answer) ? [id] : []));
  const metric = /** @type {MetricName} */ (what.metric);
  return {
    ...{ measure: '', unit: METRICS[metric]?.unit ?? '', load: null, ...what, answers, comparisons },
    dimension: LATENCIES.includes(metric) ? 'latency' : metric,
    leads: leadsOf(contenders(plan, shown), comparisons),
  };
}

/**
 * A question that is compared between all who have a figure.
 * @param {Plan} plan
 * @param {What<MetricName>} what
 * @param {string[]} systems
 * @param {(system: string) => Figure | null} read
 * @param {{rowOf?: (system: string) => Row | null, mayMeet?: (a: string, b: string) => boolean}} [options] `rowOf`: under
 *   which promise it was measured, where that matters; `mayMeet`: which two
 * @returns {Question}
 */
export function sidesQuestion(plan, what, systems, read, { rowOf, mayMeet = () => true } = {}) {
  const sides = systems.map((system) => ({ system, figure: read(system), row: rowOf?.(system) }));
  // Nothing is no multiple of anything.
  const known = sides.filter(({ figure }) => figure && figure.median !== 0);
  const pairs = known.flatMap((a, i) => known.slice(i + 1).map((b) => ({ a, b })));
  const comparisons = pairs
    .filter(({ a, b }) => mayMeet(a.system, b.system))
    .map(({ a, b }) => compareSides(a, b, what.metric));
  return asQuestion(plan, what, systems, (id) => ({ figure: read(id) }), comparisons);
}

const MEMORY = /** @type {const} */ ({ metric: 'memory', unit: 'MiB' });
const FAILED = /** @type {const} */ ({ metric: 'failures', measure: 'operations that failed', weight: 6.5 });
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
      const rivals = own.filter(({ kind }) => kind !== 'same');
      const operation = operationOf(cell);
      const rows = [...run.rows, ...run.wholes].filter(
        (r) => r.paired === trial && r.step.id === cell.stepId && r.operation === operation,
      );
      const read = (/** @type {string} */ id) => {
        const figure = rows.find((r) => r.system === id)?.systemCpuUsPerOp;
        const pair = rivals.find(({ a, b }) => a === id || b === id);
        const perSec = pair?.medians[pair.a === id ? 'a' : 'b'];
        const together = perSec ? 1e6 / perSec : null;
        // Of one pair what its ratio is made of. Of several pairs, which were loaded at other moments, what each system costs alone.
        return { figure: null, value: rivals.length === 1 ? together : (figure?.median ?? together) };
      };
      const { title: measure, unit } = METRICS.cpu;
      const named = { measure, unit, load: namedLoad(run, family, load, operation, cell.stepId) };
      // The loads of a group grow, and the heaviest tells most.
      const what = /** @type {const} */ ({ metric: 'efficiency', weight: 10 + i / 100, ...named });
      return asQuestion(run.plan, what, family.systems, read, own);
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
    ...shapeOfLoad(plan, facts, operation, stepId),
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
  const { main } = load;
  const steps = ladderSteps(plan, main);
  const [plain, deep] = [false, true].map((isDeep) => steps.filter((s) => (s.depth ?? 1) > 1 === isDeep));
  // The most that a system does is what it does before it fails.
  const sound = plain.filter((s) => !main.some((r) => r.step.id === s.id && isFailing(r)));
  const busiest = busiestOf(main, sound.length > 0 ? sound : plain);
  const piped = busiestOf(main, deep);
  const [fewest] = plain;
  const ask = asker(run, family, load);
  // What pauses set says nothing of a system.
  const asksRate = busiest && !isPaused(plan, load.facts, busiest);
  const fastest = stepsOf(main).filter(isOpenStep).at(-1);
  const turns = busiest ? turnsOf(main, busiest) : [];
  const [busy] = turns.filter(isBusy);
  const askTail = (/** @type {Step | undefined} */ step) => {
    const isSeen = main.some((r) => r.step.id === step?.id && r.serviceMs.p99);
    return ask(isSeen ? 'p99' : 'p95', main, step, 8);
  };
  return [
    ...(main.some((r) => r.hitPercent) ? ask('hitRatio', main, busiest, 12) : []),
    ...(asksRate && fewest !== busiest ? ask('throughput', main, fewest, 6) : []),
    ...(asksRate ? load.operations : []).flatMap((rows) => {
      // What is no part of the busiest step has one of its own.
      const isThere = rows.some((r) => r.step.id === busiest?.id);
      const step = isThere ? busiest : (busiestOf(rows, ladderSteps(plan, rows)) ?? busiest);
      return ask('throughput', rows, step, rows === main ? 10 : 4);
    }),
    // Of turns of one system the first screen has the strongest and the weakest: at rest and busy.
    ...turns.flatMap((s) => (s === busiest ? [] : ask('throughput', main, s, s === busy ? 8.9 : 9))),
    ...ask('throughput', main, piped, 9),
    ...[busiest, busy].flatMap(askTail),
    ...ask('response', main, fastest, 8.5),
    ...ask('cpu', main, piped ?? busiest, 5),
    ...ask('cpu', main, fastest, 5.5),
  ];
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
 * @returns {(metric: MetricName, rows: Row[], step: Step | undefined, weight: number) => Question[]} none of a step that is not
 *   there, and of CPU across trials where pairs answer it
 */
function asker(run, family, load) {
  return (metric, rows, step, weight) => {
    if (!step) return [];
    const atLoad = { ...loadOf(rows[0]), step: step.id };
    if (metric === 'cpu' && comparisonsAt(run.comparisons, atLoad, 'efficiency').length > 0) return [];
    const read = (/** @type {string} */ system) => {
      const row = at(rows, step.id, system);
      const isShown = row?.usable && !(LATENCIES.includes(metric) && isFailing(row));
      const figure = isShown ? (METRICS[metric].of?.(row) ?? null) : null;
      const state = figure ? isFailing(row) && 'failing' : row?.failure && 'no figure';
      return /** @type {Answer} */ ({ figure, ...(state ? { state } : {}) });
    };
    const reference = run.beside.find(
      (r) => r.role === 'calibration' && r.usable && keyOf(loadOf(r)) === keyOf(atLoad),
    );
    const measure = phrase('measureText', { metric, step, reference, title: METRICS[metric].title });
    const what = { metric, weight, measure, load: namedLoad(run, family, load, rows[0].operation, step.id) };
    const own = comparisonsAt(run.comparisons, atLoad, metric);
    return [asQuestion(run.plan, what, family.systems, read, own)];
  };
}

/** Fewer numbers of users do not tell where a system breaks. */
const FEWEST_USERS = 5;
/** Among what wins by a factor of three. */
const CAPACITY_WEIGHT = 45;

/**
 * @param {Asked} run
 * @param {Family} family
 * @returns {Question[]} with how many users each keeps to the objective, of the load on which they differ most; none of what
 *   is no ladder
 */
function capacityQuestions(run, family) {
  const { systems, loads } = family;
  const { plan } = run;
  const ladders = loads.flatMap((load) => {
    const own = capacitiesOf(plan, ladderRows(plan, load.main), FEWEST_USERS);
    const all = own.map((c) => ({ ...c, users: c.within?.step.vus ?? 0, isBroken: c.broken !== null }));
    const users = all.map((c) => Math.max(1, c.users));
    return all.length > 0 ? [{ load, all, spread: Math.max(...users) / Math.min(...users) }] : [];
  });
  const [widest] = ladders.sort((a, b) => b.spread - a.spread);
  if (!widest) return [];
  const { load, all } = widest;
  const [row] = load.main;
  const where = whatText({ load: namedLoad(run, family, load, row.operation, row.step.id) });
  const measure = phrase('objectiveText', { ...all[0].objective, where: ladders.length > 1 ? where : '' });
  const what = /** @type {const} */ ({ metric: 'users', weight: CAPACITY_WEIGHT });
  return [
    asQuestion(plan, { ...what, measure }, systems, (id) => {
      const own = all.find(({ system }) => system === id);
      return { figure: null, value: own?.users ?? null, ...(own ? { note: phrase('usersKept', own) } : {}) };
    }),
  ];
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
  const own = wholes.filter((w) => ids.has(w.workload) && w.paired === null);
  const of = (/** @type {string} */ id, rows = own) => rows.filter((w) => w.system === id);
  /** @type {(what: What<MetricName>, read: (id: string) => Figure | null, rowOf?: (id: string) => Row | null) => Question} */
  const ask = (what, read, rowOf) => sidesQuestion(run.plan, what, systems, read, { rowOf });
  const isOfAll = (/** @type {Row[]} */ same) => systems.every((id) => of(id, same).length > 0);
  const common = groupBy(own, (w) => keyOf(loadOf(w))).filter(isOfAll);
  // Who did more than the others needed memory for more.
  const loaded = common.length > 0 ? common.flat() : own;
  const peak = (/** @type {string} */ id) => largestOf(of(id, loaded).map((w) => w.used.system.rssPeakBytes));
  // What a system keeps in memory and on disk depends on what it promises: of a step that all of them did.
  const promise = (/** @type {string} */ id) => of(id, common[0] ?? [])[0] ?? null;
  const sizeOf = (/** @type {Row} */ { footprint: f }) =>
    f && (f.after.ownBytes ?? f.after.diskBytes ?? f.before.diskBytes);
  const stored = (/** @type {string} */ id) => of(id).map(sizeOf).find(Boolean) ?? null;
  // Where repeats measure a system, too, its memory is that of a repeat.
  const repeated = cellsOf(run.plan).flatMap((c) => (c.role === 'system' ? [c.workload] : []));
  const keyed = loads.flatMap(({ facts }) => (facts.keys ? [facts.id] : []));
  const starts = run.sideBySide.filter(
    ({ group: { workload } }) => keyed.includes(workload) && !repeated.includes(workload),
  );
  const afterLoads = (/** @type {string} */ id) =>
    starts.flatMap(({ memory }) => memory).find((m) => m.system === id)?.rssBytes ?? null;
  const ofStarts = (/** @type {string} */ id) =>
    run.rows.find((r) => r.system === id && starts.includes(run.sideBySide[r.paired ?? -1])) ?? null;
  const failed = (/** @type {string} */ id) => ({
    figure: null,
    value: run.rows.reduce((n, r) => n + (r.system === id && ids.has(r.workload) ? r.tried.failed : 0), 0),
  });
  const startUp = (/** @type {string} */ id) => lifecycle.find((l) => l.system === id)?.start ?? null;
  return [
    ask({ ...MEMORY, measure: 'memory at its peak', weight: 7.5 }, peak, promise),
    ask({ ...MEMORY, measure: 'memory after these loads', weight: 9.5 }, afterLoads, ofStarts),
    ask({ metric: 'startUp', measure: METRICS.startUp.title, weight: 7 }, startUp),
    ask({ metric: 'size', measure: 'stored data after compaction', unit: 'MiB', weight: 7 }, stored, promise),
    asQuestion(run.plan, FAILED, systems, failed),
  ];
}
