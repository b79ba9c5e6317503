import {
  datasetOf,
  isReceived,
  mainOf,
  operationsThat,
  shareOf,
  takesTurns,
  usersOf,
} from '../../k6/schedule/facts.js';
import { isJudgedByScript, K6_EXIT } from '../config/k6-exit.js';
import { judge } from '../judge/judge.js';
import { verdictOf } from '../judge/verdict.js';
import { buildRecord } from './cell.js';
import { pauseMsOf, readRaw } from './run-folder.js';

/** @import { CellPlan, CellRecord, Plan, WorkloadFacts } from '../types.d.ts' */

/**
 * @param {string} runFolder
 * @param {string} cellId
 * @param {Plan} plan
 * @param {CellRecord[]} before records measured earlier: the references are among them
 * @returns {CellRecord}
 */
export function recordOf(runFolder, cellId, plan, before) {
  const raw = readRaw(runFolder, cellId);
  const { cell } = raw.meta;
  const system = /** @type {Plan['systems'][number]} */ (plan.systems.find((s) => s.id === cell.system));
  const facts = plan.workloads.find((w) => w.id === cell.workload);
  const untimed = facts ? operationsThat(facts, (o) => o.untimed) : [];
  const { status, k6ExitCode } = raw.meta;
  const record = buildRecord(raw, {
    runId: plan.runId,
    methodVersion: plan.methodVersion,
    system,
    hostCores: plan.hostCores,
    takesTurns: facts !== undefined && takesTurns(facts),
    sizes: operationSizes(plan, cell),
    untimed,
    order: facts?.script ? Object.keys(facts.operations) : [],
  });
  // What ends k6 in the midst of a load is a failure of what it asked, unless k6 itself broke down.
  if (facts?.script && status === 'failed' && k6ExitCode !== null) record.k6ExitCode = k6ExitCode;
  return judge(record, {
    thresholds: plan.profile.thresholds,
    restarted: raw.meta.restarted,
    minOperations: facts?.minOperations,
    pauseMs: pauseMsOf(plan, cell),
    references: referencesFor(record, before),
    kneeUnknown: raw.meta.kneeUnknown,
    ...(facts?.script ? { script: { main: mainOf(facts), untimed, crossed: crossedBy(raw) } } : {}),
  });
}

/**
 * @param {ReturnType<typeof readRaw>} raw
 * @returns {string[] | null} what the script itself calls a failure: its thresholds by name, where they are known
 */
function crossedBy({ meta: { k6ExitCode }, histograms }) {
  if (!isJudgedByScript(k6ExitCode)) return null;
  const names = /** @type {string[]} */ (histograms?.notes.crossed ?? []);
  return names.length > 0 || k6ExitCode === 99 ? names : [K6_EXIT[Number(k6ExitCode)].what];
}

/**
 * @param {Plan} plan
 * @param {Pick<CellPlan, 'workload' | 'step'>} cell
 * @returns {Record<string, {itemsPerOp?: number, users?: number, received?: true, share?: number, filledBy?: string}>} by
 *   operation, where it differs from one item, the users of the step, being sent, and a window of its own
 */
export function operationSizes({ workloads, profile }, { workload, step }) {
  const facts = workloads.find((w) => w.id === workload);
  if (!facts) return {};
  const dataset = datasetOf(facts, profile);
  return Object.fromEntries(
    Object.entries(facts.operations).map(([op, { items, users, filledBy }]) => {
      const share = shareOf(facts, op);
      const itemsPerOp = typeof items === 'string' ? dataset[items] : items;
      return [
        op,
        {
          ...(itemsPerOp === undefined ? {} : { itemsPerOp }),
          ...(share === undefined ? {} : { share }),
          ...(filledBy ? { filledBy } : {}),
          ...(users ? { users: usersOf(facts, profile, step, op) } : {}),
          ...(isReceived(facts, op) ? { received: /** @type {const} */ (true) } : {}),
        },
      ];
    }),
  );
}

/**
 * @param {Pick<CellRecord, 'workload' | 'transport' | 'step'>} record
 * @param {CellRecord[]} records
 * @returns {Record<string, number> | null} by operation, from the calibration of the same step
 */
function referencesFor(record, records) {
  // What a schedule asks of all is nobody's throughput.
  if (record.step.model === 'open') return null;
  const calibration = records.find(
    (r) =>
      r.role === 'calibration' &&
      r.status === 'ok' &&
      r.workload === record.workload &&
      r.transport === record.transport &&
      r.step.id === record.step.id,
  );
  if (!calibration) return null;
  // What is not sound itself is no reference.
  const sound = Object.entries(calibration.operations).filter(
    ([op]) => verdictOf(calibration, op) !== 'INVALID',
  );
  return Object.fromEntries(sound.map(([op, o]) => [op, o.ratePerSec]));
}
