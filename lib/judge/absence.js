/** @import { Reason, ReasonCode } from '../types.d.ts' */

/**
 * What stands in the place of each rule where what it looks at was not seen: never nothing, so that no figure is better
 * for what is not known of it. null: every record has what the rule looks at, because it was counted, planned or declared.
 * @type {Readonly<Record<ReasonCode, ReasonCode | null>>}
 */
export const ABSENT = Object.freeze({
  generator_starved: 'missing_metric',
  runner_missing: null,
  runner_restarted: null,
  runner_saturated: 'missing_metric',
  start_skew: 'missing_metric',
  littles_law: 'missing_metric',
  missing_metric: null,
  oracle: 'missing_metric',
  errors: null,
  too_few: 'missing_metric',
  window_too_short: 'missing_metric',
  setting_not_taken: null,
  // Who has said which one it is and says so no more is taken for another one.
  restarted: 'restarted',
  clock_gap: 'host_unseen',
  schedule_lag: 'missing_metric',
  schedule_exceeded: 'missing_metric',
  dropped: 'missing_metric',
  target_missed: 'missing_metric',
  knee_unknown: null,
  set_by_client: 'unattributed',
  unattributed: 'unattributed',
  host_busy: 'host_unseen',
  host_unseen: 'host_unseen',
  storage_stand_in: null,
  leaking: 'soak_unclear',
  clinging: 'soak_unclear',
  drifting: 'soak_unclear',
  soak_unclear: 'soak_unclear',
  p99_threshold: 'missing_metric',
  script_threshold: null,
});

/**
 * @param {ReasonCode} rule that cannot be asked
 * @param {string} what was not seen
 * @returns {Reason} that stands in its place
 */
export function absenceOf(rule, what) {
  return { code: ABSENT[rule] ?? 'missing_metric', measured: what };
}
