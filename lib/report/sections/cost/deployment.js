import { datasetOf, mainOf, operationsThat } from '../../../../k6/schedule/facts.js';
import { combine, poolOf, scaled } from '../../../figures/figure.js';
import { readingsAt } from '../../../figures/lifecycles.js';
import { stepsOf } from '../../matrix/families.js';
import { busiestOf } from '../../matrix/questions.js';
import { itemOf, policyOf } from '../../words.js';

/**
 * @import { Figure } from '../../../figures/figure.js'
 * @import { Row } from '../../../figures/rows.js'
 * @import { Lifecycle } from '../../../figures/lifecycles.js'
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
 * @property {Row[]} syscalls of the workload while its syncs were counted; none below its first table
 * @property {Run['measured']} measured of the workload
 * @property {number} items that an operation of the main kind carries
 * @property {Lifecycle[]} lifecycle of systems that no table before it has
 * @property {Lifecycle[]} storage of all, for what the storage does alone
 * @property {boolean} carrying whether its operations carry items
 * @property {boolean} first table of the workload
 */

/**
 * One for each workload whose operations carry items, or whose systems have lifecycle figures: what a person who deploys one
 * of them asks.
 * @param {Pick<Run, 'plan' | 'rows' | 'beside' | 'measured' | 'lifecycle'>} run
 * @returns {object[]} fields of each table, and of what it holds for
 */
export function deploymentsOf({ plan, rows, beside, measured, lifecycle }) {
  /** Systems of which what has nothing to do with a load was said. @type {Set<string>} */
  const told = new Set();
  return plan.workloads.flatMap((facts) => {
    const isOwn = (/** @type {{workload: string}} */ { workload }) => workload === facts.id;
    const all = rows.filter((r) => isOwn(r) && r.operation !== '');
    const own = all.filter((r) => r.paired === null);
    const systems = [...new Set(all.map((r) => r.system))];
    const untold = lifecycle.filter((l) => systems.includes(l.system) && !told.has(l.system));
    for (const id of systems) told.add(id);
    const carrying = operationsThat(facts, (o) => o.items).length > 0;
    if (all.length === 0 || (!carrying && untold.length === 0)) return [];
    const main = mainOf(facts);
    // What carries nothing differs from step to step in what the ladder tells.
    const stepIds = stepIdsOf(own, main, facts.drive).slice(0, carrying ? MAX_TABLES : 1);
    // How a system starts is asked wherever its loads were side by side, too.
    if (stepIds.length === 0 && untold.length > 0) stepIds.push(all[0].step.id);
    const dataset = datasetOf(facts, plan.profile);
    const traced = beside.filter((r) => r.role === 'syscalls' && isOwn(r));
    const common = {
      ...{ plan, facts, dataset, main, systems, rows: own, storage: lifecycle, carrying },
      ...{ items: itemsOf(facts.operations[main].items, dataset), measured: measured.filter(isOwn) },
    };
    const ofFirst = { ...common, lifecycle: untold, syscalls: traced, first: true };
    const ofOthers = { ...common, lifecycle: [], syscalls: [], first: false };
    return stepIds.map((stepId, i) => fieldsOf({ ...(i === 0 ? ofFirst : ofOthers), stepId }));
  });
}

/** More steps than this are a ladder, of which one is shown. */
const MAX_TABLES = 2;

/**
 * @param {Row[]} rows
 * @param {string} main
 * @param {WorkloadFacts['drive']} drive the workload's only one
 * @returns {string[]} all closed steps where there are few; else the one on which the systems together do most
 */
function stepIdsOf(rows, main, drive) {
  const closed = rows.filter(
    (r) => r.operation === main && r.step.model === 'closed' && (!r.step.drive || r.step.drive === drive),
  );
  const steps = stepsOf(closed);
  const busiest = busiestOf(closed, steps);
  return (steps.length > MAX_TABLES && busiest ? [busiest] : steps).map(({ id }) => id);
}

/** From this share of the time on that a system spends in syncs, the disk is what sets its pace. */
const SYNC_BOUND = 0.7;

/**
 * @param {string | number | undefined} size a number, or the name of one of the dataset's
 * @param {Record<string, number>} dataset
 * @returns {number} that an operation carries
 */
export function itemsOf(size, dataset) {
  return typeof size === 'string' ? dataset[size] : (size ?? 1);
}

/**
 * @param {Deployment} deployment
 * @param {string} system
 * @param {string | undefined} operation
 * @returns {Row | undefined} on the step of the table
 */
function rowOf({ rows, stepId }, system, operation) {
  return rows.find((r) => r.system === system && r.step.id === stepId && r.operation === operation);
}

/** @param {Deployment} deployment */
function fieldsOf(deployment) {
  const { plan, facts, dataset, rows, stepId, systems, measured, syscalls, lifecycle } = deployment;
  const isMixed = operationsThat(facts, (o) => facts.windows?.[o.window ?? '']?.order === 'together');
  const promises = systems.map((system) => ({
    ...{ system, policy: policyOf(plan, rows.find((r) => r.system === system) ?? { system, parity: {} }) },
    meaning:
      measured.findLast((r) => r.system === system)?.durability ??
      plan.systems.find((s) => s.id === system)?.durability.meaning,
  }));
  return {
    ...deployment,
    ...{ promises, repeats: plan.repeats, workload: facts.id, item: itemOf(facts) },
    soaked: measured.some((r) => r.soak),
    starts: Math.max(0, ...lifecycle.map((l) => l.start?.n ?? 0)),
    sides: systems.map((id) => sideOf(deployment, id)),
    syncBound: SYNC_BOUND,
    streams: systems.flatMap((id) => streamsOf(deployment, id)),
    started: lifecycle.some((l) => l.status === 'ok'),
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
 * @returns {object} what it takes to start, at rest, for an item and on disk
 */
function sideOf(deployment, system) {
  const { facts, dataset, lifecycle, syscalls, main, items } = deployment;
  const life = lifecycle.find((l) => l.system === system) ?? null;
  const counted = syscalls.find((r) => r.system === system && [main, ''].includes(r.operation));
  const storage = storageOf(deployment, system);
  const ceiling = { size: 0, grown: null, figure: life?.storagePerSec ?? null };
  return {
    ...{ system, life, problem: life?.ceilings[0]?.problem ?? null },
    // Of what carries nothing the ladder has the throughput.
    rates: operationsThat(facts, (o) => o.items).map((operation) => {
      const row = rowOf(deployment, system, operation);
      const size = itemsOf(facts.operations[operation].items, dataset);
      return { operation, failure: row?.failure ?? null, perSec: scaled(row?.ratePerSec, size) };
    }),
    cpu: items > 1 ? scaled(rowOf(deployment, system, main)?.systemCpuUsPerOp, 1 / items) : null,
    syncs: counted?.syncs ? { ...counted.syncs, perItem: scaled(counted.syncs.perOp, 1 / items) } : null,
    uncounted: counted?.failure ?? null,
    storage: storage.length > 0 ? storage : [ceiling],
    runtime: [false, true].map((shared) => {
      const parts = (life?.runtime ?? []).filter((r) => r.shared === shared);
      return { shared, parts, bytes: parts.reduce((sum, r) => sum + r.bytes, 0) };
    }),
  };
}

/**
 * What the storage alone did, for each size of a transaction in which that of any system was measured.
 * @param {Pick<Deployment, 'plan' | 'stepId' | 'storage' | 'systems'>} deployment
 * @param {string} id
 * @returns {{size: number, grown: Figure | null, figure: Figure | null}[]} `grown`: items in the table at the beginning
 */
export function storageOf({ plan, stepId, storage, systems }, id) {
  const step = plan.profile.steps.find((s) => s.id === stepId);
  const all = systems.flatMap((system) => readingsAt(storage, system, step));
  const sizes = [...new Set(all.map((r) => r.perTransaction))].sort((a, b) => a - b);
  const grown = all.some((r) => r.fresh) ? null : poolOf(all.map((r) => r.storedBefore));
  const own = readingsAt(storage, id, step);
  return sizes.map((size) => ({
    ...{ size, grown },
    figure: own.find((r) => r.perTransaction === size)?.itemsPerSec ?? null,
  }));
}

/**
 * @param {Deployment} deployment
 * @param {string} system
 * @returns {object[]} what reached the clients of its live streams
 */
function streamsOf(deployment, system) {
  const { facts, dataset } = deployment;
  return operationsThat(facts, (o) => o.received).flatMap((operation) => {
    const { users = '', window } = facts.operations[operation];
    const row = rowOf(deployment, system, operation);
    if (!row?.serviceMs.mean) return [];
    const clients = dataset[users] ?? 1;
    const [source] = operationsThat(facts, (o) => o.items && o.window === window);
    const sent = rowOf(deployment, system, source);
    const items = itemsOf(facts.operations[source]?.items, dataset) * clients;
    const share = combine([row.completed, sent?.completed], (count, all) => count / (all * items));
    const { p50, p99 } = row.serviceMs;
    const why = sent?.failure ?? null;
    return [{ system, operation, clients, share, source, p50, p99, item: itemOf(facts), why }];
  });
}
