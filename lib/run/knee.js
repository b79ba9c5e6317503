import { verdictOf } from '../judge/verdict.js';

/** @import { CellPlan, CellRecord, Knee, WorkloadFacts } from '../types.d.ts' */

/**
 * What an open step takes its share of: the knee of the slowest system in this repeat, so that all are asked for the same
 * rates. The knee of a system is its highest throughput, by operation, on the closed steps without pipelining that are not
 * INVALID. Where none of the cell's own system is usable, the highest that was measured stands in for it: enough to choose
 * a load by, and marked, because it is no figure of the system. Of other systems only usable ones are asked.
 * @param {CellPlan} cell for which a load is sought
 * @param {CellRecord[]} records among them those of the same workload, transport, case and repeat
 * @returns {Record<string, Knee>} by operation of the cell's own system that was measured at all
 */
export function kneeOf(cell, records) {
  const ladder = records.filter((r) => isSameLadder(r, cell) && isStepOfKnee(r));
  const own = highestOf(ladder.filter((r) => r.system === cell.system));
  const others = [...new Set(ladder.map((r) => r.system))]
    .filter((system) => system !== cell.system)
    .map((system) => highestOf(ladder.filter((r) => r.system === system)));
  // The parts of a mix keep their shares: they come from one system.
  const mixed = ladder.flatMap((r) =>
    Object.entries(r.operations).flatMap(([op, o]) => (o.share ? [op] : [])),
  );
  return Object.fromEntries(
    Object.keys(own).map((op) => {
      const together = mixed.includes(op) ? Object.keys(own).filter((o) => mixed.includes(o)) : [op];
      const rate = (/** @type {Record<string, Knee>} */ knee) =>
        together.reduce((sum, o) => sum + knee[o].ratePerSec, 0);
      const usable = others.filter((knee) => together.every((o) => knee[o]?.usable));
      const slowest = [own, ...usable].reduce((least, knee) => (rate(knee) < rate(least) ? knee : least));
      return [op, { ratePerSec: slowest[op].ratePerSec, usable: own[op].usable }];
    }),
  );
}

/**
 * @param {CellRecord[]} records of one system
 * @returns {Record<string, Knee>}
 */
function highestOf(records) {
  /** @type {Record<string, Knee>} */
  const knee = {};
  for (const record of records) {
    for (const [op, { ratePerSec }] of Object.entries(record.operations)) {
      const found = { ratePerSec, usable: verdictOf(record, op) !== 'INVALID' };
      if (ratePerSec > 0 && isAhead(found, knee[op])) knee[op] = found;
    }
  }
  return knee;
}

/**
 * Faults meet all systems at the same rate: a share of what the slower one can do.
 * @param {CellPlan} cell
 * @param {CellRecord[]} records
 * @returns {Record<string, Knee>} by operation, of the system that has the lowest one
 */
export function slowestKneeOf(cell, records) {
  /** @type {Record<string, Knee>} */
  const slowest = {};
  const systems = new Set(records.filter((r) => r.role === 'system').map((r) => r.system));
  for (const system of systems)
    for (const [op, knee] of Object.entries(kneeOf({ ...cell, system }, records)))
      if (!slowest[op] || knee.ratePerSec < slowest[op].ratePerSec) slowest[op] = knee;
  return slowest;
}

/**
 * @param {CellRecord} record
 * @param {CellPlan} cell
 */
function isSameLadder(record, cell) {
  return (
    record.role === cell.role &&
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
