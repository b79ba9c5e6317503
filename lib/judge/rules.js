import { missedBeforeFault } from './chaos.js';
import { fullRunner, missingRunners, restartedRunners, startedApart } from './generators.js';
import { takenHost } from './host.js';
import { LIMITS, SLICE } from './limits.js';
import { digits, errorShare, lawBroken } from './littles-law.js';
import { wrongAfterEnd } from './recovery.js';
import { dueRatioOf } from './schedule.js';
import { drifts, handlesKept, leaks } from './soak.js';

/** @import { OperationResult, Reason, ReasonCode, Thresholds, UnjudgedRecord } from '../types.d.ts' */

/**
 * What a rule found. `absent`: what was not seen of what it looks at.
 * @typedef {{measured?: Reason['measured'], limit?: Reason['limit'], absent?: string}} Found
 *
 * @typedef {Omit<OperationResult, 'verdict'>} Result of an operation, with who set it
 *
 * What is known of a record beside it.
 * @typedef {object} Context
 * @property {Thresholds} thresholds
 * @property {boolean} restarted
 * @property {number} [minOperations]
 * @property {number} [pauseMs] longest time that a user rests between two turns; absent where none are taken
 * @property {string[]} [kneeUnknown] operations whose target is a share of a figure that was not usable itself
 * @property {{main: string, untimed: string[], crossed: string[] | null}} [script] of a user's own, which cannot tell what is
 *   stored: `main` is what its users do all the time, `untimed` is only counted, `crossed` are thresholds of its own that did
 *   not hold: no names where they are not known, null where all held
 *
 * @typedef {Context & {operation: string, untimed: boolean}} OperationContext `untimed`: the operation is only counted
 *
 * What one of two systems did that were compared while both had a load.
 * @typedef {object} PairSide
 * @property {number} operations acknowledged inside the slice
 * @property {number} failed
 * @property {number | null} cpuSec run time of all threads of the system inside it; null where it is not to be had
 * @property {number} seconds length of the slice
 * @property {number} stolenShare most of the CPU time that the hypervisor took of one of its pieces
 * @property {number} lateMs latest that a loop came to a cut of them
 *
 * @typedef {Pick<import('../types.d.ts').SideBySideCell, 'connections' | 'depth' | 'minOperations'>} PairLoad
 *
 * @typedef {object} Rule
 * @property {'DEGRADED' | 'INVALID'} status how grave it is to break it
 * @property {string} text the sentence by which a report explains it
 * @property {string} [short] the words for it in a cell of a table, where it can stand there
 * @property {true} [bound] the generator took part in the figure, or may have, so the system does at least that
 * @property {true} [ofWindow] the window is at fault, not the system: a longer one mends it
 * @property {ReasonCode | null} absence what stands in its place where what it looks at was not seen: never nothing, so that no
 *   figure is better for what is not known of it. null: every record has that, because it was counted, planned or declared
 * @property {(record: UnjudgedRecord, context: Context) => Found[]} [ofRecord] what breaks it in the record as a whole
 * @property {(result: Result, record: UnjudgedRecord, context: OperationContext) => Found[]} [ofOperation]
 * @property {(side: PairSide, load: PairLoad) => Found[]} [ofPair] for the sake of which the two are not compared there
 */

/**
 * Every rule, in the order in which a verdict has them.
 * @type {Readonly<Record<ReasonCode, Rule>>}
 */
export const RULES = Object.freeze({
  stolen: {
    status: 'INVALID',
    text: 'the hypervisor took more than a quarter of the CPU time',
    absence: null,
    ofPair: ({ stolenShare }) => above(stolenShare, SLICE.stolenShare),
  },
  late: {
    status: 'INVALID',
    text: 'the load generator came too late to count',
    absence: null,
    ofPair: ({ lateMs }) => above(lateMs, SLICE.lateMs),
  },
  errors: {
    status: 'DEGRADED',
    short: 'operations failed',
    text: 'more operations failed, or were never answered, than is tolerated: the report shows both, and names no winner',
    absence: null,
    ofOperation: (result, record, { thresholds }) =>
      above(errorShare(record, result), thresholds.errorRatio ?? LIMITS.errorRatio),
    ofPair: ({ failed }) => above(failed, 0),
  },
  no_evidence: {
    status: 'INVALID',
    text: 'the CPU that a system took was not seen',
    absence: null,
  },
  idle: {
    status: 'INVALID',
    text: 'a system took less than a twentieth of a CPU',
    absence: 'no_evidence',
    ofPair: ({ cpuSec, seconds }) =>
      cpuSec === null ? [{ absent: 'CPU of the system' }] : below(cpuSec / seconds, SLICE.minCpuShare),
  },
  schedule_exceeded: {
    status: 'INVALID',
    short: 'more was due than planned',
    text: 'more operations were due than the schedule holds: the load generator did not follow it',
    absence: 'missing_metric',
    ofRecord: moreThanDue,
  },
  restarted: {
    status: 'INVALID',
    short: 'the system was restarted',
    text: 'the system was restarted while it was measured',
    // Who has said which one it is and says so no more is taken for another one.
    absence: 'restarted',
    ofRecord: (_, { restarted }) => (restarted ? [{}] : []),
  },
  clock_gap: {
    status: 'INVALID',
    short: 'the machine stood still',
    text: 'for seconds nothing was sampled, or the clock was set: the machine was suspended, or the runner stopped, in the midst of it',
    absence: 'host_unseen',
    ofRecord: ({ resources: { gapSec } }) => (gapSec === undefined ? [] : [{ measured: gapSec }]),
  },
  storage_stand_in: {
    status: 'DEGRADED',
    short: 'a stand-in ran for the storage',
    text: 'something stood in for the storage, because the real one could not be had here: it shows that the system works, not how fast it is',
    absence: null,
    ofRecord: ({ standIns = [] }) => standIns.map((measured) => ({ measured })),
  },
  setting_not_taken: {
    status: 'INVALID',
    short: 'a setting did not take',
    text: 'a setting that the server was given did not take, as it says itself: it is not the configuration that is printed',
    absence: null,
    ofRecord: ({ untaken = [] }) =>
      untaken.map(({ setting, given, stated }) => ({ measured: `${setting} ${stated}`, limit: given })),
  },
  runner_missing: {
    status: 'INVALID',
    short: 'a runner went missing',
    text: 'a runner of several did not hand over its part of the load whole: the rest is not the load that is named',
    absence: null,
    ofRecord: missingRunners,
  },
  runner_restarted: {
    status: 'INVALID',
    short: 'a runner was restarted',
    text: 'a runner of several was started more than once: its load is not the one that was counted',
    absence: null,
    ofRecord: restartedRunners,
  },
  start_skew: {
    status: 'INVALID',
    short: 'the runners did not begin together',
    text: 'the runners of a load did not begin together: their windows are not one',
    absence: 'missing_metric',
    ofRecord: startedApart,
  },
  runner_saturated: {
    status: 'DEGRADED',
    bound: true,
    text: 'a runner of several used nearly all the CPU it may use, and so took part in the figure: the system may be faster than shown',
    absence: 'missing_metric',
    ofRecord: (record) => (isHeld(record) ? [] : fullRunner(record)),
  },
  host_busy: {
    status: 'DEGRADED',
    short: 'the machine was busy',
    text: 'other processes or guests took CPU that the system could have used, while neither it nor the load generator was full: a figure of a busy machine',
    absence: 'host_unseen',
    ofRecord: takenHost,
  },
  host_unseen: {
    status: 'DEGRADED',
    bound: true,
    short: 'not known how busy the machine was',
    text: 'the machine was full, or was not seen, and how much of it others took cannot be told: the system may be faster than shown',
    absence: 'host_unseen',
  },
  leaking: {
    status: 'DEGRADED',
    text: 'memory grew all through the soak, faster than 0.25 MiB a minute: a leak, until shown to be something else',
    absence: 'soak_unclear',
    ofRecord: leaks,
  },
  drifting: {
    status: 'DEGRADED',
    text: 'the p99 grew by more than a quarter during the soak',
    absence: 'soak_unclear',
    ofRecord: drifts,
  },
  clinging: {
    status: 'DEGRADED',
    text: 'its open files or its threads became more all through the soak: they are not given back, until shown to be something else',
    absence: 'soak_unclear',
    ofRecord: handlesKept,
  },
  soak_unclear: {
    status: 'DEGRADED',
    text: 'the soak was too short, or what may grow (memory, p99, open files, threads) could not all be seen',
    absence: 'soak_unclear',
    ofRecord: ({ soak }) => (soak?.verdict === 'unclear' ? [{}] : []),
  },
  too_few: {
    status: 'INVALID',
    ofWindow: true,
    short: 'too few operations',
    text: 'too few operations for the percentiles that are shown',
    absence: 'missing_metric',
    ofRecord: (record) => (isEmpty(record) ? [{ absent: 'operations' }] : []),
    ofOperation: timed(fewOperations),
    ofPair: ({ operations }, { minOperations = SLICE.minOperations }) => below(operations, minOperations),
  },
  window_too_short: {
    status: 'INVALID',
    ofWindow: true,
    short: 'the window is too short for its latency',
    text: 'operations last longer than a fifth of the window: those that it cuts off would have changed rate and latency',
    absence: 'missing_metric',
    ofOperation: timed(shortWindow),
    ofPair: ({ operations }, { connections, depth }) => below(operations, SLICE.turns * connections * depth),
  },
  generator_starved: {
    status: 'INVALID',
    short: 'the load generator was starved of CPU',
    text: 'the load generator was held to less than a CPU and used it up: the figure describes the load generator',
    absence: 'missing_metric',
    ofRecord: (record) => (isHeld(record) ? fullRunner(record) : []),
    ofOperation: starved,
  },
  set_by_client: {
    status: 'DEGRADED',
    bound: true,
    text: 'the load generator was full, or had less time to spare than the system: the system may be faster than shown',
    absence: 'unattributed',
    ofOperation: setBy('generator'),
  },
  unattributed: {
    status: 'DEGRADED',
    bound: true,
    text: 'who set the figure cannot be told from what was seen of system and load generator: the system may be faster than shown',
    absence: 'unattributed',
    ofOperation: setBy('unattributed'),
  },
  littles_law: {
    status: 'INVALID',
    short: 'the figures contradict each other',
    text: "Little's law does not hold: concurrency, throughput and latency cannot all be true",
    absence: 'missing_metric',
    ofOperation: lawBroken,
  },
  schedule_lag: {
    status: 'INVALID',
    short: 'the load generator sent late',
    text: 'the load generator sent later than the schedule asked although a connection was free',
    absence: 'missing_metric',
    ofOperation: paced(lateSends),
  },
  dropped: {
    status: 'INVALID',
    short: 'operations were never sent',
    text: 'operations of the schedule were never sent: the system, or the load generator, could not keep up',
    absence: 'missing_metric',
    ofOperation: paced(({ dropped, count }) =>
      above(dropped / Math.max(1, dropped + count), LIMITS.droppedRatio),
    ),
  },
  target_missed: {
    status: 'INVALID',
    short: 'the rate was not reached',
    text: 'the achieved rate is below the target rate',
    absence: 'missing_metric',
    ofRecord: missedBeforeFault,
    ofOperation: paced(({ ratePerSec, targetPerSec }, { achievedRatio = LIMITS.achievedRatio }) =>
      below(ratePerSec / targetPerSec, achievedRatio),
    ),
  },
  p99_threshold: {
    status: 'DEGRADED',
    short: 'past the p99 that was asked for',
    text: 'the p99 is above the threshold of the profile',
    absence: 'missing_metric',
    ofOperation: timed(slowerThanAsked),
  },
  knee_unknown: {
    status: 'DEGRADED',
    text: 'no closed step was valid; the target rate is based on an invalid maximum and may be too low or too high',
    absence: null,
    ofRecord: ({ role, chaos }, { kneeUnknown = [] }) =>
      role === 'chaos' && chaos ? kneeUnknown.map(() => ({})) : [],
    ofOperation: (_, __, { kneeUnknown, operation }) => (kneeUnknown?.includes(operation) ? [{}] : []),
  },
  script_threshold: {
    status: 'DEGRADED',
    short: 'past a threshold of the script',
    text: 'a threshold that the script sets itself was crossed',
    absence: null,
    ofRecord: (_, { script }) => crossedIn(script?.crossed ?? null),
  },
  oracle: {
    status: 'INVALID',
    short: 'wrong state after the load',
    text: 'the state after load does not agree with what was acknowledged',
    absence: 'missing_metric',
    ofRecord: (record, context) => [...wrongAfterEnd(record), ...wrongState(record, context)],
  },
  missing_metric: {
    status: 'INVALID',
    short: 'a metric is missing',
    text: 'a metric that a gate needs is missing, and a gate that cannot be checked is not passed',
    absence: null,
  },
});

/**
 * @param {ReasonCode} code of a rule
 * @param {Found[]} all
 * @returns {Reason[]}
 */
function reasonsFor(code, all) {
  return all.map(({ absent, ...found }) =>
    absent === undefined
      ? { code, ...found }
      : { code: RULES[code].absence ?? 'missing_metric', measured: absent },
  );
}

const CODES = /** @type {ReasonCode[]} */ (Object.keys(RULES));

/** @param {UnjudgedRecord} record @param {Context} context @returns {Reason[]} that concern all of it */
export function recordReasons(record, context) {
  return CODES.flatMap((code) => reasonsFor(code, RULES[code].ofRecord?.(record, context) ?? []));
}

/**
 * @param {Result} result
 * @param {UnjudgedRecord} record
 * @param {OperationContext} context
 * @returns {Reason[]}
 */
export function operationReasons(result, record, context) {
  return CODES.flatMap((code) => reasonsFor(code, RULES[code].ofOperation?.(result, record, context) ?? []));
}

/**
 * @param {PairSide[]} sides
 * @param {PairLoad} load
 * @returns {Reason[]} why two systems are not compared by what they did in one slice; none when it counts
 */
export function pairReasons(sides, load) {
  return sides.flatMap((side) =>
    CODES.flatMap((code) => reasonsFor(code, RULES[code].ofPair?.(side, load) ?? [])),
  );
}

/** @param {number} measured @param {number} limit @returns {Found[]} */
function above(measured, limit) {
  return measured > limit ? [{ measured: digits(measured), limit }] : [];
}

/** @param {number} measured @param {number} limit @returns {Found[]} */
function below(measured, limit) {
  return measured < limit ? [{ measured: digits(measured), limit }] : [];
}

/** @param {string[] | null} crossed @returns {Found[]} */
function crossedIn(crossed) {
  return crossed ? [crossed.length > 0 ? { measured: crossed.join('; ') } : {}] : [];
}

/** @param {Context} context @returns {Reason[]} by what the script itself calls a failure, whether or not it was measured */
export function gateReasons({ script }) {
  return reasonsFor('script_threshold', crossedIn(script?.crossed ?? null));
}

/** @param {UnjudgedRecord} record @returns {boolean} whether nothing was measured of what is to have figures */
function isEmpty({ role, operations }) {
  return role !== 'durability' && role !== 'chaos' && Object.keys(operations).length === 0;
}

/** @param {UnjudgedRecord} record @returns {boolean} whether its generator was held to less than a CPU */
function isHeld({ parity }) {
  return Number(parity.generatorCpus ?? 1) < 1;
}

/** @param {UnjudgedRecord} record @param {Context} context @returns {Found[]} */
function wrongState({ role, oracle }, { script }) {
  if (oracle === null) return role === 'system' && !script ? [{ absent: 'oracle' }] : [];
  return oracle.ok || role === 'chaos' ? [] : [{ measured: oracle.stored, limit: oracle.acked }];
}

/** A schedule says when what is due: no fault of the system, and no wait, makes it more. @param {UnjudgedRecord} record */
function moreThanDue({ role, step, operations, chaos }) {
  const all =
    role === 'durability' || step.model !== 'open'
      ? []
      : Object.values(operations).map((o) => dueRatioOf([o]));
  const ratios = [...(chaos?.dueRatio === undefined ? [] : [chaos.dueRatio]), ...all];
  return ratios.flatMap((ratio) => above(ratio, LIMITS.scheduleRatio));
}

/**
 * @param {NonNullable<Rule['ofOperation']>} find
 * @returns {NonNullable<Rule['ofOperation']>} of what has times
 */
function timed(find) {
  return (result, record, context) =>
    result.serviceMs === null || context.untimed ? [] : find(result, record, context);
}

/**
 * @param {(result: Result & {targetPerSec: number}, thresholds: Thresholds) => Found[]} find
 * @returns {NonNullable<Rule['ofOperation']>} of what a schedule sends and nothing else is
 */
function paced(find) {
  return timed((result, { step }, { thresholds, script, operation }) => {
    if (step.model === 'closed' || result.received || (script && script.main !== operation)) return [];
    const { lagMs, responseMs, targetPerSec } = result;
    if (lagMs !== null && responseMs !== null && targetPerSec !== null)
      return find({ ...result, targetPerSec }, thresholds);
    return find === lateSends ? [{ absent: 'schedule' }] : [];
  });
}

/** @type {NonNullable<Rule['ofOperation']>} */
function fewOperations({ users, count }, _, { thresholds, minOperations }) {
  const limit =
    users === undefined
      ? (thresholds.minOperations ?? minOperations ?? LIMITS.minOperations)
      : LIMITS.minCompanionOperations;
  return count < limit ? [{ measured: count, limit }] : [];
}

/**
 * A window that ends with its last operation cuts none off, and what is received was not sent in it.
 * @type {NonNullable<Rule['ofOperation']>}
 */
function shortWindow({ serviceMs, durationMs, received }, { step }) {
  if (!serviceMs || received || step.operations !== undefined) return [];
  const limit = LIMITS.windowPerP99 * serviceMs.p99;
  return durationMs < limit ? [{ measured: digits(durationMs), limit: digits(limit) }] : [];
}

/**
 * @param {Result} result
 * @param {UnjudgedRecord} record
 * @param {OperationContext} context
 * @returns {boolean} whether the client may make a bound of it: a calibration is the client's by its nature
 */
function mayBeBound({ serviceMs }, { role }, context) {
  return role !== 'calibration' && (serviceMs !== null || context.untimed);
}

/**
 * One that was held to less than a CPU and used that up was stopped in the midst of its work: what it timed is its own.
 * @type {NonNullable<Rule['ofOperation']>}
 */
function starved(result, record, context) {
  if (!mayBeBound(result, record, context) || !isHeld(record)) return [];
  const { generatorCpuRatio: ratio } = result;
  return ratio === null ? [{ absent: 'CPU of the generator' }] : above(ratio, LIMITS.generatorCpuRatio);
}

/**
 * A full generator makes a bound of a figure.
 * @param {OperationResult['setBy']} who
 * @returns {NonNullable<Rule['ofOperation']>}
 */
function setBy(who) {
  return (result, record, context) =>
    result.setBy === who && mayBeBound(result, record, context) ? [{}] : [];
}

/** @param {Result} result @returns {Found[]} */
function lateSends({ lagMs }) {
  const [measured, limit] = [lagMs?.p99 ?? 0, LIMITS.scheduleLagMs];
  return measured > limit ? [{ measured, limit }] : [];
}

/** @type {NonNullable<Rule['ofOperation']>} */
function slowerThanAsked({ serviceMs }, _, { thresholds: { p99Ms } }) {
  if (p99Ms === undefined || !serviceMs || serviceMs.p99 <= p99Ms) return [];
  return [{ measured: serviceMs.p99, limit: p99Ms }];
}
