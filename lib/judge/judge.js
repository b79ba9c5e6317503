import { PATIENCE_MS } from '../../k6/schedule/by-time.js';
import { absenceOf } from './absence.js';
import { attributeWithin } from './attribution.js';
import { chaosReasons } from './chaos.js';
import { sharesOf } from './evidence.js';
import { generatorsReasons } from './generators.js';
import { hostReasons, isFull } from './host.js';
import { LIMITS } from './method.js';
import { recoveryReasons } from './recovery.js';
import { dueRatioOf, failedOf } from './schedule.js';
import { soakReasons } from './soak.js';
import { statusOf } from './verdict.js';

/** @import { CellRecord, OperationResult, Reason, Thresholds, UnjudgedRecord, UnjudgedResult } from '../types.d.ts' */

/**
 * Applies every rule. Pure: the record in, the record with its verdicts out. What was not measured to its end is INVALID
 * without a reason of its own: its status has one.
 * @param {UnjudgedRecord} record
 * @param {{thresholds: Thresholds, restarted: boolean, references: Record<string, number> | null,
 *   minOperations?: number, pauseMs?: number, kneeUnknown?: string[], script?: {main: string, untimed: string[],
 *   crossed: string[] | null}}} context
 *   `references`: operations per second of the null responder by operation, to be shown beside; null where it has none;
 *   `pauseMs`: longest time that a user rests between two turns; absent where none are taken;
 *   `kneeUnknown`: operations whose target is a share of a figure that was not usable itself;
 *   `script`: of a user's own, which cannot tell what is stored: `main` is what its users do all the time, `untimed` is only
 *   counted, `crossed` are thresholds of its own that did not hold: no names where they are not known, null where all held
 * @returns {CellRecord}
 */
export function judge(
  record,
  { thresholds, restarted, references, minOperations, pauseMs, kneeUnknown, script },
) {
  const gate = gateReasons(script?.crossed ?? null);
  if (record.status !== 'ok') return unmeasured(record, gate);
  /** @type {Reason[]} */
  const own = [
    ...(record.role === 'durability' ? recoveryReasons(record) : []),
    ...(record.role === 'chaos' ? chaosReasons(record, kneeUnknown) : []),
    ...(record.role === 'durability' ? [] : scheduleReasons(record)),
  ];
  if (restarted) own.push({ code: 'restarted' });
  const { gapSec } = record.resources;
  if (gapSec !== undefined) own.push({ code: 'clock_gap', measured: gapSec });
  for (const title of record.standIns ?? []) own.push({ code: 'storage_stand_in', measured: title });
  for (const { setting, given, stated } of record.untaken ?? [])
    own.push({ code: 'setting_not_taken', measured: `${setting} ${stated}`, limit: given });
  own.push(...generatorsReasons(record.generators, Number(record.parity.generatorCpus ?? 1)));
  own.push(...hostReasons(record));
  own.push(...soakReasons(record.soak));
  if (isEmpty(record)) own.push(absenceOf('too_few', 'operations'));
  own.push(...gate);
  if (record.oracle === null) {
    if (record.role === 'system' && !script) own.push(absenceOf('oracle', 'oracle'));
  } else if (!record.oracle.ok && record.role !== 'chaos')
    own.push({ code: 'oracle', measured: record.oracle.stored, limit: record.oracle.acked });

  const operations = Object.fromEntries(
    Object.entries(record.operations).map(([name, result]) => {
      const own = {
        ...result,
        referencePerSec: references?.[name] ?? null,
        ...attributionOf(record, result, pauseMs),
      };
      const kind = {
        untimed: script?.untimed.includes(name) === true || isRare(record, name, minOperations),
        lawHolds: script === undefined || script.main === name,
      };
      const reasons = operationReasons(record, own, { minOperations, ...thresholds }, pauseMs, kind);
      if (kneeUnknown?.includes(name)) reasons.push({ code: 'knee_unknown' });
      return [name, { ...own, verdict: { status: statusOf(reasons), reasons } }];
    }),
  );
  if (script) own.push(...failuresOf(operations));
  const all = [
    ...own,
    ...Object.entries(operations).flatMap(([operation, o]) =>
      o.verdict.reasons.map((r) => ({ ...r, operation })),
    ),
  ];
  return { ...record, operations, verdict: { status: statusOf(all), reasons: all } };
}

/**
 * @param {UnjudgedRecord} record
 * @param {string} name of an operation
 * @param {number} [least]
 * @returns {boolean} whether it follows what reads miss, and they miss too little to time it: that is no fault of the load
 */
function isRare({ operations }, name, least = LIMITS.minOperations) {
  return operations[name].count < least && Object.values(operations).some((o) => o.filledBy === name);
}

/** @param {UnjudgedRecord} record @returns {boolean} whether nothing was measured of what is to have figures */
function isEmpty({ role, operations }) {
  return role !== 'durability' && role !== 'chaos' && Object.keys(operations).length === 0;
}

/**
 * @param {string[] | null} crossed
 * @returns {Reason[]}
 */
function gateReasons(crossed) {
  if (!crossed) return [];
  return [{ code: 'script_threshold', ...(crossed.length > 0 ? { measured: crossed.join('; ') } : {}) }];
}

/**
 * Operations of a script are parts of each other: an iteration that came to its end by failed requests is no success.
 * @param {Record<string, OperationResult>} operations
 * @returns {Reason[]} the worst of them, for all
 */
function failuresOf(operations) {
  return Object.values(operations)
    .flatMap((o) => o.verdict.reasons.filter((r) => r.code === 'errors'))
    .sort((a, b) => Number(b.measured) - Number(a.measured))
    .slice(0, 1);
}

/**
 * @param {UnjudgedRecord} record
 * @param {Reason[]} reasons
 * @returns {CellRecord}
 */
function unmeasured(record, reasons) {
  const verdict = { status: /** @type {const} */ ('INVALID'), reasons };
  const operations = Object.entries(record.operations).map(([name, result]) => [
    name,
    { ...result, referencePerSec: null, setBy: null, shares: { system: null, loop: null }, verdict },
  ]);
  return { ...record, operations: Object.fromEntries(operations), verdict };
}

/**
 * Who set the throughput of a closed step. A schedule sets that of an open one, and users who think their own; a
 * calibration's is the generator's by its nature.
 * @param {UnjudgedRecord} record
 * @param {import('../types.d.ts').UnjudgedResult} result
 * @param {number} [pauseMs]
 * @returns {Pick<OperationResult, 'setBy' | 'shares'>}
 */
function attributionOf(record, result, pauseMs = 0) {
  const shares = sharesOf(record, result);
  const isFree =
    record.role === 'system' && record.step.model === 'closed' && pauseMs === 0 && !result.received;
  return {
    shares,
    setBy: isFree
      ? attributeWithin({ ...shares, idleCores: record.idleCores ?? null, full: isFull(record) })
      : null,
  };
}

/** What each attribution that is the system's own in no part makes of a figure. */
const BOUND_CODES = Object.freeze({ generator: 'set_by_client', unattributed: 'unattributed' });

/**
 * A full generator makes a bound of a figure. One that was held to less than a CPU and used that up was stopped in the
 * midst of its work: what it timed is its own.
 * @param {UnjudgedRecord} record
 * @param {Pick<OperationResult, 'setBy' | 'generatorCpuRatio'>} result
 * @returns {Reason[]}
 */
function boundsOf({ role, parity }, { setBy, generatorCpuRatio: ratio }) {
  if (role === 'calibration') return [];
  /** @type {Reason[]} */
  const reasons = setBy === 'generator' || setBy === 'unattributed' ? [{ code: BOUND_CODES[setBy] }] : [];
  const limit = LIMITS.generatorCpuRatio;
  const isHeld = Number(parity.generatorCpus ?? 1) < 1;
  if (!isHeld) return reasons;
  if (ratio === null) reasons.unshift(absenceOf('generator_starved', 'CPU of the generator'));
  else if (ratio > limit) reasons.unshift({ code: 'generator_starved', measured: digits(ratio), limit });
  return reasons;
}

/**
 * Who never answered at all, not even when the window was over, is no better than who refused. But where one answer in a
 * hundred takes longer than anybody waits at the end of a window, those that were cut off there tell nothing: one for each
 * place in the connections' pipelines.
 * @param {UnjudgedRecord} record
 * @param {Omit<OperationResult, 'verdict'>} result
 * @returns {number} operations that count as failed because nothing came
 */
function unanswered({ parity }, { aborted, serviceMs }) {
  const inFlight = Number(parity.connections ?? 0) * Number(parity.pipelineDepth ?? 1);
  return serviceMs !== null && serviceMs.p99 >= PATIENCE_MS ? Math.max(0, aborted - inFlight) : aborted;
}

/**
 * @param {UnjudgedRecord} record
 * @param {Omit<OperationResult, 'verdict'>} result
 * @param {Thresholds} thresholds
 * @param {number | undefined} pauseMs
 * @param {{untimed: boolean, lawHolds: boolean}} kind `lawHolds`: the users do nothing else, so that Little's law can be asked
 * @returns {Reason[]}
 */
function operationReasons(record, result, thresholds, pauseMs, { untimed, lawHolds }) {
  const failed = Object.values(result.errors).reduce((sum, n) => sum + n, unanswered(record, result));
  const errorRatio = failed / Math.max(1, failed + result.count);
  /** @type {Reason[]} */
  const reasons = [];
  const errorLimit = thresholds.errorRatio ?? LIMITS.errorRatio;
  if (errorRatio > errorLimit)
    reasons.push({ code: 'errors', measured: digits(errorRatio), limit: errorLimit });
  if (untimed) return [...reasons, ...boundsOf(record, result)];
  if (result.serviceMs === null) return [...reasons, absenceOf('littles_law', 'service time')];
  const minOperations =
    result.users === undefined
      ? (thresholds.minOperations ?? LIMITS.minOperations)
      : LIMITS.minCompanionOperations;
  if (result.count < minOperations) {
    reasons.push({ code: 'too_few', measured: result.count, limit: minOperations });
  }
  reasons.push(...windowReasons(record, result), ...boundsOf(record, result));
  if (!result.received && lawHolds)
    reasons.push(
      ...(record.step.model === 'closed'
        ? closedModel(
            record,
            result,
            pauseMs,
            reasons.some((r) => r.code === 'errors'),
          )
        : openModel(result, thresholds)),
    );
  if (thresholds.p99Ms !== undefined && result.serviceMs.p99 > thresholds.p99Ms) {
    reasons.push({ code: 'p99_threshold', measured: result.serviceMs.p99, limit: thresholds.p99Ms });
  }
  return reasons;
}

/**
 * A window that ends with its last operation cuts none off, and what is received was not sent in it.
 * @param {UnjudgedRecord} record
 * @param {Omit<OperationResult, 'verdict'>} result
 * @returns {Reason[]}
 */
function windowReasons({ step }, { serviceMs, durationMs, received }) {
  if (!serviceMs || received || step.operations !== undefined) return [];
  const limit = LIMITS.windowPerP99 * serviceMs.p99;
  return durationMs < limit
    ? [{ code: 'window_too_short', measured: digits(durationMs), limit: digits(limit) }]
    : [];
}

/**
 * @param {UnjudgedRecord} record
 * @param {Omit<OperationResult, 'verdict'>} result with who set it
 * @param {number | undefined} pauseMs
 * @param {boolean} fails where nobody timed what failed the users were busy with that, too
 * @returns {Reason[]}
 */
function closedModel(record, result, pauseMs, fails) {
  /** @type {Reason[]} */
  const reasons = [];
  const inFlight = usersOf(record, result) * (record.step.depth ?? 1);
  const { ratePerSec, meanMs, untimed } = loadOf(record, result);
  const outsideMs = result.outsideMs ?? 0;
  const deviation = littlesLawDeviation(inFlight, ratePerSec, meanMs, outsideMs);
  let limit = LIMITS.littlesLaw + edgeOf(record, result, meanMs, pauseMs);
  // The event loops do not time their own turn from a reply to the next operation. Where they are the ones who were full
  // it is part of what the bound says already; users that were busier than they were there are impossible all the same.
  const isIdle = ratePerSec * (meanMs + outsideMs) < inFlight * 1000;
  if (isIdle && result.outsideMs == null && isOfClient(record, result)) limit += LIMITS.clientTurnaround;
  if (deviation > limit && !(isIdle && fails && untimed)) {
    reasons.push({ code: 'littles_law', measured: digits(deviation), limit: digits(limit) });
  }
  return reasons;
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
 * @param {Omit<OperationResult, 'verdict'>} result
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
 * @param {Omit<OperationResult, 'verdict'>} result
 * @param {number} meanMs of an operation
 * @param {number | undefined} pauseMs
 */
function edgeOf({ step }, { serviceMs, durationMs, presentMs }, meanMs, pauseMs) {
  if (presentMs !== undefined) return 0;
  const ofTurns = pauseMs === undefined ? 0 : meanMs + pauseMs;
  return (step.operations === undefined ? ofTurns : (serviceMs?.max ?? 0)) / Math.max(1, durationMs);
}

/**
 * The load that the users of an operation make: of a mix, or of turns, all parts, because a user goes from one to the
 * other. What failed took time as well, and ended.
 * @param {UnjudgedRecord} record
 * @param {Omit<OperationResult, 'verdict'>} result
 * @returns {{ratePerSec: number, meanMs: number, untimed: boolean}} of all that ended; `untimed`: nobody knows how long
 *   what failed took
 */
function loadOf(record, result) {
  const parts =
    result.share === undefined
      ? [result]
      : Object.values(record.operations).filter((o) => o.share !== undefined);
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

/**
 * A schedule says when what is due: no fault of the system, and no wait, makes it more.
 * @param {Pick<UnjudgedRecord, 'step' | 'operations'>} record not of a load that a kill ends
 * @returns {Reason[]}
 */
function scheduleReasons({ step, operations }) {
  if (step.model !== 'open') return [];
  return Object.values(operations).flatMap((result) => {
    const measured = dueRatioOf([result]);
    const limit = LIMITS.scheduleRatio;
    return measured > limit ? [{ code: 'schedule_exceeded', measured, limit }] : [];
  });
}

/**
 * @param {Omit<OperationResult, 'verdict'>} result
 * @param {Thresholds} thresholds
 * @returns {Reason[]}
 */
function openModel(result, thresholds) {
  /** @type {Reason[]} */
  const reasons = [];
  if (result.lagMs === null || result.responseMs === null || result.targetPerSec === null) {
    return [absenceOf('schedule_lag', 'schedule')];
  }
  if (result.lagMs.p99 > LIMITS.scheduleLagMs) {
    reasons.push({ code: 'schedule_lag', measured: result.lagMs.p99, limit: LIMITS.scheduleLagMs });
  }
  const droppedRatio = result.dropped / Math.max(1, result.dropped + result.count);
  if (droppedRatio > LIMITS.droppedRatio) {
    reasons.push({ code: 'dropped', measured: digits(droppedRatio), limit: LIMITS.droppedRatio });
  }
  const achievedLimit = thresholds.achievedRatio ?? 0.95;
  const achieved = result.ratePerSec / result.targetPerSec;
  if (achieved < achievedLimit)
    reasons.push({ code: 'target_missed', measured: digits(achieved), limit: achievedLimit });
  return reasons;
}

/** @param {number} value */
function digits(value) {
  return Number(value.toPrecision(4));
}
