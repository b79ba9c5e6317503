import { verdictOf } from '../judge/verdict.js';
import { median } from '../stats/summary.js';

/** @import { CellPlan, CellRecord, Knee, OperationResult, WorkloadFacts } from '../types.d.ts' */

/** Fewer whole seconds than this have no middle, and counts below this one are coarser than the mean. */
const FEWEST_SECONDS = 3;
const FEWEST_COUNTS = 20;

/**
 * One operation of one closed step, of one repeat or start.
 * @typedef {object} Seen
 * @property {string} system
 * @property {string} step
 * @property {string} op
 * @property {number} ratePerSec
 * @property {boolean} usable
 * @property {boolean} mixed part of a mix
 */

/**
 * What an open step takes its share of: the knee of the slowest system, so that all are asked for the same rates. The
 * knee of a system is its highest throughput, by operation, on the closed steps without pipelining that are driven as the
 * open one is and are not INVALID. No single second, repeat or start makes it: of a step it is the median over the
 * repeats so far, and of a repeat what half of its seconds reached. Where none of the cell's own system is usable, the
 * highest that was measured stands in for it: enough to choose a load by, and marked, because it is no figure of the
 * system. Of other systems only usable ones are asked.
 * @param {CellPlan} cell for which a load is sought
 * @param {CellRecord[]} records among them those of the same workload, transport and case
 * @returns {Record<string, Knee>} by operation of the cell's own system that was measured at all
 */
export function kneeOf(cell, records) {
  const seen = seenIn(cell, records);
  const own = highestOf(seen.filter((s) => s.system === cell.system));
  const others = [...new Set(seen.map((s) => s.system))]
    .filter((system) => system !== cell.system)
    .map((system) => highestOf(seen.filter((s) => s.system === system)));
  // The parts of a mix keep their shares: they come from one system.
  const mixed = seen.flatMap((s) => (s.mixed ? [s.op] : []));
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
 * What meets all systems at one rate, a fault or the null responder beside them: that of the slowest one.
 * @param {CellPlan} cell
 * @param {CellRecord[]} records
 * @returns {Record<string, Knee>} by operation, of the system that has the lowest one
 */
export function slowestKneeOf(cell, records) {
  /** @type {Record<string, Knee>} */
  const slowest = {};
  const systems = records.filter((r) => r.role === 'system').map((r) => r.system);
  for (const system of new Set(systems))
    for (const [op, knee] of Object.entries(kneeOf({ ...cell, system }, records)))
      if (!slowest[op] || knee.ratePerSec < slowest[op].ratePerSec) slowest[op] = knee;
  return slowest;
}

/**
 * @param {Pick<OperationResult, 'ratePerSec' | 'durationMs' | 'series'>} result
 * @returns {number} operations per second that half of the seconds reached: neither a burst nor a standstill moves it
 */
export function sustainedPerSec({ ratePerSec, durationMs, series }) {
  const counts = series.filter(({ t }) => (t + 1) * 1000 <= durationMs).map((s) => s.count);
  if (counts.length < FEWEST_SECONDS) return ratePerSec;
  const middle = median(counts);
  return middle < FEWEST_COUNTS ? ratePerSec : middle;
}

/**
 * @param {CellPlan} cell
 * @param {CellRecord[]} records
 * @returns {Seen[]}
 */
function seenIn(cell, records) {
  return records
    .filter((r) => isSameLadder(r, cell) && isStepOfKnee(r))
    .flatMap((r) =>
      Object.entries(r.operations).map(([op, o]) => ({
        system: r.system,
        step: r.step.id,
        op,
        ratePerSec: sustainedPerSec(o),
        usable: verdictOf(r, op) !== 'INVALID' && !o.verdict.reasons.some((x) => x.code === 'errors'),
        mixed: o.share !== undefined,
      })),
    );
}

/**
 * @param {Seen[]} seen of one system
 * @returns {Record<string, Knee>}
 */
function highestOf(seen) {
  /** @type {Record<string, Knee>} */
  const knee = {};
  for (const op of new Set(seen.map((s) => s.op))) {
    for (const step of new Set(seen.map((s) => s.step))) {
      const all = seen.filter((s) => s.op === op && s.step === step && s.ratePerSec > 0);
      const usable = all.filter((s) => s.usable);
      const own = usable.length > 0 ? usable : all;
      if (own.length === 0) continue;
      const found = { ratePerSec: median(own.map((s) => s.ratePerSec)), usable: usable.length > 0 };
      if (isAhead(found, knee[op])) knee[op] = found;
    }
  }
  return knee;
}

/**
 * @param {CellRecord} record
 * @param {CellPlan} cell
 */
function isSameLadder(record, cell) {
  // What was done beside others who were up came before any repeat; other data are another load.
  const isBefore =
    record.paired === undefined ? record.repeat <= cell.repeat : record.step.dataset === undefined;
  return (
    record.role === 'system' &&
    record.workload === cell.workload &&
    record.transport === cell.transport &&
    record.step.case === cell.step.case &&
    record.step.drive === cell.step.drive &&
    isBefore
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
  const all = operations.reduce((sum, op) => sum + knee[op].ratePerSec, 0);
  const fraction = Math.min(step.fractionOfKnee ?? 1, (step.mostPerSec ?? Number.POSITIVE_INFINITY) / all);
  return Object.fromEntries(operations.map((op) => [op, Math.floor(knee[op].ratePerSec * fraction)]));
}
