import { MISSING, percent, significant } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { capacityOf, OBJECTIVE } from '../../../record/capacity.js';
import { between } from '../../../record/compare.js';
import { comparisonsAt, loadOf } from '../../../record/comparisons.js';
import { leadsOf } from '../../../record/lead.js';
import { chartPair } from '../../charts/ladder.js';
import { contenders } from '../../matrix/contenders.js';
import { at, familiesOf, ladderSteps, stepInLoad } from '../../matrix/families.js';
import { leadsText } from '../../matrix/lead-words.js';
import { isPaused, isUserStep } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { listed, titleOf } from '../../words.js';
import { CELL, cellText } from './cell.js';
import { scalabilityText } from './scalability.js';

/**
 * @import { Comparison, Plan } from '../../../types.d.ts'
 * @import { Row } from '../../../record/figures.js'
 * @import { Load } from '../../matrix/families.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** Fewer numbers of users are no ladder: two points are no slope. */
const FEWEST_USERS = 3;
/** Of each operation on each step: everything else of a row stands in other chapters. @typedef {{list: Row[], stepId: string}} Entry */

/** Who limited a figure. */
const LIMITED_BY = Object.freeze({
  system: 'server CPU-bound',
  waits: 'server waiting (disk, lock, network)',
  elsewhere: 'not the load generator',
  generator: 'load generator',
  unattributed: 'unknown',
});

/**
 * For each workload and transport users down and systems across, every operation, and how far each system goes: of repeats
 * and of starts alike.
 * @param {Run} run
 * @returns {Section[]}
 */
export function section(run) {
  const own = familiesOf(run).flatMap(({ loads, systems }) =>
    loads.flatMap((load) => loadSection(run, load, systems) ?? []),
  );
  return own.length > 0 ? [{ intro: [CELL] }, ...own] : [];
}

/**
 * @param {Run} run
 * @param {Load} load
 * @param {string[]} systems
 * @returns {Section | null} null without a step of the ladder
 */
function loadSection(run, load, systems) {
  const { plan } = run;
  const { facts, transport, which, main } = load;
  const entries = entriesOf(run, load).filter(({ list, stepId }) =>
    systems.some((id) => at(list, stepId, id)),
  );
  if (entries.length === 0) return null;
  const steps = ladderSteps(plan, main);
  const ladder = main.filter((r) => isUserStep(r) && steps.some((s) => s.id === r.step.id));
  const isLadder = new Set(ladder.map((r) => r.step.vus)).size >= FEWEST_USERS;
  // Where users rest between their turns, pauses set the throughput, whoever answers.
  const paused = steps.length > 0 && steps.every((s) => isPaused(plan, facts, s));
  const hasSeveral = new Set(entries.map(({ list }) => list[0].operation)).size > 1;
  const textOf = (/** @type {Entry} */ { list, stepId }) =>
    `${hasSeveral ? `${list[0].operation}, ` : ''}${stepInLoad(plan, load, stepId)}`;
  const able = contenders(plan, systems);
  const rivals = mostCompared(run, entries, able);
  return {
    title: `${facts.title} over ${transport}${which ? `, ${which}` : ''}`,
    intro: paused
      ? ['Users rest between their turns, so their pauses set the throughput: the winner is told by latency.']
      : [],
    charts: new Set(ladder.map((r) => r.step.vus)).size > 1 ? chartPair(plan, load, ladder, paused) : [],
    tables: [
      table(entries, [
        left('load', textOf),
        ...systems.map((id) =>
          right(titleOf(plan, id), (/** @type {Entry} */ { list, stepId }) => cellText(at(list, stepId, id))),
        ),
        ...(rivals.length > 1 && !paused
          ? [left(`throughput, times ${titleOf(plan, rivals[0])} (95 % CI)`, ratiosCell(run, rivals))]
          : []),
        ...(able.length > 1 ? [left('winner on p99 (95 % CI)', winnerCell(run, able))] : []),
        left('limited by', (/** @type {Entry} */ { list, stepId }) =>
          limitText(
            plan,
            systems.flatMap((id) => at(list, stepId, id) ?? []),
          ),
        ),
      ]),
    ],
    notes: isLadder
      ? systems.flatMap((id) => {
          const own = ladder.filter((r) => r.system === id);
          return [...capacityText(plan, load, own, paused), ...(paused ? [] : scalabilityText(own))];
        })
      : [],
  };
}

/**
 * @param {Run} run
 * @param {Load} load
 * @returns {Entry[]} each operation on each step; of a mix its parts, too, below all of it together
 */
function entriesOf({ plan, rows }, { facts, transport, which, operations }) {
  const isOf = (/** @type {Row} */ r) =>
    r.workload === facts.id &&
    r.transport === transport &&
    (r.step.case ?? '') === which &&
    r.operation !== '';
  const names = new Set(operations.map(([r]) => r?.operation));
  const parts = groupBy(rows.filter(isOf), (r) => r.operation).filter(([r]) => !names.has(r.operation));
  return [...operations, ...parts].flatMap((list) =>
    ladderSteps(plan, list).map(({ id }) => ({ list, stepId: id })),
  );
}

/**
 * @param {Run} run
 * @param {Entry} entry
 * @param {'throughput' | 'p99'} metric
 * @returns {Comparison[]} of the entry
 */
function comparisonsOn({ comparisons }, { list, stepId }, metric) {
  return comparisonsAt(comparisons, { ...loadOf(list[0]), step: stepId }, metric);
}

/**
 * @param {Run} run
 * @param {Entry[]} entries
 * @param {string[]} able
 * @returns {string[]} the largest set of systems whose conditions are alike: the first is the base of the ratios
 */
function mostCompared(run, entries, able) {
  const sets = entries.flatMap((entry) => leadsOf(able, comparisonsOn(run, entry, 'throughput')));
  return sets.reduce(
    (/** @type {string[]} */ most, { systems }) => (systems.length > most.length ? systems : most),
    [],
  );
}

/** @param {Run} run @param {string[]} rivals @returns {(entry: Entry) => string} */
function ratiosCell(run, [base, ...others]) {
  const f = (/** @type {number} */ ratio) => significant(ratio);
  return (entry) => {
    const own = comparisonsOn(run, entry, 'throughput');
    const texts = others.flatMap((id) => {
      const found = between(own, id, base);
      if (!found?.ratio || found.outcome === 'not comparable') return [];
      const { estimate, low, high } = found.ratio;
      const name = others.length > 1 ? `${titleOf(run.plan, id)} ` : '';
      return [`${name}${f(estimate)}${found.n > 1 ? ` (${f(low)} – ${f(high)})` : ''}`];
    });
    return texts.join('; ') || MISSING;
  };
}

/** @param {Run} run @param {string[]} able @returns {(entry: Entry) => {markdown: string}} */
function winnerCell(run, able) {
  return (entry) => {
    const own = comparisonsOn(run, entry, 'p99').filter(
      ({ medians }) => medians.a !== null && medians.b !== null,
    );
    return { markdown: leadsText(run.plan, leadsOf(able, own)) };
  };
}

/** @param {Plan} plan @param {Row[]} rows of one load */
function limitText(plan, rows) {
  const known = rows.flatMap(({ system, setBy }) =>
    setBy ? [{ title: titleOf(plan, system), word: LIMITED_BY[setBy.who] }] : [],
  );
  const groups = groupBy(known, ({ word }) => word);
  if (groups.length <= 1) return groups[0]?.[0].word ?? MISSING;
  return groups.map((own) => `${listed(own.map(({ title }) => title))}: ${own[0].word}`).join('; ');
}

/**
 * @param {Plan} plan
 * @param {Load} load
 * @param {Row[]} steps of one system
 * @param {boolean} paused whether pauses set its throughput
 * @returns {string[]} Markdown, one line
 */
function capacityText(plan, load, steps, paused) {
  if (steps.length === 0) return [];
  const limit = plan.profile.thresholds.p99Ms ?? OBJECTIVE.p99Ms;
  const errors = plan.profile.thresholds.errorRatio ?? OBJECTIVE.errorRatio;
  const most = errors === 0 ? 'no errors' : `errors ≤ ${Number((errors * 100).toPrecision(2))} %`;
  const { within, broken, why, best, last } = capacityOf(steps, plan.profile.thresholds);
  if (!best) return [];
  const nameOf = (/** @type {Row} */ { step }) => stepInLoad(plan, load, step.id);
  const kept = within
    ? `keeps p99 ≤ ${significant(limit)} ms and ${most} up to **${nameOf(within)}**`
    : 'keeps its promise on no step';
  const broke = broken
    ? `; breaking point ${nameOf(broken)}: ${brokeText(broken, why)}`
    : ', the highest step measured';
  const fall = paused
    ? ''
    : last && last !== best && last.ratePerSec && best.ratePerSec
      ? `; peak at ${nameOf(best)}, ${Math.round((last.ratePerSec.median / best.ratePerSec.median) * 100)} % of it left at ${nameOf(last)}`
      : `; peak at ${nameOf(best)}`;
  return [`**${steps[0].title}** ${kept}${broke}${fall}.`];
}

/**
 * @param {Row} row
 * @param {ReturnType<typeof capacityOf>['why']} why
 */
function brokeText({ serviceMs, tried, failure }, why) {
  if (why === 'p99') return `p99 ${significant(serviceMs.p99?.median)} ms`;
  if (why === 'errors')
    return `${percent(tried.failed / (tried.failed + tried.done))} of the operations failed`;
  return failure ?? 'it failed';
}
