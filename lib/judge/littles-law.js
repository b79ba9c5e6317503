import { PATIENCE_MS } from '../../k6/schedule/by-time.js';
import { LIMITS } from './limits.js';
import { failedOf } from './schedule.js';

/**
 * @import { OperationResult, UnjudgedRecord, UnjudgedResult } from '../types.d.ts'
 * @import { Found, OperationContext, Result } from './rules.js'
 */

/**
 * Whether users, throughput and times of a closed load can all be true.
 * @param {Result} result
 * @param {UnjudgedRecord} record
 * @param {OperationContext} context
 * @returns {Found[]}
 */
export function lawBroken(result, record, { thresholds, pauseMs, script, operation, untimed: isCounted }) {
  if (isCounted) return [];
  if (result.serviceMs === null) return [{ absent: 'service time' }];
  // The users of a script do other things beside what is no iteration of theirs.
  const holds = script === undefined || script.main === operation;
  if (result.received || !holds || record.step.model !== 'closed') return [];
  const inFlight = usersOf(record, result) * (record.step.depth ?? 1);
  const { ratePerSec, meanMs, untimed } = loadOf(record, result);
  const outsideMs = result.outsideMs ?? 0;
  const deviation = littlesLawDeviation(inFlight, ratePerSec, meanMs, outsideMs);
  let limit = LIMITS.littlesLaw + edgeOf(record, result, meanMs, pauseMs);
  // The event loops do not time their own turn from a reply to the next operation. Where they are the ones who were full
  // it is part of what the bound says already; users that were busier than they were there are impossible all the same.
  const isIdle = ratePerSec * (meanMs + outsideMs) < inFlight * 1000;
  if (isIdle && result.outsideMs == null && isOfClient(record, result)) limit += LIMITS.clientTurnaround;
  // Where nobody timed what failed the users were busy with that, too.
  const fails = errorShare(record, result) > (thresholds.errorRatio ?? LIMITS.errorRatio);
  if (deviation <= limit || (isIdle && fails && untimed)) return [];
  return [{ measured: digits(deviation), limit: digits(limit) }];
}

/** @param {UnjudgedRecord} record @param {Result} result @returns {number} share of the operations that failed, or never ended */
export function errorShare(record, result) {
  const failed = failedOf(result) + unanswered(record, result);
  return failed / Math.max(1, failed + result.count);
}

/**
 * Who never answered at all, not even when the window was over, is no better than who refused. But where one answer in a
 * hundred takes longer than anybody waits at the end of a window, those that were cut off there tell nothing: one for each
 * place in the connections' pipelines.
 * @param {UnjudgedRecord} record
 * @param {Result} result
 * @returns {number} operations that count as failed because nothing came
 */
function unanswered({ parity }, { aborted, serviceMs }) {
  const inFlight = Number(parity.connections ?? 0) * Number(parity.pipelineDepth ?? 1);
  return serviceMs !== null && serviceMs.p99 >= PATIENCE_MS ? Math.max(0, aborted - inFlight) : aborted;
}

/**
 * @param {UnjudgedRecord} record
 * @param {Pick<OperationResult, 'setBy'>} result
 * @returns {boolean} whether the client set the throughput, as it does that of a calibration by its nature
 */
function isOfClient({ role }, { setBy }) {
  return role === 'calibration' || setBy === 'generator';
}

/**
 * Users of a window on average. One that ends with its last operation has edges: users begin after each other and end
 * after each other, and each counts for as long as it was there, from its first send to its last answer.
 * @param {UnjudgedRecord} record
 * @param {Result} result
 * @returns {number}
 */
function usersOf(record, { users, presentMs, durationMs }) {
  if (presentMs !== undefined) return presentMs / durationMs;
  return users ?? record.step.vus;
}

/**
 * Time of a user that lies at the edges of a window, where the law cannot see it, as a share of the window. One that
 * ends with its last operation, where it was not recorded how long each user was there: a user may rest while the slowest
 * last one goes on. One of turns, which all users begin together: at its end each is within an operation or a pause.
 * @param {UnjudgedRecord} record
 * @param {Result} result
 * @param {number} meanMs of an operation
 * @param {number | undefined} pauseMs
 */
function edgeOf({ step }, { serviceMs, durationMs, presentMs }, meanMs, pauseMs) {
  if (presentMs !== undefined) return 0;
  const ofTurns = pauseMs === undefined ? 0 : meanMs + pauseMs;
  return (step.operations === undefined ? ofTurns : (serviceMs?.max ?? 0)) / Math.max(1, durationMs);
}

/**
 * @param {Pick<UnjudgedRecord, 'operations'>} record
 * @param {UnjudgedResult} result
 * @returns {UnjudgedResult[]} operations that the same users perform: all parts of a mix, or of turns
 */
export function partsOf({ operations }, result) {
  if (result.share === undefined) return [result];
  return Object.values(operations).filter((o) => o.share !== undefined);
}

/**
 * The load that the users of an operation make: of a mix, or of turns, all parts, because a user goes from one to the
 * other. What failed took time as well, and ended.
 * @param {UnjudgedRecord} record
 * @param {Result} result
 * @returns {{ratePerSec: number, meanMs: number, untimed: boolean}} of all that ended; `untimed`: nobody knows how long
 *   what failed took
 */
function loadOf(record, result) {
  const parts = partsOf(record, result);
  const perSec = (/** @type {UnjudgedResult} */ o, /** @type {number} */ sum) => (sum * 1000) / o.durationMs;
  const timed = (/** @type {UnjudgedResult} */ o) => (o.failedMs === undefined ? 0 : failedOf(o));
  const ratePerSec = parts.reduce((sum, o) => sum + o.ratePerSec + perSec(o, timed(o)), 0);
  const busyMs = parts.reduce(
    (sum, o) => sum + o.ratePerSec * (o.serviceMs?.mean ?? 0) + perSec(o, o.failedMs ?? 0),
    0,
  );
  return {
    ratePerSec,
    meanMs: ratePerSec === 0 ? 0 : busyMs / ratePerSec,
    untimed: parts.some((o) => o.failedMs === undefined && failedOf(o) > 0),
  };
}

/**
 * Little's law for a closed system, with the time that a user spends outside the system (Denning and
 * Buzen 1978, the interactive response-time law): N = X · (R + Z).
 * @param {number} inFlight N, operations in flight: users × depth
 * @param {number} ratePerSec X
 * @param {number} meanMs R
 * @param {number} [outsideMs] Z, 0 when the next operation follows at once
 * @returns {number} |N − X·(R+Z)| / N
 */
export function littlesLawDeviation(inFlight, ratePerSec, meanMs, outsideMs = 0) {
  return Math.abs(inFlight - (ratePerSec * (meanMs + outsideMs)) / 1000) / inFlight;
}

/** @param {number} value @returns {number} as a reason has it */
export function digits(value) {
  return Number(value.toPrecision(4));
}
