import { figureText, mebibytes, percent, significant } from '../../format.js';
import { largestOf } from '../../record/figure.js';
import { leadsOf, unlikeIn } from '../../record/lead.js';
import { isBusy, isOpenStep, isPaused, isPlain, stepText } from '../steps.js';
import { contenders } from './contenders.js';
import { at, ladderSteps, stepsOf } from './families.js';

/**
 * @import { Figure } from '../../record/figure.js'
 * @import { Row } from '../../record/figures.js'
 * @import { Lead } from '../../record/lead.js'
 * @import { Plan, Step } from '../../types.d.ts'
 * @import { Run } from '../run.js'
 * @import { Family, Load } from './families.js'
 */

/** @typedef {'per CPU' | 'throughput' | 'latency' | 'CPU' | 'memory' | 'start-up' | 'size' | 'failures' | 'recovery'} Dimension */

/**
 * What a chooser asks, with the answer of each system.
 * @typedef {object} Question
 * @property {string} text with its unit
 * @property {Dimension} dimension
 * @property {string} where `INCR, 100 connections`; '' of what is no load's
 * @property {ReadonlyMap<string, string>} values by system, as printed
 * @property {Lead[]} leads
 * @property {readonly string[]} [unlike] in what two of them differ that may not be compared
 * @property {ReadonlyMap<string, Figure | null>} figures by system; empty where nobody compares them
 * @property {'more' | 'less'} better
 * @property {number} weight the least of it is left out first
 * @property {readonly import("../../types.d.ts").SideBySideComparison[]} [pairs] of systems that were loaded at the same moment
 */

/** More than the weight of any. */
const UNCOMPARED = 100;

/**
 * @param {Pick<Run, 'plan' | 'wholes' | 'lifecycle' | 'kills' | 'beside'>} run
 * @param {Family} family
 * @returns {Question[]} in the order in which they are read
 */
export function questionsOf(run, family) {
  const { plan, beside } = run;
  const several = family.loads.length > 1;
  const own = familyQuestions(run, family);
  const failures = family.loads.some((load) => load.main.some(isFailing))
    ? own.filter((q) => q.dimension === 'failures')
    : [];
  const all = [
    ...failures,
    ...family.loads.flatMap((load) => loadQuestions({ plan, beside }, load, several)),
    ...own.filter((q) => !failures.includes(q)),
  ]
    .filter(isAnswered)
    // Among several systems a question that compares none of them comes last.
    .map((q) =>
      family.systems.length > 1 && q.leads.length === 0 ? { ...q, weight: q.weight - UNCOMPARED } : q,
    );
  return all;
}

/** @param {Row | null} row @returns {boolean} whether more of it failed than is tolerated */
function isFailing(row) {
  return row?.why.includes('errors') === true;
}

/** @param {Question} question */
function isAnswered({ values, dimension, figures }) {
  if (dimension === 'failures') return [...values.values()].some((v) => v !== '0');
  return figures.size === 0 ? values.size > 0 : [...figures.values()].some((f) => f !== null);
}

/**
 * @param {Pick<Run, 'plan' | 'beside'>} run
 * @param {Load} load
 * @param {boolean} several whether the matrix has other loads
 * @returns {Question[]}
 */
function loadQuestions(run, load, several) {
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
  const ask = asker(run, load, several);
  const isFew = fewest && fewest !== busiest;
  // What pauses set says nothing of a system.
  const asksRate = busiest && !isPaused(plan, load.facts, busiest);
  const fastest = stepsOf(load.main).filter(isOpenStep).at(-1);
  const turns = busiest ? turnsOf(load.main, busiest) : [];
  const [busy] = turns.filter(isBusy);
  return [
    ...(isFew && asksRate ? [ask.rate(load.main, fewest, 6)] : []),
    ...(asksRate
      ? load.operations.map((rows) => {
          // What is no part of the busiest step has one of its own.
          const isThere = rows.some((r) => r.step.id === busiest.id);
          const step = isThere ? busiest : (busiestOf(rows, ladderSteps(plan, rows)) ?? busiest);
          return ask.rate(rows, step, rows === load.main ? 10 : 4);
        })
      : []),
    ...turns.filter((s) => s !== busiest).map((s) => ask.rate(load.main, s, 9)),
    ...(piped ? [ask.rate(load.main, piped, 9)] : []),
    ...(busiest ? [ask.latency(load.main, busiest, 8)] : []),
    ...(busy ? [ask.latency(load.main, busy, 8)] : []),
    ...(fastest ? [ask.response(load.main, fastest, 8.5)] : []),
    ...[piped ?? busiest].flatMap((step) => (step ? [ask.cpu(load.main, step, 5)] : [])),
    ...(fastest ? [ask.cpuAtRate(load.main, fastest, 5.5)] : []),
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
 * @param {Pick<Run, 'plan' | 'beside'>} run
 * @param {Load} load
 * @param {boolean} several
 */
function asker({ plan, beside }, load, several) {
  const { facts, transport, main } = load;
  const transports = new Set(plan.blocks.filter((b) => b.workload === facts.id).map((b) => b.transport));
  const over = transports.size > 1 ? ` over ${transport}` : '';
  const name = (/** @type {Row[]} */ rows) => {
    const one = Object.keys(facts.operations).length === 1 || rows[0].operation === 'all operations';
    const title = facts.title.split(',')[0];
    const what = one
      ? title
      : several && transports.size === 1
        ? `${title} ${rows[0].operation}`
        : rows[0].operation;
    return `${what}${over}`;
  };
  /**
   * @param {Row[]} rows
   * @param {Step} step
   * @param {Pick<Question, 'dimension' | 'better' | 'weight'> & {unit: string,
   *   read: (row: Row) => Figure | null, text?: (value: number) => string, atRate?: {reference: Row | null}}} what
   * @returns {Question}
   */
  const question = (rows, step, { unit, read, text = significant, atRate, ...what }) => {
    const systems = [...new Set(main.map((r) => r.system))];
    const able = contenders(plan, systems);
    const entries = systems.map((system) => {
      const row = at(rows, step.id, system) ?? null;
      const isShown = row?.usable && !(what.dimension === 'latency' && isFailing(row));
      return { system, row, figure: isShown ? read(row) : null };
    });
    const where = `${name(rows)}, ${stepText(plan, step.id)}`;
    return {
      ...what,
      where,
      text: `${where}, ${unit}`,
      values: new Map(
        entries.map(({ system, figure, row }) => [
          system,
          figure
            ? `${figureText(figure, text)}${isFailing(row) ? ' beside failures' : ''}`
            : row?.failure
              ? 'no figure'
              : '–',
        ]),
      ),
      figures: new Map(entries.map((e) => [e.system, e.figure])),
      leads: leadsOf(
        entries.filter(({ system }) => able.includes(system)),
        what.better,
        atRate,
      ),
      unlike: unlikeIn(entries),
    };
  };
  return {
    rate: (/** @type {Row[]} */ rows, /** @type {Step} */ step, /** @type {number} */ weight) =>
      question(rows, step, {
        ...{ dimension: 'throughput', better: 'more', weight, unit: 'op/s' },
        read: (r) => r.ratePerSec,
      }),
    latency: (/** @type {Row[]} */ rows, /** @type {Step} */ step, /** @type {number} */ weight) => {
      const p = rows.some((r) => r.step.id === step.id && r.serviceMs.p99) ? 'p99' : 'p95';
      return question(rows, step, {
        ...{ dimension: 'latency', better: 'less', weight, unit: `${p}, ms` },
        read: (r) => r.serviceMs[p],
      });
    },
    response: (/** @type {Row[]} */ rows, /** @type {Step} */ step, /** @type {number} */ weight) => {
      const reference = referenceAt(beside, rows, step);
      const own = reference?.usable ? ` (null responder: ${figureText(reference.responseP99Ms)})` : '';
      return question(rows, step, {
        ...{ dimension: 'latency', better: 'less', weight, unit: `response p99, ms${own}` },
        read: (r) => r.responseP99Ms,
        atRate: { reference },
      });
    },
    cpuAtRate: (/** @type {Row[]} */ rows, /** @type {Step} */ step, /** @type {number} */ weight) =>
      question(rows, step, {
        ...{ dimension: 'CPU', better: 'less', weight, unit: 'CPU at that rate, µs/op' },
        read: (r) => r.systemCpuUsPerOp,
      }),
    cpu: (/** @type {Row[]} */ rows, /** @type {Step} */ step, /** @type {number} */ weight) =>
      question(rows, step, {
        ...{ dimension: 'CPU', better: 'less', weight, unit: 'CPU, µs/op' },
        read: (r) => r.systemCpuUsPerOp,
      }),
  };
}

/**
 * @param {Row[]} beside
 * @param {Row[]} rows of one operation
 * @param {Step} step an open one
 * @returns {Row | null} the null responder at the rate of the step
 */
function referenceAt(beside, [{ workload, transport, operation }], { id }) {
  const own = beside.find(
    (r) =>
      r.role === 'calibration' &&
      r.workload === workload &&
      r.transport === transport &&
      r.operation === operation &&
      r.step.id === id,
  );
  return own ?? null;
}

/**
 * What is asked of a system whatever its load.
 * @param {Pick<Run, 'plan' | 'wholes' | 'lifecycle' | 'kills'>} run
 * @param {Family} family
 * @returns {Question[]}
 */
function familyQuestions({ plan, wholes, lifecycle, kills }, { systems, loads }) {
  const able = contenders(plan, systems);
  const ids = new Set(loads.map((l) => l.facts.id));
  const own = wholes.filter((w) => ids.has(w.workload));
  /**
   * @param {string} text
   * @param {Dimension} dimension
   * @param {number} weight
   * @param {(system: string) => Figure | null} read
   * @param {(value: number) => string} [print]
   * @param {(system: string) => Row | null} [rowOf] under which promise it was measured, where that matters
   * @returns {Question}
   */
  const question = (text, dimension, weight, read, print, rowOf = () => null) => {
    const entries = systems.map((system) => ({ system, figure: read(system), row: rowOf(system) }));
    return {
      ...{ text, dimension, weight, where: '', better: 'less' },
      values: new Map(entries.map(({ system, figure }) => [system, figureText(figure, print)])),
      figures: new Map(entries.map((e) => [e.system, e.figure])),
      // Nothing is no multiple of anything.
      leads: leadsOf(
        entries.filter((e) => e.figure?.median !== 0 && able.includes(e.system)),
        'less',
      ),
      unlike: unlikeIn(entries),
    };
  };
  const common = own.filter((w) =>
    systems.every((id) => own.some((x) => x.system === id && isSameLoad(x, w))),
  );
  // Who did more than the others needed memory for more.
  const loaded = common.length > 0 ? common : own;
  const peak = (/** @type {string} */ id) =>
    largestOf(loaded.filter((w) => w.system === id).map((w) => w.used.system.rssPeakBytes));
  // What a system keeps in memory and on disk depends on what it promises: of a step that all of them did.
  const [shared] = common;
  const promise = (/** @type {string} */ id) =>
    (shared && own.find((w) => w.system === id && isSameLoad(w, shared))) ?? null;
  const stored = (/** @type {string} */ id) =>
    own
      .filter((w) => w.system === id)
      .map(({ footprint: f }) => f?.after.ownBytes ?? f?.after.diskBytes ?? f?.before.diskBytes ?? null)
      .find((f) => f) ?? null;
  return [
    question('memory at its peak, MiB', 'memory', 7.5, peak, mebibytes, promise),
    question('start-up, ms', 'start-up', 7, (id) => lifecycle.find((l) => l.system === id)?.start ?? null),
    question('stored data after compaction, MiB', 'size', 7, stored, mebibytes, promise),
    failuresQuestion(systems, own),
    ...lossQuestions(
      systems,
      kills.filter((k) => systems.includes(k.system)),
    ),
  ];
}

/** @param {Row} a @param {Row} b */
function isSameLoad(a, b) {
  return a.workload === b.workload && a.transport === b.transport && a.step.id === b.step.id;
}

/**
 * @param {string[]} systems
 * @param {Row[]} wholes
 * @returns {Question}
 */
function failuresQuestion(systems, wholes) {
  const failed = (/** @type {string} */ id) =>
    wholes.filter((w) => w.system === id).reduce((n, w) => n + w.tried.failed, 0);
  return {
    ...{ text: 'operations that failed', dimension: 'failures', where: '', better: 'less', weight: 6.5 },
    values: new Map(systems.map((id) => [id, String(failed(id))])),
    figures: new Map(),
    leads: [],
  };
}

/**
 * @param {string[]} systems
 * @param {Run['kills']} kills of these
 * @returns {Question[]} one for each kind of end that any of them met
 */
function lossQuestions(systems, kills) {
  const cut = kills.filter((k) => k.step.powerLoss);
  const killed = kills.filter((k) => !k.step.powerLoss);
  return [
    ...(killed.length > 0 ? [lossQuestion('lost after SIGKILL', systems, killed)] : []),
    ...(cut.length > 0 ? [lossQuestion('lost at a loss of power', systems, cut)] : []),
  ];
}

/**
 * @param {string} question
 * @param {string[]} systems
 * @param {Run['kills']} kills
 * @returns {Question}
 */
function lossQuestion(question, systems, kills) {
  const text = (/** @type {string} */ id) => {
    const own = kills.filter((k) => k.system === id && k.failure === null);
    if (own.length === 0) return 'not tested';
    const worst = Math.max(...own.map((k) => k.worstRatio));
    return worst === 0 ? 'nothing' : `up to ${percent(worst)}`;
  };
  return {
    ...{ text: question, dimension: 'failures', where: '', better: 'less', weight: 9.5 },
    values: new Map(systems.map((id) => [id, text(id)])),
    figures: new Map(),
    leads: [],
  };
}
