/**
 * Earlier runs in today's words: the one place that knows the old ones.
 * @import { ConformanceOutcome, LifecycleRecord, Plan, WorkloadFacts } from '../types.d.ts'
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../store.js';

/**
 * @param {any} plan as it was written
 * @returns {Plan}
 */
export function currentPlan(plan) {
  return {
    ...plan,
    ...(plan.systems ? { systems: plan.systems.map(currentSystem) } : {}),
    ...(plan.workloads ? { workloads: plan.workloads.map(currentWorkload) } : {}),
    ...(plan.absent ? { absent: [...plan.absent, ...leftOutThen(plan)] } : {}),
  };
}

/**
 * A plan once said nothing of the steps that a workload left out; of these the report knew.
 * @param {any} plan
 * @returns {Plan['absent']}
 */
function leftOutThen({ workloads = [], profile }) {
  const open = profile?.steps?.filter((/** @type {any} */ s) => s.model === 'open') ?? [];
  if (open.length === 0) return [];
  return workloads
    .filter((/** @type {any} */ w) => w.countBound !== undefined)
    .map((/** @type {any} */ { id }) => ({
      workload: id,
      steps: open.map((/** @type {any} */ s) => s.id),
      status: 'unsupported',
      reason: 'it ends with a count of operations, and so keeps to no rate',
    }));
}

/** Of the one workload that had cases for some transports only. */
const OTHER_TRANSPORTS = ['http', 'ws', 'subscribed'];

/** @param {any} system */
function currentSystem({ knobs, ...system }) {
  return knobs === undefined ? system : { ...system, settings: knobs };
}

/**
 * @param {string} runFolder
 * @param {string} system
 * @returns {ConformanceOutcome[]} one, or none: of a file by its older name, or from before start-up was measured
 */
export function olderConformance(runFolder, system) {
  const named = join(runFolder, 'raw', `gate.${system}.json`);
  if (existsSync(named)) return [readJson(named)];
  const beside = join(runFolder, 'raw', `lifecycle.${system}.json`);
  const counted = existsSync(beside) ? readJson(beside).parity : null;
  return counted ? [{ schemaVersion: 1, system, tolerated: [], failures: [], ...counted }] : [];
}

/**
 * @param {any} record as it was written
 * @returns {LifecycleRecord}
 */
export function currentLifecycle({ parity: _, ...record }) {
  return record;
}

/**
 * Facts of a workload once stood in lists and maps beside each other, each by operation.
 * @param {any} workload
 * @returns {WorkloadFacts}
 */
function currentWorkload(workload) {
  if (!Array.isArray(workload.operations)) return workload;
  const { id, title, pipelines, operations, drive, drivesOf, keys, documents, keySpace, countBound } =
    workload;
  const { dataset, tallied, leadSec, minWindowSec, minOperations, suite, item } = workload;
  return withoutEmpty({
    id,
    title,
    operations: Object.fromEntries(
      operations.map((/** @type {string} */ op) => [op, currentOperation(op, workload) ?? {}]),
    ),
    windows: currentWindows(workload),
    cases: currentCases(workload),
    dataset,
    pipelines,
    drive: drive ?? drivesOf,
    keys: withoutEmpty({ space: keySpace, each: keys === 'each' || undefined, documents, tallied }),
    fixedCount: countBound,
    leadSec,
    minWindowSec,
    minOperations,
    shown: withoutEmpty({ suite, item }),
  });
}

/**
 * @param {string} op
 * @param {any} workload
 * @returns {any}
 */
function currentOperation(op, workload) {
  const {
    operations,
    main = operations[0],
    mix,
    turns,
    pushed,
    received,
    items,
    users,
    queries,
    depths,
  } = workload;
  const { writes = main } = workload;
  const together = workload.windows?.find((/** @type {string[]} */ w) => w.length > 1 && w.includes(op));
  const inMix = mix && op in mix;
  const { resolves, ...depth } = depths?.[op] ?? {};
  return withoutEmpty({
    window: turns || inMix ? 'all' : together?.join('+'),
    share: mix?.[op],
    users: users?.[op],
    received: (received?.includes(op) && op !== pushed) || undefined,
    pushed: op === pushed || undefined,
    writes: op === writes || undefined,
    main: op === workload.main || undefined,
    items: items?.[op],
    footprintBefore: op === workload.footprintBefore || undefined,
    shown: withoutEmpty({ query: queries?.[op], ...depth, label: resolves }),
  });
}

/** @param {any} workload */
function currentWindows({ mix, turns, windows = [] }) {
  if (mix) return { all: { order: 'shares' } };
  if (turns) return { all: { order: 'turns', turns } };
  const together = windows.filter((/** @type {string[]} */ w) => w.length > 1);
  return Object.fromEntries(
    together.map((/** @type {string[]} */ w) => [w.join('+'), { order: 'together' }]),
  );
}

/** @param {any} workload */
function currentCases({ cases, casesOf = {} }) {
  if (!cases) return undefined;
  const some = Object.entries(/** @type {Record<string, string[]>} */ (casesOf));
  return Object.fromEntries(
    Object.entries(cases).map(([name, dataset]) => {
      const not = some.filter(([, names]) => !names.includes(name)).map(([transport]) => transport);
      return [
        name,
        not.length > 0
          ? { dataset, transports: OTHER_TRANSPORTS.filter((t) => !not.includes(t)) }
          : { dataset },
      ];
    }),
  );
}

/**
 * @template {object} T
 * @param {T} fields
 * @returns {any} those that say something; undefined where none does
 */
function withoutEmpty(fields) {
  const said = Object.entries(fields).filter(
    ([, v]) => v !== undefined && !(typeof v === 'object' && v !== null && Object.keys(v).length === 0),
  );
  return said.length > 0 ? Object.fromEntries(said) : undefined;
}
