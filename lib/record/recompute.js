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
import { buildRecord } from './cell.js';

/**
 * @import { CellRecord, Plan, Profile, Step, WorkloadFacts } from '../types.d.ts'
 * @import { RawCell, Seen } from './cell.js'
 */

/**
 * @param {RawCell} raw
 * @param {Plan} plan
 * @param {Seen} [seen] of a load beside systems that are up
 * @returns {CellRecord}
 */
export function judgedRecord(raw, plan, seen) {
  const { cell } = raw.meta;
  const system = /** @type {Plan['systems'][number]} */ (plan.systems.find((s) => s.id === cell.system));
  const facts = plan.workloads.find((w) => w.id === cell.workload);
  const untimed = facts ? operationsThat(facts, (o) => o.untimed) : [];
  const { status, k6ExitCode } = raw.meta;
  const context = {
    runId: plan.runId,
    methodVersion: plan.methodVersion,
    system,
    hostCores: plan.hostCores,
    takesTurns: facts !== undefined && takesTurns(facts),
    sizes: facts ? operationSizes(facts, plan.profile, cell.step) : {},
    untimed,
    order: facts?.script ? Object.keys(facts.operations) : [],
  };
  const record = buildRecord(raw, context, seen);
  // What ends k6 in the midst of a load is a failure of what it asked, unless k6 itself broke down.
  if (facts?.script && status === 'failed' && k6ExitCode !== null) record.k6ExitCode = k6ExitCode;
  return judge(record, {
    thresholds: plan.profile.thresholds,
    restarted: raw.meta.restarted,
    minOperations: facts?.minOperations,
    pauseMs: seen || !facts ? undefined : pauseMsOf(facts, plan.profile, cell.step),
    kneeUnknown: raw.meta.kneeUnknown,
    ...(facts?.script ? { script: { main: mainOf(facts), untimed, crossed: crossedBy(raw) } } : {}),
  });
}

/**
 * @param {RawCell} raw
 * @returns {string[] | null} what the script itself calls a failure: its thresholds by name, where they are known
 */
function crossedBy({ meta: { k6ExitCode }, histograms }) {
  if (!isJudgedByScript(k6ExitCode)) return null;
  const names = /** @type {string[]} */ (histograms?.notes.crossed ?? []);
  return names.length > 0 || k6ExitCode === 99 ? names : [K6_EXIT[Number(k6ExitCode)].what];
}

/**
 * @param {WorkloadFacts} facts
 * @param {Profile} profile
 * @param {Step} step
 * @returns {Record<string, {itemsPerOp?: number, users?: number, received?: true, share?: number, filledBy?: string}>} by
 *   operation, where it differs from one item, the users of the step, being sent, and a window of its own
 */
function operationSizes(facts, profile, step) {
  const dataset = datasetOf(facts, profile);
  return Object.fromEntries(
    Object.entries(facts.operations).map(([op, { items, users, filledBy }]) => {
      const share = shareOf(facts, op);
      const itemsPerOp = typeof items === 'string' ? dataset[items] : items;
      return [
        op,
        {
          ...{ itemsPerOp, share, filledBy },
          users: users ? usersOf(facts, profile, step, op) : undefined,
          received: isReceived(facts, op) ? /** @type {const} */ (true) : undefined,
        },
      ];
    }),
  );
}

/**
 * @param {WorkloadFacts} facts
 * @param {Profile} profile
 * @param {Step} step
 * @returns {number | undefined} longest time that a user rests between two turns; undefined where none are taken
 */
function pauseMsOf(facts, profile, step) {
  if (facts.script) return 0;
  return takesTurns(facts) ? (datasetOf(facts, profile, step).thinkMs ?? 0) : undefined;
}
