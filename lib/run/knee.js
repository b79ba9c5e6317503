import { verdictOf } from '../judge/verdict.js';

/** @import { CellPlan, CellRecord, Knee, WorkloadFacts } from '../types.d.ts' */

/**
 * The knee of a system in one repeat: its highest throughput, by operation, on the closed steps without pipelining that
 * are not INVALID. Where none of them is usable, the highest that was measured stands in for it: enough to choose a load
 * by, and marked, because it is no figure of the system.
 * @param {CellPlan} cell for which a load is sought
 * @param {CellRecord[]} records among them those of the same system, workload, transport, case and repeat
 * @returns {Record<string, Knee>} by operation that was measured at all
 */
export function kneeOf(cell, records) {
  /** @type {Record<string, Knee>} */
  const knee = {};
  for (const record of records) {
    if (!isSameLadder(record, cell) || !isStepOfKnee(record)) continue;
    for (const [op, { ratePerSec }] of Object.entries(record.operations)) {
      const found = { ratePerSec, usable: verdictOf(record, op) !== 'INVALID' };
      if (ratePerSec > 0 && isAhead(found, knee[op])) knee[op] = found;
    }
  }
  return knee;
}

/**
 * @param {CellRecord} record
 * @param {CellPlan} cell
 */
function isSameLadder(record, cell) {
  return (
    record.system === cell.system &&
    record.workload === cell.workload &&
    record.transport === cell.transport &&
    record.step.case === cell.step.case &&
    record.repeat === cell.repeat
  );
}

/** @param {CellRecord} record */
function isStepOfKnee({ status, step }) {
  return status === 'ok' && step.model === 'closed' && (step.depth ?? 1) === 1;
}

/**
 * @param {Knee} found
 * @param {Knee | undefined} best so far
 */
function isAhead(found, best) {
  if (!best) return true;
  if (found.usable !== best.usable) return found.usable;
  return found.ratePerSec > best.ratePerSec;
}

/**
 * @param {CellPlan} cell
 * @param {Record<string, Knee>} knee
 * @param {string[]} operations
 * @returns {string[]} those of which the cell takes a share of a figure that is not usable
 */
export function kneeUnknownOf({ step }, knee, operations) {
  return step.fractionOfKnee === undefined ? [] : operations.filter((op) => knee[op]?.usable === false);
}

/**
 * @param {CellPlan} cell
 * @param {Record<string, Knee>} knee
 * @param {string[]} operations
 * @param {Pick<WorkloadFacts, 'operations'>} [facts] where one rate holds for several operations, the share of each
 * @returns {Record<string, number>} target rate by operation; empty for a closed step, and without a knee
 */
export function targetRates(cell, knee, operations, facts) {
  const { step } = cell;
  if (step.model !== 'open') return {};
  if (step.ratePerSec !== undefined)
    return Object.fromEntries(
      operations.map((op) => [op, (step.ratePerSec ?? 0) * (facts?.operations[op]?.share ?? 1)]),
    );
  if (operations.some((op) => knee[op] === undefined)) return {};
  return Object.fromEntries(
    operations.map((op) => [op, Math.floor(knee[op].ratePerSec * (step.fractionOfKnee ?? 1))]),
  );
}
