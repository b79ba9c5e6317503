import { percent, significant } from '../../../format.js';
import { capacityOf, OBJECTIVE } from '../../../record/capacity.js';
import { leadsOf } from '../../../record/lead.js';
import { chartPair } from '../../charts/ladder.js';
import { contenders } from '../../matrix/contenders.js';
import { at, familiesOf, ladderSteps, stepInLoad } from '../../matrix/families.js';
import { leadsText } from '../../matrix/lead-words.js';
import { isPaused, isUserStep } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { titleOf } from '../../words.js';
import { CELL, cellText } from './cell.js';
import { scalabilityText } from './scalability.js';
import { pairedLadders } from './side-by-side.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Load } from '../../matrix/families.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** Fewer numbers of users are no ladder: two points are no slope. */
const FEWEST_USERS = 3;
/** Of each operation on each step: everything else of a row stands in other chapters. @typedef {{list: Row[], stepId: string}} Entry */

/**
 * For each workload and transport users down and systems across, every operation, and how far each system goes.
 * @param {Run} run
 * @returns {Section[]}
 */
export function section(run) {
  const { plan } = run;
  const alone = familiesOf(run).flatMap(({ loads, systems }) =>
    loads.flatMap((load) => loadSection(run, load, systems) ?? []),
  );
  return [...pairedLadders(plan, run.sideBySide), ...(alone.length > 0 ? [{ intro: [CELL] }] : []), ...alone];
}

/**
 * @param {Run} run
 * @param {Load} load
 * @param {string[]} systems
 * @returns {Section | null} null without a step of the ladder
 */
function loadSection({ plan, rows }, load, systems) {
  const { facts, transport, which, main } = load;
  const steps = ladderSteps(plan, main);
  const isOf = (/** @type {Row} */ r) =>
    r.workload === facts.id &&
    r.transport === transport &&
    (r.step.case ?? '') === which &&
    r.operation !== '';
  const names = new Set(load.operations.map(([r]) => r?.operation));
  // Of a mix its parts, too, below all of it together.
  const parts = [...new Set(rows.filter(isOf).map((r) => r.operation))]
    .filter((operation) => !names.has(operation))
    .map((operation) => rows.filter((r) => isOf(r) && r.operation === operation));
  const entries = [...load.operations, ...parts]
    .flatMap((list) => ladderSteps(plan, list).map(({ id }) => ({ list, stepId: id })))
    .filter(({ list, stepId }) => systems.some((id) => at(list, stepId, id)));
  if (entries.length === 0) return null;
  const ladder = main.filter((r) => isUserStep(r) && steps.some((s) => s.id === r.step.id));
  const isLadder = new Set(ladder.map((r) => r.step.vus)).size >= FEWEST_USERS;
  // Where users rest between their turns, pauses set the throughput, whoever answers.
  const paused = steps.length > 0 && steps.every((s) => isPaused(plan, facts, s));
  const hasSeveral = new Set(entries.map(({ list }) => list[0].operation)).size > 1;
  const textOf = (/** @type {Entry} */ { list, stepId }) =>
    `${hasSeveral ? `${list[0].operation}, ` : ''}${stepInLoad(plan, load, stepId)}`;
  return {
    title: `${facts.title} over ${transport}${which ? `, ${which}` : ''}`,
    intro: paused
      ? ['Users rest between their turns, so their pauses set the throughput: the winner is told by latency.']
      : [],
    charts: isLadder ? chartPair(plan, load, ladder, paused) : [],
    tables: [
      table(entries, [
        left('load', textOf),
        ...systems.map((id) =>
          right(titleOf(plan, id), (/** @type {Entry} */ { list, stepId }) => cellText(at(list, stepId, id))),
        ),
        ...(systems.length > 1 && !paused
          ? [
              left('winner on throughput', (/** @type {Entry} */ entry) =>
                winnerCell(plan, entry, systems, 'more'),
              ),
            ]
          : []),
        ...(systems.length > 1
          ? [left('winner on p99', (/** @type {Entry} */ entry) => winnerCell(plan, entry, systems, 'less'))]
          : []),
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
 * @param {Plan} plan
 * @param {Entry} entry
 * @param {string[]} systems
 * @param {'more' | 'less'} better `more`: of throughput; `less`: of the p99
 */
function winnerCell(plan, { list, stepId }, systems, better) {
  const entries = contenders(plan, systems).map((system) => {
    const row = at(list, stepId, system) ?? null;
    return {
      system,
      row,
      figure: row?.usable ? (better === 'more' ? row.ratePerSec : row.serviceMs.p99) : null,
    };
  });
  return { markdown: list[0].received ? '–' : leadsText(plan, leadsOf(entries, better)) };
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
