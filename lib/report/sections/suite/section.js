import { figureText, MISSING, percent } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { REASONS } from '../../../judge/method.js';
import { isUserStep, ofFewestUsers, stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { codesText, errorRatio, titleOf } from '../../words.js';
import { backgroundPart } from './background.js';
import { suiteCharts } from './charts.js';
import { degradationOf } from './degradation.js';
import { federationPart } from './federation.js';
import { tradeOffPart } from './trade-off.js';
import { across, markedText, ownRatioText, unlessFailed, usersText } from './words.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Lifecycle } from '../../../record/lifecycle-figures.js'
 * @import { Plan, WorkloadFacts } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What the tables of a suite are made from.
 * @typedef {object} Suite
 * @property {Plan} plan
 * @property {string} title
 * @property {string} transport
 * @property {WorkloadFacts[]} workloads in the order of the plan
 * @property {string[]} systems ids, in the order of the plan
 * @property {Row[]} wholes all operations of a step together
 * @property {Row[]} rows of single operations
 * @property {Lifecycle[]} lifecycle
 */

/**
 * The workloads that belong together, side by side: all of a page that compares storages of one API.
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'lifecycle'>} run
 * @returns {Section[]}
 */
export function section({ plan, rows, wholes, lifecycle }) {
  const suiteOf = new Map(plan.workloads.map((w) => [w.id, w.shown?.suite]));
  const own = wholes.filter((r) => suiteOf.get(r.workload) !== undefined);
  return groupBy(own, (r) => `${suiteOf.get(r.workload)}\n${r.transport}`).map((steps) => {
    const [{ workload, transport }] = steps;
    const title = String(suiteOf.get(workload));
    const ids = new Set(steps.map((c) => c.workload));
    return sectionOf({
      plan,
      title,
      transport,
      workloads: plan.workloads.filter((w) => ids.has(w.id)),
      systems: plan.systems.map((s) => s.id).filter((id) => steps.some((c) => c.system === id)),
      wholes: steps,
      rows: rows.filter((r) => ids.has(r.workload) && r.transport === transport),
      lifecycle,
    });
  });
}

/**
 * @param {Suite} suite
 * @returns {Section}
 */
function sectionOf(suite) {
  const steps = ofFewestUsers(suite.wholes);
  const users = steps.length > 0 ? usersText(steps[0].step.vus) : MISSING;
  return {
    title: `${suite.title} over ${suite.transport}, workloads side by side`,
    intro: [
      'All operations of a workload together; medians of the repeats with their 95 % intervals. Times are service times in ms. † marks what is not ranked: the reasons stand below the tables.',
    ],
    parts: [
      {
        title: `p95 of each workload, ${users}`,
        tables: [
          table(suite.workloads, [
            left('workload', (w) => w.title),
            ...across(suite, (/** @type {WorkloadFacts} */ w, id) =>
              p95Text(steps.find((r) => r.workload === w.id && r.system === id)),
            ),
          ]),
        ],
      },
      { charts: suiteCharts(suite) },
      backgroundPart(suite),
      tradeOffPart(suite),
      queriesPart(suite, users),
      concurrencyPart(suite, users),
      federationPart(suite),
      doubtsPart(suite),
    ],
  };
}

/** @param {Row | undefined} row of all operations together, or of a kind of query */
function p95Text(row) {
  return unlessFailed(row, ({ serviceMs }) => markedText(serviceMs.p95));
}

/**
 * @param {Suite} suite
 * @param {string} users the fewest
 * @returns {Section | null} null where no workload tells kinds of queries apart
 */
function queriesPart(suite, users) {
  const queries = suite.workloads.flatMap((w) =>
    Object.entries(w.operations).flatMap(([operation, { shown }]) => {
      if (shown?.query === undefined) return [];
      const own = suite.rows.filter((r) => r.workload === w.id && r.operation === operation);
      return [{ title: shown.query, steps: ofFewestUsers(own) }];
    }),
  );
  if (queries.length === 0) return null;
  return {
    title: `p95 of each kind of query, ${users}`,
    tables: [
      table(queries, [
        left('query', (q) => q.title),
        ...across(suite, (/** @type {(typeof queries)[number]} */ { steps }, id) =>
          p95Text(steps.find((r) => r.system === id)),
        ),
      ]),
    ],
  };
}

/**
 * @param {Suite} suite
 * @param {string} users the fewest
 * @returns {Section | null} a table for each workload; null where all steps have as many users
 */
function concurrencyPart(suite, users) {
  const steps = suite.wholes.filter(isUserStep).sort((a, b) => a.step.vus - b.step.vus);
  if (new Set(steps.map((w) => w.step.vus)).size < 2) return null;
  return {
    title: 'Concurrency impact',
    intro: [`Last column: p95 divided by that of ${users}, same system and repeat.`],
    tables: suite.workloads.map((w) =>
      table(
        suite.systems.flatMap((id) => steps.filter((r) => r.workload === w.id && r.system === id)),
        [
          left('system', (whole) => titleOf(suite.plan, whole.system)),
          right('users', (whole) => whole.step.vus),
          right('mean', ({ serviceMs }) => figureText(serviceMs.mean)),
          right('median', ({ serviceMs }) => figureText(serviceMs.p50)),
          right('p95', p95Text),
          right('max', ({ serviceMs }) => figureText(serviceMs.max)),
          right('op/s', ({ ratePerSec }) => figureText(ratePerSec)),
          right('failed', failuresText),
          right(`p95 against ${users}`, (whole) => ownRatioText(degradationOf(suite.wholes, whole))),
        ],
        `**${w.title}**`,
      ),
    ),
  };
}

/** @param {Row} whole */
function failuresText(whole) {
  const { ran, failed } = whole.tried;
  return ran === 0 ? MISSING : `${failed} (${percent(errorRatio(whole))})`;
}

/**
 * @param {Suite} suite
 * @returns {Section | null} what † stands for here
 */
function doubtsPart({ plan, wholes }) {
  const doubtful = wholes.filter((w) => w.why.length > 0);
  const codes = [...new Set(doubtful.flatMap((w) => w.why))].sort();
  if (codes.length === 0) return null;
  const notes = codes.map((code) => {
    const where = doubtful.filter((w) => w.why.includes(code));
    const steps = where.map((w) => `${w.title}, ${w.workload}, ${stepText(plan, w.step.id)}`);
    const more = steps.length > 4 ? ` and ${steps.length - 4} more` : '';
    return `${codesText([code])}: ${REASONS[code].text} (${steps.slice(0, 4).join('; ')}${more})`;
  });
  return { intro: ['† stands for:'], notes };
}
