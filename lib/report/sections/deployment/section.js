import { datasetOf, mainOf, operationsThat } from '../../../../k6/schedule/facts.js';
import { MISSING } from '../../../format.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { titleOf } from '../../words.js';
import { deploymentCaveats, deploymentFindings } from './findings.js';
import { deploymentRows, itemsOf } from './rows.js';
import { boundFindings } from './storage-bound.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Lifecycle } from '../../../record/lifecycle-figures.js'
 * @import { Plan, WorkloadFacts } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 * @import { Column } from '../../table.js'
 * @import { TableRow } from './rows.js'
 */

/**
 * What a table of a workload is made from.
 * @typedef {object} Deployment
 * @property {Plan} plan
 * @property {WorkloadFacts} facts
 * @property {Record<string, number>} dataset
 * @property {string} main operation
 * @property {string} stepId step of the table
 * @property {string[]} systems in the order of the plan
 * @property {Row[]} rows of the workload, all steps
 * @property {Row[]} syscalls of the workload while its syncs were counted
 * @property {boolean} soaked whether the workload was
 * @property {number} items that an operation of the main kind carries
 * @property {Lifecycle[]} lifecycle
 * @property {Lifecycle[]} storage the same on each step, for what the storage does alone
 * @property {boolean} first table of the workload
 * @property {ReadonlyMap<string, string>} meanings by system: what an acknowledgement meant, of what ran
 */

/**
 * One table for each workload whose operations carry items, or whose systems have lifecycle figures: what a person
 * who deploys one of them asks.
 * @param {Run} run
 * @returns {Section[]}
 */
export function section({ plan, rows, beside, measured, lifecycle }) {
  const isDeployed = (/** @type {string} */ id) => lifecycle.some((l) => l.system === id);
  /** Systems of which what has nothing to do with a load was said. @type {Set<string>} */
  const told = new Set();
  return plan.workloads
    .filter(
      (w) =>
        operationsThat(w, (o) => o.items).length > 0 ||
        rows.some((r) => r.workload === w.id && isDeployed(r.system)),
    )
    .flatMap((facts) => {
      const own = rows.filter((r) => r.workload === facts.id && r.operation !== '');
      const main = mainOf(facts);
      return stepIdsOf(own, main, typeof facts.drive === 'string' ? facts.drive : undefined).map(
        (stepId, i) => {
          const systems = [...new Set(own.map((r) => r.system))];
          const untold = lifecycle.filter((l) => !told.has(l.system));
          for (const id of systems) told.add(id);
          return sectionOf({
            plan,
            facts,
            dataset: datasetOf(facts, plan.profile),
            main,
            items: itemsOf(facts.operations[main].items, datasetOf(facts, plan.profile)),
            stepId,
            systems,
            rows: own,
            syscalls: beside.filter((r) => r.role === 'syscalls' && r.workload === facts.id),
            soaked: measured.some((r) => r.workload === facts.id && r.soak),
            lifecycle: untold,
            storage: lifecycle,
            first: i === 0,
            meanings: new Map(measured.map((r) => [r.system, r.durability])),
          });
        },
      );
    });
}

/** More steps than this are a ladder, of which one is shown. */
const MAX_TABLES = 2;

/**
 * @param {Row[]} rows
 * @param {string} main
 * @param {string} [drive] the workload's only one
 * @returns {string[]} all closed steps where there are few; else the one on which most systems are valid, and of
 *   several the one with most throughput
 */
function stepIdsOf(rows, main, drive) {
  const closed = rows.filter(
    (r) => r.operation === main && r.step.model === 'closed' && (!r.step.drive || r.step.drive === drive),
  );
  const ids = [...new Set(closed.map((r) => r.step.id))];
  const worth = (/** @type {string} */ id) => {
    const own = closed.filter((r) => r.step.id === id);
    const valid = own.filter((r) => r.rankable).length;
    const rate = own.reduce((sum, r) => sum + Math.log(Math.max(1, r.ratePerSec?.median ?? 1)), 0);
    return valid * 1000 + rate;
  };
  return ids.length <= MAX_TABLES ? ids : ids.sort((a, b) => worth(b) - worth(a)).slice(0, 1);
}

/**
 * @param {Deployment} deployment
 * @returns {Section}
 */
function sectionOf(deployment) {
  const { plan, facts, stepId, systems, first } = deployment;
  const title = (/** @type {string} */ id) => titleOf(plan, id);
  /** @type {Column<TableRow>} */
  const change = right(`${title(systems[1])} against ${title(systems[0])}`, ({ delta }) => ({
    markdown: delta ?? MISSING,
  }));
  return {
    title: first ? `${facts.title}: deployment` : `${facts.title}: ${stepText(plan, stepId)}`,
    intro: [
      `On ${stepText(plan, stepId)}, unless a row says otherwise. Medians of the repeats, with their 95 % intervals.`,
    ],
    tables: [
      table(deploymentRows(deployment), [
        left('metric', ({ metric }) => ({ markdown: metric })),
        ...systems.map((id, i) => right(title(id), (/** @type {TableRow} */ { values }) => values[i])),
        ...(systems.length === 2 ? [change] : []),
      ]),
    ],
    notes: [...deploymentFindings(deployment, title), ...boundFindings(deployment, title)],
    parts: [{ intro: ['What these figures hold for:'], notes: deploymentCaveats(deployment) }],
  };
}
