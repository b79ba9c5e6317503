import { figureText, percent, significant } from '../../../format.js';
import { capacityOf, OBJECTIVE } from '../../../record/capacity.js';
import { leadsOf } from '../../../record/lead.js';
import { chartPair } from '../../charts/ladder.js';
import { at, carriesItems, familiesOf, ladderSteps, stepInLoad } from '../../matrix/families.js';
import { leadsText } from '../../matrix/lead-words.js';
import { isPaused, isUserStep } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { titleOf } from '../../words.js';
import { scalabilityText } from './scalability.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan, Step } from '../../../types.d.ts'
 * @import { Load } from '../../matrix/families.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** Rows of a table that shows every operation; of more the main one is shown here and all of them in the details. */
const MOST_ROWS = 16;
/** Fewer numbers of users are no ladder: two points are no slope. */
const FEWEST_USERS = 3;

/**
 * One table for each workload and transport, users down and systems across, and how far each system goes.
 * @param {Run} run
 * @returns {Section[]}
 */
export function section(run) {
  const { plan } = run;
  return familiesOf(run).flatMap(({ loads, systems }) =>
    loads.flatMap((load) => loadSection(plan, load, systems) ?? []),
  );
}

/**
 * @param {Plan} plan
 * @param {Load} load
 * @param {string[]} systems
 * @returns {Section | null} null without a step of the ladder, or where the tables of deployment have all of it
 */
function loadSection(plan, load, systems) {
  const { facts, transport, which, main } = load;
  const steps = ladderSteps(plan, main);
  if (steps.length === 0 || carriesItems(facts)) return null;
  const every = load.operations.length * steps.length <= MOST_ROWS;
  const lists = every ? load.operations : [main];
  const rows = lists
    .flatMap((list) => steps.map((step) => ({ list, step })))
    .filter(({ list, step }) => systems.some((id) => at(list, step.id, id)));
  const together = main[0].operation === 'all operations';
  const over =
    plan.workloads.length > 1 || which
      ? ` over ${transport}${which ? `, ${which}` : ''}`
      : ` over ${transport}`;
  const of = every || together ? '' : `, ${main[0].operation}`;
  const ladder = main.filter((r) => isUserStep(r) && steps.some((s) => s.id === r.step.id));
  const users = new Set(ladder.map((r) => r.step.vus));
  const isLadder = users.size >= FEWEST_USERS;
  // Where users rest between their turns, pauses set the throughput, whoever answers.
  const paused = steps.every((s) => isPaused(plan, facts, s));
  return {
    title: `${facts.title}${over}${of}: op/s · p99 in ms`,
    intro: paused
      ? [
          'Users rest between their turns, so their pauses set the throughput: who is ahead is told by latency.',
        ]
      : [],
    charts: isLadder ? chartPair(plan, load, ladder, paused) : [],
    tables: [
      table(rows, [
        left(
          'load',
          ({ list, step }) =>
            `${lists.length > 1 ? `${list[0].operation}, ` : ''}${stepInLoad(plan, load, step.id)}`,
        ),
        ...systems.map((id) =>
          right(titleOf(plan, id), (/** @type {{list: Row[], step: Step}} */ { list, step }) =>
            cellText(at(list, step.id, id)),
          ),
        ),
        ...(systems.length > 1
          ? [
              left(
                paused ? 'winner on p99' : 'winner on throughput',
                (/** @type {{list: Row[], step: Step}} */ { list, step }) => ({
                  markdown: leadsText(
                    plan,
                    leadsOf(
                      systems.map((system) => {
                        const row = at(list, step.id, system) ?? null;
                        return {
                          system,
                          row,
                          figure: row?.usable ? (paused ? row.serviceMs.p99 : row.ratePerSec) : null,
                        };
                      }),
                      paused ? 'less' : 'more',
                    ),
                  ),
                }),
              ),
            ]
          : []),
      ]),
    ],
    parts: isLadder
      ? [
          {
            intro: ['**Scaling analysis**'],
            notes: systems.flatMap((id) => {
              const own = ladder.filter((r) => r.system === id);
              return [...capacityText(plan, load, own, paused), ...(paused ? [] : scalabilityText(own))];
            }),
          },
        ]
      : [],
  };
}

/** @param {Row | undefined} row @returns {string} `4820 · 8.0`; why there is none */
function cellText(row) {
  if (!row) return '–';
  if (row.failure !== null) return `none: ${row.failure}`;
  const { p99, p95, max } = row.serviceMs;
  const latency = p99
    ? significant(p99.median)
    : p95
      ? `p95 ${significant(p95.median)}`
      : max
        ? `max ${significant(max.median)}`
        : '–';
  const failed =
    row.tried.failed > 0
      ? ` · ${percent(row.tried.failed / (row.tried.failed + row.tried.done))} failed`
      : '';
  return `${figureText(row.ratePerSec)} · ${latency}${failed}`;
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
