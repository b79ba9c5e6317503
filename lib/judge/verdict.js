/** @import { CellRecord, Reason, ReasonCode, VerdictStatus } from '../types.d.ts' */

/**
 * Every reason that a verdict can have: how grave it is, the words for it in a cell of a table, where it can stand
 * there, and the sentence by which a report explains it. `bound`: the generator took part in the figure, or may have, so the system does at least that.
 * @type {Readonly<Record<ReasonCode, {status: 'DEGRADED' | 'INVALID', text: string, short?: string, bound?: true}>>}
 */
export const REASONS = Object.freeze({
  generator_starved: {
    status: 'INVALID',
    short: 'the generator was starved of CPU',
    text: 'the generator was held to less than a CPU and used it up: the figure describes the generator',
  },
  runner_missing: {
    status: 'INVALID',
    short: 'a runner went missing',
    text: 'a runner of several did not hand over its part of the load whole: the rest is not the load that is named',
  },
  runner_restarted: {
    status: 'INVALID',
    short: 'a runner was restarted',
    text: 'a runner of several was started more than once: its load is not the one that was counted',
  },
  runner_saturated: {
    status: 'DEGRADED',
    bound: true,
    text: 'a runner of several used nearly all the CPU it may use, and so took part in the figure: the system may be faster than shown',
  },
  start_skew: {
    status: 'INVALID',
    short: 'the runners did not begin together',
    text: 'the runners of a load did not begin together: their windows are not one',
  },
  littles_law: {
    status: 'INVALID',
    short: 'the figures contradict each other',
    text: "Little's law does not hold: concurrency, throughput and latency cannot all be true",
  },
  missing_metric: {
    status: 'INVALID',
    short: 'a metric is missing',
    text: 'a metric that a gate needs is missing, and a gate that cannot be checked is not passed',
  },
  oracle: {
    status: 'INVALID',
    short: 'wrong state after the load',
    text: 'the state after load does not agree with what was acknowledged',
  },
  errors: {
    status: 'DEGRADED',
    short: 'operations failed',
    text: 'more operations failed, or were never answered, than is tolerated: what was completed stands beside what failed, and is not ranked',
  },
  too_few: {
    status: 'INVALID',
    short: 'too few operations',
    text: 'too few operations for the percentiles that are shown',
  },
  window_too_short: {
    status: 'INVALID',
    short: 'the window is too short for its latency',
    text: 'operations last longer than a fifth of the window: those that it cuts off would have changed rate and latency',
  },
  setting_not_taken: {
    status: 'INVALID',
    short: 'a setting did not take',
    text: 'a setting that the server was given did not take, as it says itself: it is not the configuration that is printed',
  },
  restarted: {
    status: 'INVALID',
    short: 'the system was restarted',
    text: 'the system was restarted while it was measured',
  },
  clock_gap: {
    status: 'INVALID',
    short: 'the machine stood still',
    text: 'for seconds nothing was sampled, or the clock was set: the machine was suspended, or the runner stopped, in the midst of it',
  },
  schedule_lag: {
    status: 'INVALID',
    short: 'the generator sent late',
    text: 'the generator sent later than the schedule asked although a connection was free',
  },
  schedule_exceeded: {
    status: 'INVALID',
    short: 'more was due than planned',
    text: 'more operations were due than the schedule holds: the generator did not follow it',
  },
  dropped: {
    status: 'INVALID',
    short: 'operations were never sent',
    text: 'operations of the schedule were never sent: the system, or the generator, could not keep up',
  },
  target_missed: {
    status: 'INVALID',
    short: 'the rate was not reached',
    text: 'the achieved rate is below the target rate',
  },
  knee_unknown: {
    status: 'DEGRADED',
    text: 'no closed step was valid; the target rate is based on an invalid maximum and may be too low or too high',
  },
  set_by_client: {
    status: 'DEGRADED',
    bound: true,
    text: 'the client was full, or had less time to spare than the system: the system may be faster than shown',
  },
  unattributed: {
    status: 'DEGRADED',
    bound: true,
    text: 'who set the figure cannot be told from what was seen of system and client: the system may be faster than shown',
  },
  host_busy: {
    status: 'DEGRADED',
    short: 'the machine was busy',
    text: 'other processes, or other guests of the hypervisor, took CPU that the system could have used, while neither it nor the generator was near the end of its own: a figure of a busy machine',
  },
  host_unseen: {
    status: 'DEGRADED',
    bound: true,
    short: 'not known how busy the machine was',
    text: 'the machine was full, or was not seen, and how much of it others took cannot be told: the system may be faster than shown',
  },
  storage_stand_in: {
    status: 'DEGRADED',
    short: 'a stand-in ran for the storage',
    text: 'something stood in for the storage, because the real one could not be had here: it shows that the system works, not how fast it is',
  },
  leaking: {
    status: 'DEGRADED',
    text: 'memory grew all through the soak, faster than 0.25 MiB a minute: a leak, until shown to be something else',
  },
  clinging: {
    status: 'DEGRADED',
    text: 'its open files or its threads became more all through the soak: they are not given back, until shown to be something else',
  },
  drifting: { status: 'DEGRADED', text: 'the p99 grew by more than a quarter during the soak' },
  soak_unclear: {
    status: 'DEGRADED',
    text: 'the soak was too short, or what may grow (memory, p99, open files, threads) could not all be seen',
  },
  p99_threshold: {
    status: 'DEGRADED',
    short: 'past the p99 that was asked for',
    text: 'the p99 is above the threshold of the profile',
  },
  script_threshold: {
    status: 'DEGRADED',
    short: 'past a threshold of the script',
    text: 'a threshold that the script sets itself was crossed',
  },
});

/** @param {ReasonCode} code @returns {string} for a cell of a table; the whole sentence where there is nothing shorter */
export function shortReason(code) {
  return REASONS[code].short ?? REASONS[code].text;
}

/** @type {Record<VerdictStatus, number>} */
const RANK = { VALID: 0, DEGRADED: 1, INVALID: 2 };

/**
 * @param {Reason[]} reasons
 * @returns {VerdictStatus} the gravest
 */
export function statusOf(reasons) {
  return reasons.reduce((/** @type {VerdictStatus} */ worst, { code }) => {
    const { status } = REASONS[code];
    return RANK[status] > RANK[worst] ? status : worst;
  }, 'VALID');
}

/**
 * The verdict under which one operation of a cell may be shown: the cell's own reasons hold for all operations.
 * @param {CellRecord} record
 * @param {string} operation
 * @returns {VerdictStatus}
 */
export function verdictOf(record, operation) {
  if (record.status !== 'ok') return 'INVALID';
  const result = record.operations[operation];
  if (!result) return 'INVALID';
  return statusOf([...cellReasons(record), ...result.verdict.reasons]);
}

/**
 * @param {CellRecord} record
 * @returns {Reason[]} those that concern the whole cell
 */
export function cellReasons(record) {
  return record.verdict.reasons.filter((r) => r.operation === undefined);
}
