import { datasetOf, takesTurns } from '../../../../k6/schedule/facts.js';
import { perSecond, ratioWithInterval, significant } from '../../../format.js';
import { MIN_REPEATS } from '../../../judge/method.js';
import { byLatency } from '../../../record/comparisons.js';
import { groupBy } from '../../group-by.js';
import { isLadderStep, stepOf, stepText } from '../../steps.js';
import { titleOf } from '../../words.js';

/**
 * @import { Comparison } from '../../../record/comparisons.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan, WorkloadFacts } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * @param {Run} run
 * @returns {Section}
 */
export function section({ plan, measured, answers }) {
  const planned = plan.blocks.filter((b) => b.role === 'system').reduce((n, b) => n + b.cells.length, 0);
  const finished = measured.filter((r) => r.status !== 'aborted').length;
  const partial = `> **Partial run**: ${finished} of ${planned} cells were measured. \`./run-all.sh --resume ${plan.runId}\` measures the rest.`;
  return { intro: [...answers, ...(finished < planned ? [partial] : [])] };
}

/**
 * The first screen: who is ahead on what, by how much, or why nobody is. One sentence for each pair of systems
 * and finding; the figure is that of the busiest closed step on which both are valid.
 * @param {Plan} plan
 * @param {Row[]} rows
 * @param {Comparison[]} comparisons
 * @returns {string[]} Markdown, one paragraph each; none where no two systems met
 */
export function answersOf(plan, rows, comparisons) {
  const closed = comparisons.filter((c) => isLadderStep(stepOf(plan, c.stepId)));
  const groups = groupBy(closed, (c) => [c.workload, c.transport, c.a, c.b].join('\n'));
  const alike = groups.filter((g) => !isUnlike(g));
  const compared = alike.filter((g) => !isBarred(g));
  const answers = [
    ...compared.flatMap((group) => pairAnswers(plan, rows, group)),
    ...pauseAnswer(plan, compared),
    ...barredAnswers(plan, alike.filter(isBarred), groups),
    ...unlikeAnswer(plan, groups.filter(isUnlike)),
  ];
  const failed = plan.systems
    .filter((s) => s.role === 'system')
    .filter((s) => {
      const own = rows.filter((r) => r.system === s.id);
      return own.length > 0 && own.every((r) => r.status === 'FAILED');
    })
    .map((s) => `**${s.title} has no figure**: ${rows.find((r) => r.system === s.id)?.failure}.`);
  return [...answers, ...failed, ...absentAnswers(plan)];
}

/**
 * @param {Plan} plan
 * @returns {string[]} who was not measured, and why
 */
export function absentAnswers(plan) {
  return plan.absent.flatMap((a) => (a.system ? [`**${a.system} was not measured**: ${a.reason}.`] : []));
}

/**
 * @param {Comparison[]} group one pair of systems on one workload and transport
 * @returns {boolean} whether a comparable key forbids all of it, for one reason
 */
function isUnlike(group) {
  return group.every((c) => c.refusal === 'unlike' && c.why === group[0].why);
}

/**
 * @param {Comparison[]} group one pair of systems on one workload and transport
 * @returns {boolean} whether no figure of it may be compared, for one reason
 */
function isBarred([first, ...others]) {
  if (first.verdict !== 'refused' || first.refusal === 'bound') return false;
  return others.every((c) => c.verdict === 'refused' && c.why === first.why);
}

/**
 * What bars a pair from one workload mostly bars it from all: one sentence for each pair and reason.
 * @param {Plan} plan
 * @param {Comparison[][]} barred
 * @param {Comparison[][]} all groups, these among them
 * @returns {string[]}
 */
function barredAnswers(plan, barred, all) {
  return groupBy(barred, ([{ a, b, why }]) => [a, b, why].join('\n')).map((own) => {
    const [[{ a, b, why }]] = own;
    const pair = `${titleOf(plan, a)} and ${titleOf(plan, b)}`;
    const workloads = [...new Set(own.map(([c]) => c.workload))].join(', ');
    const where = own.length < all.filter(([c]) => c.a === a && c.b === b).length ? ` of ${workloads}` : '';
    return `**${pair}: no ranking**; no step${where} has figures that may be compared: ${why}.`;
  });
}

/**
 * One sentence for all pairs that were never meant to be compared: the reader looks for the others.
 * @param {Plan} plan
 * @param {Comparison[][]} groups
 * @returns {string[]}
 */
function unlikeAnswer(plan, groups) {
  if (groups.length === 0) return [];
  const pairs = groups.map(
    ([{ a, b, why }]) => `${titleOf(plan, a)} with ${titleOf(plan, b)} (${why?.replace('asymmetric: ', '')})`,
  );
  return [`**Not compared**, because their conditions differ: ${[...new Set(pairs)].join('; ')}.`];
}

/**
 * @param {Plan} plan
 * @param {Row[]} rows
 * @param {Comparison[]} group one pair of systems on one workload and transport
 * @returns {string[]}
 */
function pairAnswers(plan, rows, group) {
  const workload = plan.workloads.find((w) => w.id === group[0].workload);
  const pauses = thinkMsOf(plan, group) > 0;
  const byOperation = groupBy(pauses ? group.map(byLatency) : group, (c) => c.operation);
  const headlines = byOperation.map((list) => headline(rows, list));
  if (pauses)
    return groupBy(headlines, (c) => c.verdict).map((same) =>
      sentence(plan, rows, same, 'p99 of the service time (less is better)'),
    );
  if (workload && takesTurns(workload) && haveOneFinding(headlines))
    return [sentence(plan, rows, [{ ...headlines[0], operation: inTurns(workload) }])];
  const findings = groupBy(headlines, (c) => c.verdict);
  return findings.map((same) => sentence(plan, rows, same));
}

/**
 * @param {Plan} plan
 * @param {Comparison[]} group one pair of systems on one workload and transport
 * @returns {number} how long its users rest now and then, ms
 */
function thinkMsOf(plan, [{ workload }]) {
  const facts = plan.workloads.find((w) => w.id === workload);
  return (facts && takesTurns(facts) && datasetOf(facts, plan.profile).thinkMs) || 0;
}

/**
 * @param {Plan} plan
 * @param {Comparison[][]} groups
 * @returns {string[]} why it is latency that was compared
 */
function pauseAnswer(plan, groups) {
  const thinkMs = Math.max(0, ...groups.map((group) => thinkMsOf(plan, group)));
  return thinkMs > 0
    ? [
        `Users think ${significant(thinkMs)} ms between rounds, which sets the throughput of every system alike.`,
      ]
    : [];
}

/**
 * Operations that the users take in turns are done equally often for every turn, so to list the ratio of each would
 * be to say one thing several times.
 * @param {Comparison[]} headlines of the operations of one workload
 * @returns {boolean} whether they say the same of the same step
 */
function haveOneFinding(headlines) {
  const [first] = headlines;
  return headlines.every((c) => c.ratio !== null && c.verdict === first.verdict && c.stepId === first.stepId);
}

/**
 * @param {WorkloadFacts} workload
 * @returns {string} its operations, as one
 */
function inTurns({ title, operations }) {
  const names = Object.keys(operations);
  return names.length === 1 ? names[0] : `${title} (${names.join(', ')}, in turns)`;
}

/**
 * @param {Row[]} rows
 * @param {Comparison[]} list one operation on all steps
 * @returns {Comparison} that of the busiest step with a ratio; the busiest of all when none has one
 */
function headline(rows, list) {
  const rate = (/** @type {Comparison} */ c) => rowOf(rows, c, c.a)?.ratePerSec?.median ?? 0;
  const usable = list.filter((c) => c.ratio !== null);
  return [...(usable.length > 0 ? usable : list)].sort((x, y) => rate(y) - rate(x))[0];
}

/**
 * @param {Plan} plan
 * @param {Row[]} rows
 * @param {Comparison[]} same comparisons of one pair with the same verdict
 * @param {string} [what] the ratios are of
 * @returns {string}
 */
function sentence(plan, rows, same, what = 'throughput') {
  const [first] = same;
  const [a, b] = [titleOf(plan, first.a), titleOf(plan, first.b)];
  const figures = same
    .map((c) => `${c.operation} at ${stepText(plan, c.stepId)}: ratio ${ratioWithInterval(c.ratio)}`)
    .join('; ');
  const repeats = `95 % CI, ${Math.min(...same.map((c) => c.pairs))} interleaved repeats`;
  switch (first.verdict) {
    case 'faster':
      return `**${a} is ahead of ${b}** on ${what}: ${figures} (${repeats}).`;
    case 'slower':
      return `**${b} is ahead of ${a}** on ${what}: ${figures}, as ${a} to ${b} (${repeats}).`;
    case 'equivalent':
      return `**${a} and ${b}: no measurable difference** in ${what}, within ±5 %: ${figures} (${repeats}).`;
    case 'inconclusive':
      return `**${a} and ${b}: no measurable difference** in ${what}; the interval is too wide to say more: ${figures} (${repeats}).`;
    case 'insufficient':
      return (
        `**${a} and ${b}: insufficient repeats**, so no winner is named ` +
        `(${Math.min(...same.map((c) => c.pairs))} of ${MIN_REPEATS}): ${same
          .map(
            (c) =>
              `${c.operation} at ${stepText(plan, c.stepId)}: measured ratio ${significant(c.ratio?.estimate)}`,
          )
          .join('; ')}.`
      );
    default:
      return refusal(rows, same, a, b);
  }
}

/**
 * @param {Row[]} rows
 * @param {Comparison[]} same
 * @param {string} a
 * @param {string} b
 * @returns {string}
 */
function refusal(rows, same, a, b) {
  const list = same
    .map((c) => {
      const least = [c.a, c.b].map((id) => rowOf(rows, c, id)?.ratePerSec?.median);
      const bound =
        c.refusal === 'bound' ? `at least ${least.map((v) => perSecond(v)).join(' and ')}` : c.why;
      return `${c.operation}: ${bound}`;
    })
    .join('; ');
  const why = same.every((c) => c.refusal === 'bound')
    ? 'at every load the generator was the bottleneck, or may have been, so these are lower bounds and not ranked'
    : 'no step has figures that may be compared';
  return `**${a} and ${b}: no ranking**; ${why}: ${list}.`;
}

/**
 * @param {Row[]} rows
 * @returns {string} why nobody is compared
 */
export function aloneAnswer(rows) {
  const ids = [...new Set(rows.map((r) => r.system))];
  return ids.length === 1
    ? `**One system was measured**: there is nothing to compare it with.`
    : '**Nothing comparable was measured.**';
}

/**
 * @param {Row[]} rows
 * @param {Comparison} c
 * @param {string} system
 */
function rowOf(rows, c, system) {
  return rows.find(
    (r) =>
      r.system === system &&
      r.workload === c.workload &&
      r.transport === c.transport &&
      r.step.id === c.stepId &&
      r.operation === c.operation,
  );
}
