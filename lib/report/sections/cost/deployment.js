import { datasetOf, mainOf, operationsThat } from '../../../../k6/schedule/facts.js';
import { combine } from '../../../record/figure.js';
import { matrixTable } from '../../matrix/index.js';
import { itemOf, policyOf } from '../../words.js';
import { deploymentQuestions, itemsOf, lifecycleFor, unstartedReason } from './lines.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Lifecycle } from '../../../record/lifecycle-figures.js'
 * @import { Plan, WorkloadFacts } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
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
 * One for each workload whose operations carry items, or whose systems have lifecycle figures: what a person who deploys one
 * of them asks.
 * @param {Pick<Run, 'plan' | 'rows' | 'beside' | 'measured' | 'lifecycle'>} run
 * @returns {Deployment[]}
 */
export function deploymentsOf({ plan, rows, beside, measured, lifecycle }) {
  const isDeployed = (/** @type {string} */ id) => lifecycle.some((l) => l.system === id);
  /** Systems of which what has nothing to do with a load was said. @type {Set<string>} */
  const told = new Set();
  const isOne = (/** @type {WorkloadFacts} */ w) =>
    operationsThat(w, (o) => o.items).length > 0 ||
    rows.some((r) => r.workload === w.id && isDeployed(r.system));
  return plan.workloads.filter(isOne).flatMap((facts) => {
    const own = rows.filter((r) => r.workload === facts.id && r.operation !== '');
    const main = mainOf(facts);
    const drive = typeof facts.drive === 'string' ? facts.drive : undefined;
    return stepIdsOf(own, main, drive).map((stepId, i) => {
      const systems = [...new Set(own.map((r) => r.system))];
      const untold = lifecycle.filter((l) => !told.has(l.system));
      for (const id of systems) told.add(id);
      return {
        ...{ plan, facts, main, stepId, systems, rows: own, lifecycle: untold, storage: lifecycle },
        dataset: datasetOf(facts, plan.profile),
        items: itemsOf(facts.operations[main].items, datasetOf(facts, plan.profile)),
        syscalls: beside.filter((r) => r.role === 'syscalls' && r.workload === facts.id),
        soaked: measured.some((r) => r.workload === facts.id && r.soak),
        first: i === 0,
        meanings: new Map(measured.map((r) => [r.system, r.durability])),
      };
    });
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

/** From this share of the time on that a system spends in syncs, the disk is what sets its pace. */
const SYNC_BOUND = 0.7;

/** @param {Deployment} deployment @returns {object} fields of its table, and of what it holds for */
export function deploymentFields(deployment) {
  const { plan, facts, dataset, rows, stepId, systems, soaked, syscalls, first, main, meanings } = deployment;
  const isMixed = operationsThat(facts, (o) => facts.windows?.[o.window ?? '']?.order === 'together');
  const promises = systems.map((id) => ({
    system: id,
    policy: policyOf(plan, { system: id, parity: rows.find((r) => r.system === id)?.parity ?? {} }),
    meaning: meanings.get(id) ?? plan.systems.find((s) => s.id === id)?.durability.meaning,
  }));
  return {
    ...{ first, stepId, systems, soaked, promises, repeats: plan.repeats, workload: facts.id },
    table: matrixTable(plan, { systems, questions: deploymentQuestions(deployment) }),
    syncs: systems.flatMap((system) => {
      const share = syscalls.find((r) => r.system === system && r.operation === main)?.syncs?.timeRatio;
      return first && share ? [{ system, share, bound: share.median >= SYNC_BOUND }] : [];
    }),
    streams: systems.flatMap((id) => streamsOf(deployment, id)),
    alike: promises.every((p) => p.policy === promises[0].policy),
    unstarted: unstartedReason(deployment),
    started: lifecycleFor(deployment).some((l) => l?.status === 'ok'),
    counted: syscalls.some((r) => r.syncs),
    mixed: rows.some((r) => r.step.id === stepId && isMixed.includes(r.operation)),
    companions: Object.entries(facts.operations).flatMap(([operation, { users }]) =>
      users ? [{ operation, users: dataset[users] }] : [],
    ),
  };
}

/**
 * @param {Deployment} deployment
 * @param {string} system
 * @returns {object[]} what reached the clients of its live streams
 */
function streamsOf({ facts, dataset, rows, stepId }, system) {
  const rowOf = (/** @type {string | undefined} */ op) =>
    rows.find((r) => r.system === system && r.step.id === stepId && r.operation === op);
  return operationsThat(facts, (o) => o.received).flatMap((operation) => {
    const { operations } = facts;
    const row = rowOf(operation);
    if (!row?.serviceMs.mean) return [];
    const clients = dataset[operations[operation].users ?? ''] ?? 1;
    const [source] = operationsThat(facts, (o) => o.items && o.window === operations[operation].window);
    const sent = rowOf(source);
    const items = itemsOf(operations[source]?.items, dataset) * clients;
    const share = combine([row.completed, sent?.completed], (count, all) => count / (all * items));
    const { p50, p99 } = row.serviceMs;
    return [
      {
        ...{ system, operation, clients, share, source, p50, p99 },
        item: itemOf(facts),
        why: sent?.failure ?? null,
      },
    ];
  });
}
